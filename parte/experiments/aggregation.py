"""Experiment `aggregation`: D's figure 5.9, driver scenario B with four patterns and with a set of level 2.

Both columns are sizes that the checker prescribes for programs (D def. 14 and 25). D counts a pair of transfers once,
when its outgoing transfer comes; def. 14 counts it for the incoming one too. So D's first column is the size of the
rest of the rule, for pairs at the rate at which outgoing transfers complete them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.figures import GIGA, KILO
from parte.checker.partelang.bounds.report import Size
from parte.experiments.dissertation import FIGURE_5_9
from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.page import span
from parte.experiments.plots import COLOURS, MARKERS, log_ticks, merged, plain_axes
from parte.experiments.scenarios import TRANSFER, scenario
from parte.semantics.events.rates import Rate
from parte.semantics.partelang.syntax.elaborate import parse

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SLOT = 5 * 60_000
PAIR = "Pair"

FOUR_PATTERNS = scenario("B diffusion")
SET = Path(__file__).with_suffix(".parte").read_text(encoding="utf-8")

FIRST_TWO = f"""
template {TRANSFER} {{ id: String }}
rule FirstTwo where incoming: {TRANSFER}, outgoing_1: {TRANSFER} when outgoing_1 in incoming [0 days, 14 days] then
"""
REST = f"""
template {PAIR} {{ id: String }}
template {TRANSFER} {{ id: String }}
rule Rest where pair: {PAIR}, outgoing_2: {TRANSFER}, outgoing_3: {TRANSFER}
when
  outgoing_2 in pair [0 days, 14 days]
  outgoing_3 in pair [0 days, 14 days]
  outgoing_3 in outgoing_2 [0 days, 14 days]
then
"""
"""The patterns of the scenario as D sizes them: each window has 14 days, that between two outgoing transfers too."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The transfers in five minutes."""

    transfers: tuple[int, ...] = tuple(range(1, 10))


def _units(parameters: Parameters) -> list[Unit]:
    return [{"transfers": transfers} for transfers in parameters.transfers]


def _measure(_: Parameters, unit: Unit) -> Sequence[Row]:
    transfers = int(unit["transfers"] or 0)
    patterns, of_set = histories(FOUR_PATTERNS, transfers), histories(SET, transfers)
    return [
        {
            "patterns, as D counts": largest_as_d_counts(transfers),
            "patterns, D's formula": max(size.prescribed or 0 for size in patterns),
            "patterns, viable": max(size.viable or 0 for size in patterns),
            "set, D's formula": max(size.prescribed or 0 for size in of_set),
            "set, viable": max(size.viable or 0 for size in of_set),
        }
    ]


def largest_as_d_counts(transfers: int) -> int:
    """Return D's size of the largest history of scenario B with four patterns."""
    incoming, _ = histories(FIRST_TWO, transfers)
    pairs = transfers * (incoming.prescribed or 0)
    return max(size.prescribed or 0 for size in histories(REST, transfers, pairs))


def histories(text: str, transfers: int, pairs: int = 0) -> list[Size]:
    """Return the sizes of the histories of a program for transfers, and pairs of them, in each slot."""
    rates = {TRANSFER: transfers, PAIR: pairs}
    emits = [Emits(template, Rate(rate, SLOT)) for template, rate in rates.items() if rate]
    report = bounds(parse(text), Deployment((Source("bank", tuple(emits)),)))
    return [size for size in report.sizes if size.store in ("left", "right")]


# --- Presentation
# ------------------------------------------------------------------------------------------------------


