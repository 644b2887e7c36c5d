"""Experiment `core`: the numbers that T prints beside those measured here."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING

from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scalar, Scale, Unit
from parte.experiments.page import span
from parte.experiments.plots import COLOURS, MARKERS, log_ticks, panels
from parte.experiments.printed import Line, lines_of, plain, tables_of
from parte.languages.cel.experiments.measuring import PARTS, measure
from parte.languages.cel.experiments.streams import FAMILIES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

KEY = ("part", "query", "stream", "workers", "strategy")
"""The key of a number of T: its part, the query, the number of its stream, the number of workers, and the strategy."""

LAST_DIGIT = 0.001
"""Coefficients of variation are printed with three digits, some of them cut off."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Streams with more results than `results` are left out; PoTC draws with `seeds` different seeds."""

    results: int = 20_000_000
    seeds: int = 200


@dataclass(frozen=True, slots=True)
class Printed:
    """A number of T, and its place."""

    value: str
    place: str


@cache
def printed() -> Mapping[tuple[Scalar, ...], Printed]:
    """Return all numbers of T that the experiment measures."""
    text = resources.files(__package__).joinpath("printed.csv").read_text(encoding="utf-8")
    return {
        (row["part"], row["query"], int(row["stream"]), int(row["workers"]), row["strategy"]): Printed(
            row["printed"], row["place"]
        )
        for row in csv.DictReader(text.splitlines())
    }


def _units(parameters: Parameters) -> list[Unit]:
    units: list[Unit] = [dict(zip(KEY, key, strict=True)) for key in printed()]
    return [
        unit
        for unit in units
        if unit["query"] not in FAMILIES
        or FAMILIES[str(unit["query"])].results(int(unit["stream"] or 0)) <= parameters.results
    ]


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    return measure(unit, parameters.seeds)


# --- What it shows ---------------------------------------------------------------------------------------------------


def _present(_: Parameters, rows: pd.DataFrame) -> Presentation:
    lines = [_line(row) for row in lines_of(rows)]
    by_part = {part: [line for line in lines if line["part"] == part] for part in PARTS}
    plots = [Plot(name, caption, partial(draw, by_part[part])) for part, name, caption, draw in PLOTS if by_part[part]]
    return Presentation(tables_of(__package__, by_part), plots, _answer(by_part))


def _line(row: Mapping[str, Scalar]) -> Line:
    """Return a row with the number that T prints, and whether the two agree."""
    known = printed()[tuple(row[name] for name in KEY)]
    measured, least, greatest = (plain(row[name]) for name in ("measured", "least", "greatest"))
    line: dict[str, Scalar] = {name: row[name] for name in KEY}
    query = str(row["query"])
    if query in FAMILIES:
        line["results"] = FAMILIES[query].results(int(row["stream"] or 0))
    line |= {"T prints": _number(known.value), "here": measured, "least": least, "greatest": greatest}
    line["agrees"] = _agrees(line)
    line["where"] = known.place
    return line


def _number(text: str) -> Scalar:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _agrees(line: Line) -> bool:
    """Return whether the measured number is the printed one: to the last digit, which may be rounded or cut off."""
    of_t, here = line["T prints"], line["here"]
    if isinstance(of_t, str) or isinstance(here, str) or of_t is None or here is None:
        return of_t == here
    if line["part"] == "figure 6.4":
        least = here if line["least"] is None else float(line["least"])
        greatest = here if line["greatest"] is None else float(line["greatest"])
        return least - LAST_DIGIT < of_t < greatest + LAST_DIGIT
    return of_t == here


def _answer(by_part: Mapping[str, Sequence[Line]]) -> str:
    claimed = by_part["example 1.1"][0]
    drawn = [*by_part["figure 5.3"], *by_part["figure 5.4"]]
    sizes, stated = by_part["sizes"], by_part["stated sizes"]
    sentences = [
        f"Example 1.1 has {claimed['here']} results, not {claimed['T prints']}.",
        f"Of what figures 5.3 and 5.4 show, {_agreeing(drawn)} come out, node for node and result for result.",
        f"Of the numbers of results {_agreeing(sizes)} are right{_otherwise(sizes)}; of those in the text "
        f"{_agreeing(stated)}{_otherwise(stated)}.",
    ]
    balance = [[line for line in by_part["figure 6.4"] if line["strategy"] == strategy] for strategy in STRATEGIES]
    if any(balance):
        counts = (f"{chosen[0]['strategy']} {_agreeing(chosen)}" for chosen in balance if chosen)
        sentences.append(f"Of figure 6.4 come out: {', '.join(counts)}.")
    beyond = {
        part: [
            _float(line["T prints"]) - _float(line["here"]) for line in by_part[part] if line["strategy"] in MEASURED
        ]
        for part in ("figure 6.3", "figure 6.5")
    }
    sentences += [
        f"The times of DCORE and CORE2 in {part} are the waiting and {span(min(over) / 1000, max(over) / 1000)} s more."
        for part, over in beyond.items()
        if over
    ]
    return " ".join(sentences)


MEASURED = ("DCORE", "CORE2")
"""The programs of T that enumerate by themselves: no master takes time besides the waiting."""


