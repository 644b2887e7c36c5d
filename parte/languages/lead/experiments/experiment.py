"""Experiment `lead`: the results that L prints, beside those of this implementation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parte.experiments.experiment import Experiment, Presentation, Row, Scalar, Scale, Unit
from parte.experiments.printed import Line, lines_of, plain, tables_of
from parte.languages.lead.experiments.measuring import PARTS, entries, entry_of, measure

if TYPE_CHECKING:
    import pandas as pd


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
    lines = [_line(row) for row in lines_of(rows)]
    by_part = {part: [line for line in lines if line["part"] == part] for part in PARTS}
    return Presentation(tables_of(__package__, by_part), [], _answer(by_part))


def _line(row: Mapping[str, Scalar]) -> Line:
    """Return a row with its place in L, and whether the two results agree. Whole numbers stay whole in a column with
    gaps."""
    line: dict[str, Scalar] = {name: plain(value) for name, value in row.items()}
    line["agrees"] = line["printed"] == line["here"]
    entry = entry_of(row)
    line["where"] = entry["place"]
    line["rule"] = entry.get("rule")
    line["instant"] = entry.get("instant")
    return line


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
