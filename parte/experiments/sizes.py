"""Experiment `sizes`: D's figures 5.8 and 5.9 beside the needs of the sound machine for the same rules and rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from parte.checker.environment.deployment import Cardinality, Deployment, Emits, Source
from parte.checker.partelang.bounds import figures
from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.report import Size
from parte.experiments.dissertation import FIGURE_5_8, FIGURE_5_9
from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.page import span
from parte.experiments.plots import COLOURS, MARKERS, log_ticks, merged, panels, plain_axes
from parte.experiments.scenarios import CLAIM, SCENARIOS, TRANSFER, scenario
from parte.semantics.events.rates import Rate
from parte.semantics.partelang.syntax.elaborate import parse

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SLOT = 5 * 60_000
DAY = 24 * 60 * 60_000
ANY = 0
"""The number of transfers of an account in a day if none is declared."""

DIFFUSION, REFUND_SCAM = "B diffusion", "C refund scam"
CIRCLE = "three transfers in a circle"


@dataclass(frozen=True, slots=True)
class Parameters:
    """The transfers in five minutes, and for each of them the limits to the transfers of an account in a day; for the
    least and the most of them, the limits to those of a pair of accounts in 14 days."""

    transfers: tuple[int, ...] = tuple(range(1, 10))
    claims: int = 1
    transfers_of_an_account_in_a_day: tuple[int, ...] = (1, 10, 100)
    transfers_of_a_pair_in_14_days: tuple[int, ...] = (1, 10, 100)


def _units(parameters: Parameters) -> list[Unit]:
    return [
        {"scenario": name, "transfers": transfers, "per account and day": declared}
        for name in SCENARIOS
        for transfers in parameters.transfers
        for declared in (ANY, *parameters.transfers_of_an_account_in_a_day)
    ]


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    name, transfers, declared = (
        str(unit["scenario"]),
        int(unit["transfers"] or 0),
        int(unit["per account and day"] or 0),
    )
    program = parse(scenario(name))
    emits = [Emits(TRANSFER, Rate(transfers, SLOT))]
    if name == REFUND_SCAM:
        emits.append(Emits(CLAIM, Rate(parameters.claims, SLOT)))
    keys = (Cardinality(TRANSFER, ("originator",), Rate(declared, DAY)),) if declared != ANY else ()
    report = bounds(program, Deployment((Source("bank", tuple(emits)),), keys))
    histories = [size for size in report.sizes if size.store in ("left", "right")]
    return [
        {
            "D's formula": _largest(size.prescribed for size in histories),
            "viable": _largest(size.viable for size in histories),
            **_alive(histories),
            "events in all histories": _largest([sum((size.viable or 0) * size.width for size in histories)]),
        }
    ]


def _largest(sizes: Iterable[int | None]) -> int | None:
    known = list(sizes)
    return None if any(size is None for size in known) else max(size or 0 for size in known)


def _alive(histories: Sequence[Size]) -> Row:
    """Return the bounds of the greatest number of live entries of any history."""
    counts = [size.live for size in histories if size.live is not None]
    return {
        "live, at least": max(count.least for count in counts),
        "live, at most": max(count.greatest for count in counts),
    }


# --- Presentation
# ------------------------------------------------------------------------------------------------------


def _present(parameters: Parameters, rows: pd.DataFrame) -> Presentation:
    tables = [
        Table(
            "Figure 5.8, driver scenario C, in units of 2^30",
            _figure_5_8(parameters),
            "D prints what the formulas give, rounded down, but for 0.96 in the first row of the triangle query, which "
            "it prints as 1."
            if 1 in parameters.transfers
            else "",
        ),
        Table(
            "Figure 5.9, driver scenario B, in units of 2^30, with aggregation in units of 2^10",
            _figure_5_9(parameters),
        ),
        *(_needs(name, rows) for name in SCENARIOS),
        _pairs(parameters),
    ]
    of_d = Plot(
        "sizes-of-D",
        "Figures 5.8 and 5.9 in entries: the formulas (lines) and what D prints (marks), rounded down to whole units.",
        partial(_of_d, parameters),
    )
    plots = [of_d, *(Plot(f"sizes-{name[0]}", _caption(name), partial(_figure, name, rows)) for name in SCENARIOS)]
    return Presentation(tables, plots, _answer(parameters, rows))


def _figure_5_8(parameters: Parameters) -> pd.DataFrame:
    import pandas as pd

    giga = figures.GIGA
    return pd.DataFrame(
        [
            {
                "transfers in 5 min": n,
                "PARTE size": figures.refund_scam(n) // giga,
                "D prints": FIGURE_5_8[n][0] if n in FIGURE_5_8 else None,
                "Cartesian size": figures.cartesian(n) // giga,
                "D prints ": FIGURE_5_8[n][1] if n in FIGURE_5_8 else None,
                "triangle query": figures.triangle(n) / giga
                if figures.triangle(n) < giga
                else figures.triangle(n) // giga,
                "D prints  ": FIGURE_5_8[n][2] if n in FIGURE_5_8 else None,
            }
            for n in parameters.transfers
        ],
        dtype=object,
    )


def _figure_5_9(parameters: Parameters) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "transfers in 5 min": n,
                "PARTE size": figures.diffusion(n) // figures.GIGA,
                "D prints": FIGURE_5_9[n][0] if n in FIGURE_5_9 else None,
                "with aggregation": figures.aggregation(n) // figures.KILO,
                "D prints ": FIGURE_5_9[n][1] if n in FIGURE_5_9 else None,
            }
            for n in parameters.transfers
        ],
        dtype=object,
    )


def _needs(name: str, rows: pd.DataFrame) -> Table:
    import pandas as pd

    lines = []
    for transfers, group in rows[rows["scenario"] == name].groupby("transfers"):
        by_key = group.set_index("per account and day")
        free = by_key.loc[ANY]
        exact = free["live, at least"] == free["live, at most"]
        line: dict[str, object] = {
            "transfers in 5 min": transfers,
            "D's formula": free["D's formula"],
            "viable": free["viable"],
            "live at once": free["live, at most"] if exact else f"at most {free['live, at most']:,}",
            "times less than D's": free["D's formula"] / free["viable"],
        }
        for declared in by_key.index[by_key.index != ANY]:
            line[f"viable, {declared} a day and account"] = by_key.loc[declared, "viable"]
        lines.append(line)
    return Table(
        f"Driver scenario {name}: entries of the largest history",
        pd.DataFrame(lines, dtype=object),
        "D's formula is applied to the compiled rule, with one claim a slot; figures 5.8 and 5.9 count four patterns "
        "that all have the rate of the transfers. `live at once` counts the partial matches that are live when all "
        "sources have promised one time and send as much as they may; the viable size is never less.",
    )


def _pairs(parameters: Parameters) -> Table:
    import pandas as pd

    lines = []
    for name, text in {**{name: scenario(name) for name in SCENARIOS}, CIRCLE: _circle()}.items():
        program = parse(text)
        for transfers in sorted({min(parameters.transfers), max(parameters.transfers)}):
            emits = [Emits(TRANSFER, Rate(transfers, SLOT))]
            if any(template.name == CLAIM for template in program.templates):
                emits.append(Emits(CLAIM, Rate(parameters.claims, SLOT)))
            line: dict[str, object] = {"rule": name, "transfers in 5 min": transfers}
            for declared in (ANY, *parameters.transfers_of_a_pair_in_14_days):
                pair = "originator", "destination"
                keys = () if declared == ANY else (Cardinality(TRANSFER, pair, Rate(declared, 14 * DAY)),)
                report = bounds(program, Deployment((Source("bank", tuple(emits)),), keys))
                largest = _largest(size.viable for size in report.sizes if size.store in ("left", "right"))
                line[f"viable, {declared} of a pair" if declared != ANY else "viable"] = largest
            lines.append(line)
    return Table(
        "Entries of the largest history, with a limit to the transfers of a pair of accounts in 14 days",
        pd.DataFrame(lines, dtype=object),
        f"The last rule has three transfers in a circle and a claim: `{CIRCLE}`. Its size with a declared pair is a "
        "fractional edge cover, as D's triangle query; without a declaration equal transfers make all combinations.",
    )


def _circle() -> str:
    """Return the program of the rule for which D prints the triangle query: three transfers in a circle."""
    window = "in first [-14 days, 14 days]"
    return (
        f"template {TRANSFER} {{ originator: String, destination: String }}\n"
        f"template {CLAIM} {{ reason: String }}\n"
        f"rule Circle where first: {TRANSFER}, second: {TRANSFER} {{ originator = first.destination }},\n"
        f"third: {TRANSFER} {{ originator = second.destination, destination = first.originator }}, claim: {CLAIM}\n"
        f"when second {window}, third {window}, claim {window} then"
    )


def _caption(name: str) -> str:
    return f"Driver scenario {name}: entries of the largest history by transfers in five minutes, logarithmic axes."


def _figure(name: str, rows: pd.DataFrame) -> Figure:
    figure, axes = plain_axes()
    scenario_rows = rows[rows["scenario"] == name]
    free = scenario_rows[scenario_rows["per account and day"] == ANY]
    lines = [(label, list(free[column])) for column, label in LINES]
    for declared, group in scenario_rows[scenario_rows["per account and day"] != ANY].groupby("per account and day"):
        lines.append((f"viable, {declared} a day and account", list(group["viable"])))
    x = list(free["transfers"])
    for number, (label, y) in enumerate(merged(lines)):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        axes.loglog(x, y, label=label, color=colour, marker=marker, markersize=4, linewidth=1.2)
    log_ticks(axes.xaxis, x)
    log_ticks(axes.yaxis)
    axes.set(xlabel="transfers in five minutes", ylabel="entries of the largest history", title=name)
    axes.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _of_d(parameters: Parameters) -> Figure:
    """Return D's figures 5.8 and 5.9 in entries, not in units of 2^30."""
    figure, every = panels(2, 3.8)
    transfers = sorted(parameters.transfers)
    for axes, (title, printed, columns) in zip(every, OF_D, strict=True):
        for number, (label, formula, unit) in enumerate(columns):
            colour = COLOURS[number]
            axes.loglog(transfers, [formula(n) for n in transfers], label=label, color=colour, linewidth=1.2)
            known = [n for n in transfers if n in printed]
            of_d = [printed[n][number] * unit for n in known]
            axes.loglog(known, of_d, color=colour, marker=MARKERS[number], markerfacecolor="none", linestyle="none")
        axes.loglog([], [], color="#000000", marker="o", markerfacecolor="none", linestyle="none", label="D prints")
        log_ticks(axes.xaxis, transfers)
        axes.set_title(title, fontsize="medium")
        axes.legend(fontsize="small", frameon=False)
    log_ticks(every[0].yaxis)
    figure.supxlabel("transfers in five minutes", fontsize="medium")
    figure.supylabel("entries", fontsize="medium")
    return figure


