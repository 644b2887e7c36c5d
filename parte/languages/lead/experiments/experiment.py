"""Experiment `lead`: the results that L prints, beside those of this implementation."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from parte.experiments.experiment import Experiment, Presentation, Row, Scalar, Scale, Table, Unit
from parte.languages.lead.experiments.measuring import PARTS, entries, entry_of, measure

if TYPE_CHECKING:
    import pandas as pd

Line = dict[str, Scalar]


@dataclass(frozen=True, slots=True)
class Parameters:
    """The limits of the experiment. Orders of more than `letters` events are left out, because each is a run of its
    own."""

    letters: int = 9


def _units(parameters: Parameters) -> list[Unit]:
    return [
        {"part": entry["part"], "what": entry["what"]}
        for entry in entries()["printed"]
        if len(entry.get("letters", "")) <= parameters.letters
    ]


def _measure(_: Parameters, unit: Unit) -> Sequence[Row]:
    return measure(unit)


# --- Presentation ----------------------------------------------------------------------------------------------------


def _present(_: Parameters, rows: pd.DataFrame) -> Presentation:
    import pandas as pd

    lines = [_line({str(name): value for name, value in row.items()}) for row in rows.to_dict("records")]
    by_part = {part: [line for line in lines if line["part"] == part] for part in PARTS}
    tables = [
        Table(title, _frame([line for part in parts for line in by_part[part]], columns), note)
        for title, parts, columns, note in TABLES
    ]
    missing = tomllib.loads(resources.files(__package__).joinpath("missing.toml").read_text(encoding="utf-8"))
    tables.append(Table("What cannot come out again", pd.DataFrame(missing["missing"])))
    return Presentation(tables, [], _answer(by_part))


def _line(row: Mapping[str, Scalar]) -> Line:
    """Return a row with its place in L, and whether the two results agree. Whole numbers stay whole in a column with
    gaps."""
    line: Line = {name: _plain(value) for name, value in row.items()}
    line["agrees"] = line["printed"] == line["here"]
    entry = entry_of(row)
    line["where"] = entry["place"]
    line["rule"] = entry.get("rule")
    line["instant"] = entry.get("instant")
    return line


def _plain(value: Scalar) -> Scalar:
    if isinstance(value, float):
        return None if value != value else int(value)
    return value


def _frame(lines: Sequence[Line], columns: Mapping[str, str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [{new: line.get(old) for old, new in columns.items()} for line in lines], columns=list(columns.values())
    ).astype(object)


_SAME = {"printed": "L prints", "here": "here", "agrees": "agrees", "where": "where"}
TABLES = (
    (
        "Table 1: all matches of two patterns",
        ("table 1",),
        {"what": "pattern", "rule": "rule here", "count": "matches", **_SAME},
        "On the streams of figure 1. A match is written as the times of its events, with .1 and .2 for those of one "
        "stream and instant. Definition and net find the same, here and in all tables.",
    ),
    (
        "The example matches M(ρ)",
        ("examples",),
        {"what": "example", "rule": "rule here", "instant": "an instant, ms", **_SAME},
        "On the same streams; an instant is 1 ms unless it is given. ρ5 and ρ8 come out if the `within` of ρ8 stands "
        "in ρ5, or if 1 s is longer than two instants (defect 20).",
    ),
    (
        "Table 2: operators and their syntax",
        ("table 2",),
        {"what": "operator", **_SAME},
        "With A, B, C for patterns. What is not taken as printed stands in `here` as it is written; the table has "
        "no sequence, FILTER and AS (defect 36).",
    ),
    (
        "Figure 2: the users of example 1",
        ("figure 2",),
        {
            "what": "user",
            "printed": "example 1 says",
            "here": "figure 2 as printed",
            "mended": "figure 2 mended",
            "agrees": "as printed agrees",
            "where": "where",
        },
        "Mended, the condition of Middle_Success_Leaving is `AT LEAST 1 (ls.event_time == max(acs.event_time) + 2 "
        "days)` (defect 34). Five accesses wait for the third day, since the repetition ends at six.",
    ),
    (
        "Figures 7 and 8: when a token is old enough",
        ("figures 7 and 8",),
        {"what": "net", "rule": "rule here", **_SAME},
        "The rule is enabled at 0 s, or by A.",
    ),
    (
        "Figure 6: lists of a repetition that may skip items",
        ("figure 6",),
        {"what": "what", "number": "n", **_SAME},
        "`here` is what the net of `max(collect(A) …)` holds after n items. The text has 2ⁿ, the figure 2ⁿ⁺¹ − 1, "
        "with the empty list anew at each item.",
    ),
    (
        "The counting argument of §6",
        ("orders",),
        {"what": "what", **_SAME},
        "Each order is a run of the conjunction of these events, which finds it once: 756 counts the orders of one "
        "case for want of a conjunction, not of sequences (defect 37).",
    ),
)
"""Titles, the parts of L, the columns with their headings, and notes."""


def _answer(by_part: Mapping[str, Sequence[Line]]) -> str:
    users, orders = by_part["figure 2"], by_part["orders"]
    mended = sum(line["mended"] == line["printed"] for line in users)
    text = [line for line in by_part["figure 6"] if "text" in str(line["what"])]
    figure = [line for line in by_part["figure 6"] if line not in text]
    counted = "; ".join(f"{line['here']} for {line['printed']}" for line in orders)
    sentences = [
        f"Of the two relations of table 1 {_agreeing(by_part['table 1'])} come out, match for match; of the example "
        f"matches {_agreeing(by_part['examples'])}{_otherwise(by_part['examples'])}.",
        f"Of the syntax of table 2 {_agreeing(by_part['table 2'])} are taken as printed.",
        f"Figure 2 agrees with example 1 about {_agreeing(users)} users, mended {mended} of {len(users)}.",
        f"Of the times of figures 7 and 8 {_agreeing(by_part['figures 7 and 8'])} come out; of the numbers of lists "
        f"{_agreeing(text)} by the text, {_agreeing(figure)} by figure 6.",
        f"The counting argument: {counted}.",
    ]
    return " ".join(sentences)


def _agreeing(lines: Sequence[Line]) -> str:
    return f"{sum(bool(line['agrees']) for line in lines)} of {len(lines)}"


def _otherwise(lines: Sequence[Line]) -> str:
    names = [f"{line['what']}" for line in lines if not line["agrees"]]
    return f" (not {', '.join(names)})" if names else ""


LEAD = Experiment(
    name="lead",
    title="What the source of LEAD prints",
    question="L (Al Bassit, Skhiri, Ammar, *LEAD: A Formal Specification For Event Processing*, 2019) has two tables, "
    "matches of example patterns, a rule, nets and a counting argument. Which of them come out again here?",
    data="Streams, patterns and users are those of L: figure 1, table 1, §3.3.3, table 2, figure 2 with example 1, "
    "figures 6 to 8, §6. What is printed is data: `parte/languages/lead/experiments/printed.toml`.",
    scales={Scale.SMALL: Parameters(letters=5), Scale.DEFAULT: Parameters(), Scale.FULL: Parameters()},
    units=_units,
    measure=_measure,
    present=_present,
)