def _present(_: Parameters, rows: pd.DataFrame) -> Presentation:
    tables = [
        Table(
            "Figure 5.9: entries of the largest history in units of 2^30, with aggregation in units of 2^10",
            figure_5_9(rows),
            "Rounded down. Both columns are sizes by D's formula, rate times window plus one. In the first, D counts a "
            "pair of transfers once, when its outgoing transfer comes, and takes 14 days for the window between two "
            "outgoing transfers, which may be 28 days apart.",
        ),
        Table(
            "Entries of the largest history",
            _entries(rows),
            "D's formula is applied to the compiled rules; the viable sizes are those with which `sound` never blocks.",
        ),
    ]
    plot = Plot(
        "aggregation",
        "Entries of the largest history by transfers in five minutes, logarithmic axes.",
        partial(_figure, rows),
    )
    return Presentation(tables, [plot], _answer(rows))


def figure_5_9(rows: pd.DataFrame) -> pd.DataFrame:
    """Return D's figure 5.9 from measured rows, beside what D prints."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "transfers in 5 min": row["transfers"],
                "PARTE size": row["patterns, as D counts"] // GIGA,
                "D prints": FIGURE_5_9.get(row["transfers"], (None, None))[0],
                "with aggregation": row["set, D's formula"] // KILO,
                "D prints ": FIGURE_5_9.get(row["transfers"], (None, None))[1],
            }
            for row in rows.to_dict("records")
        ],
        dtype=object,
    )


def _entries(rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "transfers in 5 min": row["transfers"],
                "four patterns, D's formula": row["patterns, D's formula"],
                "a set, D's formula": row["set, D's formula"],
                "four patterns, viable": row["patterns, viable"],
                "a set, viable": row["set, viable"],
                "times less": row["patterns, viable"] / row["set, viable"],
            }
            for row in rows.to_dict("records")
        ],
        dtype=object,
    )


LINES = (
    ("patterns, D's formula", "four patterns, D's formula"),
    ("patterns, as D counts", "four patterns, as D counts"),
    ("patterns, viable", "four patterns, viable"),
    ("set, D's formula", "a set, D's formula"),
    ("set, viable", "a set, viable"),
)


def _figure(rows: pd.DataFrame) -> Figure:
    figure, axes = plain_axes()
    x = list(rows["transfers"])
    for number, (label, y) in enumerate(merged([(label, list(rows[column])) for column, label in LINES])):
        axes.loglog(x, y, label=label, color=COLOURS[number], marker=MARKERS[number], markersize=4, linewidth=1.2)
    log_ticks(axes.xaxis, x)
    log_ticks(axes.yaxis)
    axes.set(xlabel="transfers in five minutes", ylabel="entries of the largest history")
    axes.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _answer(rows: pd.DataFrame) -> str:
    table = figure_5_9(rows)
    printed = table[table["D prints"].notna()]
    agree = (printed["PARTE size"] == printed["D prints"]) & (printed["with aggregation"] == printed["D prints "])
    saved = rows["patterns, viable"] / rows["set, viable"]
    by_formula = rows["patterns, D's formula"] / rows["patterns, as D counts"]
    return (
        f"Of the {len(printed)} rows that D prints in figure 5.9, {agree.sum()} are computed in both columns. "
        f"Applied to the compiled rule, D's formula asks for {span(by_formula.min(), by_formula.max())} times what D "
        "prints for four patterns. A set divides the viable size of the largest history by "
        f"{span(saved.min(), saved.max())}: it is the product of the rate and the window, where four patterns have a "
        "product of histories. The two rules differ in meaning: the set has all outgoing transfers of the 14 days, and "
        "there must be three; four patterns match any three of them."
    )


AGGREGATION = Experiment(
    name="aggregation",
    title="What a set saves",
    question="D §5.6.2 prints the largest history of driver scenario B with four patterns, and if the three outgoing "
    "transfers could be said as an aggregation, which D's language lacks (figure 5.9). Level 2 has sets: does the rule "
    "with a set need what D expects?",
    data="No data are drawn: sizes are functions of the rates. Windows are 14 days, sources are punctual.",
    scales={
        Scale.SMALL: Parameters(transfers=(1, 9)),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(),
    },
    units=_units,
    measure=_measure,
    present=_present,
)