Column = tuple[str, Callable[[int], int], int]
OF_D: tuple[tuple[str, Mapping[int, Sequence[int]], Sequence[Column]], ...] = (
    (
        "figure 5.8, driver scenario C",
        FIGURE_5_8,
        (
            ("PARTE size", figures.refund_scam, figures.GIGA),
            ("Cartesian size", figures.cartesian, figures.GIGA),
            ("triangle query", figures.triangle, figures.GIGA),
        ),
    ),
    (
        "figure 5.9, driver scenario B",
        FIGURE_5_9,
        (
            ("PARTE size", figures.diffusion, figures.GIGA),
            ("with aggregation", figures.aggregation, figures.KILO),
        ),
    ),
)
"""D's figures 5.8 and 5.9, with their columns in D's order: name, formula, unit."""
LINES = (("D's formula", "D's formula"), ("viable", "viable"), ("live, at most", "live at once"))


def _answer(parameters: Parameters, rows: pd.DataFrame) -> str:
    printed = [n for n in parameters.transfers if n in FIGURE_5_8]
    agreeing = [n for n in printed if _as_printed(n)]
    free = rows[rows["per account and day"] == ANY]
    sentences = [
        f"Of the {len(printed)} rows that D prints in each of figures 5.8 and 5.9, {len(agreeing)} are reproduced in "
        "every column."
    ]
    for name in SCENARIOS:
        scenario_rows = free[free["scenario"] == name]
        ratio = scenario_rows["D's formula"] / scenario_rows["viable"]
        times = span(ratio.min(), ratio.max())
        sentences.append(f"For {name}, D's formula asks for {times} times the viable size.")
    least = min(parameters.transfers_of_an_account_in_a_day)
    for name in (DIFFUSION, REFUND_SCAM):
        scenario_rows = rows[rows["scenario"] == name]
        without = scenario_rows[scenario_rows["per account and day"] == ANY].set_index("transfers")["viable"]
        with_key = scenario_rows[scenario_rows["per account and day"] == least].set_index("transfers")["viable"]
        saved = without / with_key
        sentences.append(
            f"To declare that an account makes at most {least} transfer{'s' * (least != 1)} a day divides the largest "
            f"history of {name} by {span(saved.min(), saved.max())}, since transfers join by account."
        )
    return " ".join(sentences)


def _as_printed(n: int) -> bool:
    of_c = figures.refund_scam(n) // figures.GIGA, figures.cartesian(n) // figures.GIGA
    triangle = max(1, figures.triangle(n) // figures.GIGA)  # D rounds the first row up
    of_b = figures.diffusion(n) // figures.GIGA, figures.aggregation(n) // figures.KILO
    return (*of_c, triangle) == FIGURE_5_8[n] and of_b == FIGURE_5_9[n]


SIZES = Experiment(
    name="sizes",
    title="How large histories must be",
    question="D §5.6 prints how its formula for the sizes of histories grows for two of its driver scenarios "
    "(figures 5.8 and 5.9), and takes it for tight. Are the figures right, how much of that does the sound machine "
    "need, and what does it save to declare how often an account makes a transfer?",
    data="No data are drawn: sizes are functions of the rates. Windows are 14 days, sources are punctual.",
    scales={
        Scale.SMALL: Parameters(
            transfers=(1, 9), transfers_of_an_account_in_a_day=(1,), transfers_of_a_pair_in_14_days=(1,)
        ),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(),
    },
    units=_units,
    measure=_measure,
    present=_present,
)