def _float(value: Scalar) -> float:
    return float(value or 0)


def _agreeing(lines: Sequence[Line]) -> str:
    return f"{sum(bool(line['agrees']) for line in lines)} of {len(lines)}"


def _otherwise(lines: Sequence[Line]) -> str:
    """Return the printed numbers that are wrong, with the right ones."""
    pairs = [f"{line['T prints']:,} for {line['here']:,}" for line in lines if not line["agrees"]]
    return f" (T has {', '.join(pairs)})" if pairs else ""


# --- Plots -----------------------------------------------------------------------------------------------------------

STRATEGIES = ("RR", "PoTC", "ES", "MME", "MCEE", "DCORE")


def _balance(lines: Sequence[Line]) -> Figure:
    queries = sorted({str(line["query"]) for line in lines})
    figure, every = panels(len(queries), 3.8, shared=False)
    highest = max(_float(line[name]) for line in lines for name in ("here", "greatest", "T prints"))
    for axes, query in zip(every, queries, strict=True):
        for number, strategy in enumerate(STRATEGIES):
            chosen = [line for line in lines if (line["query"], line["strategy"]) == (query, strategy)]
            x = [int(line["results"] or 0) for line in chosen]
            colour, marker = COLOURS[number], MARKERS[number]
            if strategy == "PoTC":
                least, greatest = ([_float(line[name]) for line in chosen] for name in ("least", "greatest"))
                axes.fill_between(x, least, greatest, color=colour, alpha=0.2, linewidth=0, label="PoTC, all seeds")
            else:
                axes.plot(x, [_float(line["here"]) for line in chosen], color=colour, linewidth=1.2, label=strategy)
            axes.plot(
                x,
                [_float(line["T prints"]) for line in chosen],
                color=colour,
                marker=marker,
                markersize=5,
                markerfacecolor="none",
                linestyle="none",
            )
        axes.set_xscale("log")
        axes.set_ylim(-0.02, highest + 0.02)
        log_ticks(axes.xaxis, sorted({int(line["results"] or 0) for line in lines if line["query"] == query}))
        axes.set_title(f"{query}: {FAMILIES[query].query}", fontsize="medium")
        axes.plot([], [], color="#000000", marker="o", markerfacecolor="none", linestyle="none", label="T prints")
    every[-1].legend(fontsize="small", frameon=False)
    figure.supxlabel("results", fontsize="medium")
    figure.supylabel("coefficient of variation", fontsize="medium")
    return figure


def _waiting(lines: Sequence[Line]) -> Figure:
    sizes = sorted({int(line["results"] or 0) for line in lines})
    figure, every = panels(len(sizes), 3.8)
    for axes, size in zip(every, sizes, strict=True):
        for number, strategy in enumerate(STRATEGIES):
            chosen = [line for line in lines if (line["results"], line["strategy"]) == (size, strategy)]
            if not chosen:
                continue
            x = [int(line["workers"] or 0) for line in chosen]
            colour = COLOURS[number]
            axes.plot(x, [_float(line["here"]) / 1000 for line in chosen], color=colour, linewidth=1.2, label=strategy)
            axes.plot(
                x,
                [_float(line["T prints"]) / 1000 for line in chosen],
                color=colour,
                marker=MARKERS[number],
                markersize=5,
                markerfacecolor="none",
                linestyle="none",
            )
        axes.set_yscale("log")
        axes.set_xticks(sorted({int(line["workers"] or 0) for line in lines}))
        axes.set_title(f"Q2, {size:,} results", fontsize="medium")
        axes.plot([], [], color="#000000", marker="o", markerfacecolor="none", linestyle="none", label="T prints")
    log_ticks(every[0].yaxis)
    every[-1].legend(fontsize="small", frameon=False)
    figure.supxlabel("workers", fontsize="medium")
    figure.supylabel("seconds", fontsize="medium")
    return figure


PLOTS = (
    (
        "figure 6.4",
        "balance",
        "Figure 6.4: how unequal the loads of four workers are. Lines are measured, marks printed; PoTC, which is "
        "drawn, has a band from the least to the greatest of all seeds.",
        _balance,
    ),
    (
        "figure 6.5",
        "waiting",
        "Figure 6.5: 10 ms for each event of each result of the worker that has most (lines), and what T measured "
        "(marks).",
        _waiting,
    ),
)
"""The part of T, the name of the files, the caption, and the function that draws it."""


CORE = Experiment(
    name="core",
    title="What the source of CORE prints",
    question="T (A. Abella, *Distributed Complex Event Recognition*, 2022) illustrates its algorithms by figures and "
    "measures a program of its own. Which of its numbers come out again here?",
    data="Queries and streams are those of T: example 1.1, fig. 3.3, and Q1, Q2, Q3 of figs. 6.1 and 6.2. Of figures "
    "that are drawings only, the numbers were read from the sources of T in its public artifact (dtim-upc/DCORE, "
    "711c37e: `docs/experiments/experiments.xlsx`, sheets 1 and 2, called ART here).",
    scales={
        Scale.SMALL: Parameters(results=130, seeds=10),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(),
    },
    units=_units,
    measure=_measure,
    present=_present,
)
