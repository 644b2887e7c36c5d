"""Experiment `windowed-spark`: D §7.4 and appendix B, and the machines on the same traces."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.parameters import ParametersError
from parte.experiments.plots import COLOURS, panels
from parte.experiments.windowed_spark import machines
from parte.experiments.windowed_spark.generator import (
    RATE,
    SOURCES,
    THRESHOLD,
    WINDOW,
    Shape,
    candidates,
    transfers,
)
from parte.experiments.windowed_spark.windowed_join import viable_by_d
from parte.semantics.source.packages import require

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PERCENTILES = (0, 5, 25, 50, 75, 95, 100)
SPARK = "spark"


@dataclass(frozen=True, slots=True)
class Parameters:
    """Shapes of traces; runs of each on Spark and on a machine; multiples of D's sizes; micro-batches of a trace.

    `batches` are the numbers of micro-batches that are tried: 1 reproduces D, the others show the influence of this
    number. More than one is tried only on traces of up to `batched_events` transfers.
    """

    groups: tuple[int, ...] = (10, 100, 1000)
    unrelated: tuple[int, ...] = (0, 100, 1000, 10_000)
    factors: tuple[int, ...] = tuple(range(1, 20))
    runs: int = 10
    machine_runs: int = 1
    batches: tuple[int, ...] = (1, 10)
    batched_events: int = 1_500
    batched_runs: int = 3
    load: float = 0.5
    seed: int = 1


def _units(parameters: Parameters) -> list[Unit]:
    if 1 not in parameters.batches:
        raise ParametersError(f"batches: expected 1 among them, which is what D has, found {list(parameters.batches)}")
    units: list[Unit] = []
    for groups in parameters.groups:
        for unrelated in parameters.unrelated:
            shape = {"groups": groups, "unrelated": unrelated}
            for batches in parameters.batches:
                if batches == 1 or 4 * groups + unrelated <= parameters.batched_events:
                    units.append({"engine": SPARK, **shape, "batches": batches})
            units += [{"engine": machine, **shape, "batches": 0} for machine in machines.MACHINES]
    return units


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    shape = Shape(int(unit["groups"] or 0), int(unit["unrelated"] or 0), parameters.load)
    batches = int(unit["batches"] or 0)
    if unit["engine"] != SPARK:
        machine = str(unit["engine"])
        return [machines.measured(machine, shape, parameters.seed + run) for run in range(parameters.machine_runs)]
    runs = parameters.runs if batches == 1 else parameters.batched_runs
    return _of_spark(shape, [parameters.seed + run for run in range(runs)], parameters.factors, batches)


def _of_spark(shape: Shape, seeds: Sequence[int], factors: Sequence[int], batches: int) -> list[Row]:
    require("spark", "pyspark", "pyarrow")
    from parte.experiments.windowed_spark.job import found_by_spark
    from parte.spark_adapter.session import session

    traces = [transfers(shape, seed) for seed in seeds]
    start = time.perf_counter()
    frauds_found = found_by_spark(session(settings={"spark.sql.shuffle.partitions": "4"}), traces, factors, batches)
    seconds = time.perf_counter() - start
    return [
        {
            "seed": seed,
            "factor": factor,
            "frauds": shape.frauds,
            "candidates": candidates(trace),
            "found": len(frauds_found[index, factor]),
            "blocked": False,
            "seconds": seconds / (len(traces) * len(factors)),
        }
        for index, (seed, trace) in enumerate(zip(seeds, traces, strict=True))
        for factor in factors
    ]


# --- Presentation
# ------------------------------------------------------------------------------------------------------


@cache
def printed() -> Mapping[tuple[int, int, int], tuple[float, ...]]:
    """Return appendix B as printed: by groups, unrelated transfers and factor, the fraction found by percentile."""
    text = (Path(__file__).parent / "appendix_b.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(text.splitlines()))[1:]
    return {(int(row[0]), int(row[1]), int(row[2])): tuple(map(float, row[3:])) for row in rows}


def _printed(groups: object, unrelated: object, factor: object) -> tuple[float, ...] | None:
    """Return the row of appendix B for the keys of a group of rows."""
    return printed().get((int(str(groups)), int(str(unrelated)), int(str(factor))))


def _present(parameters: Parameters, rows: pd.DataFrame) -> Presentation:
    spark = rows[(rows["engine"] == SPARK) & (rows["batches"] == 1)]
    tables = [
        Table("Frauds that the machines find", machines.table(rows), machines.NOTE),
        *(
            Table(f"Spark, {groups} groups: the fraction found", _fractions(spark, groups))
            for groups in parameters.groups
        ),
        Table("Why: what is left of the left history", _slots(spark), SLOTS),
    ]
    if len(parameters.batches) > 1:
        tables.append(Table("With more micro-batches", _batches(rows), BATCHES))
    plots = [
        Plot(f"windowed-spark-{groups}", _caption(groups), partial(_figure, groups, spark))
        for groups in parameters.groups
    ]
    return Presentation(tables, plots, _answer(parameters, rows))


SLOTS = (
    "If one micro-batch holds the trace and its left side goes first, then only the last transfers that fit into the "
    "left history of the first join are still there when their followers come: slots over candidates, which are the "
    "transfers above the threshold on an uncommon route, the followers of frauds among them. The last transfers "
    "of a trace are mostly followers, so by timestamp a little less than this fraction is found; D prints nearly the "
    "fraction itself. Medians over the runs, at 1×."
)
BATCHES = (
    "The same traces cut into more micro-batches: less is evicted before it is joined. Medians over the runs, at 1×."
)


def _caption(groups: int) -> str:
    return f"{groups} groups: the median fraction of frauds that Spark finds (dots), and that D prints (squares)."


def _fraction(rows: pd.DataFrame) -> pd.Series[float]:
    return rows["found"] / rows["frauds"]


def _fractions(spark: pd.DataFrame, groups: int) -> pd.DataFrame:
    import pandas as pd

    lines = []
    for (unrelated, factor), group in spark[spark["groups"] == groups].groupby(["unrelated", "factor"]):
        fractions = _fraction(group)
        line: dict[str, object] = {"unrelated": unrelated, "sizes": f"{factor}×"}
        for percentile in PERCENTILES:
            line[f"{percentile} %"] = round(float(fractions.quantile(percentile / 100)), 3)
        of_d = _printed(groups, unrelated, factor)
        for place, percentile in enumerate(PERCENTILES):
            line[f"D: {percentile} %"] = of_d[place] if of_d else None
        lines.append(line)
    return pd.DataFrame(lines, dtype=object)


def _slots(spark: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    slots = viable_by_d(1, RATE)[0][0]
    lines = []
    for (groups, unrelated), group in spark[spark["factor"] == 1].groupby(["groups", "unrelated"]):
        of_d = _printed(groups, unrelated, 1)
        candidates = group["candidates"].median()
        lines.append(
            {
                "groups": groups,
                "unrelated": unrelated,
                "candidates": int(candidates),
                "slots over candidates": round(min(1.0, slots / candidates), 3),
                "found": round(float(_fraction(group).median()), 3),
                "D prints": of_d[3] if of_d else None,
            }
        )
    return pd.DataFrame(lines, dtype=object)


def _batches(rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    spark = rows[(rows["engine"] == SPARK) & (rows["factor"] == rows["factor"].min())]
    lines = []
    for (groups, unrelated), group in spark.groupby(["groups", "unrelated"]):
        medians = {batches: _fraction(some).median() for batches, some in group.groupby("batches")}
        if len(medians) > 1:
            columns_of_medians = {
                f"{batches} micro-batches": round(float(value), 3) for batches, value in medians.items()
            }
            lines.append({"groups": groups, "unrelated": unrelated, **columns_of_medians})
    return pd.DataFrame(lines, dtype=object)


def _figure(groups: int, spark: pd.DataFrame) -> Figure:
    group_rows = spark[spark["groups"] == groups]
    by_unrelated = list(group_rows.groupby("unrelated"))
    # A panel for each: most of them find everything, so that their lines would hide each other.
    figure, every = panels(len(by_unrelated))
    for axes, (unrelated, group) in zip(every, by_unrelated, strict=True):
        table = (
            group.assign(fraction=_fraction(group))
            .groupby("factor")["fraction"]
            .describe(percentiles=[0.05, 0.5, 0.95])
        )
        axes.fill_between(
            table.index,
            table["5%"],
            table["95%"],
            color=COLOURS[0],
            alpha=0.2,
            linewidth=0,
            label="5 % to 95 % of Spark here",
        )
        axes.plot(table.index, table["50%"], color=COLOURS[0], marker="o", markersize=3.5, label="Spark here")
        of_d = {f: row[3] for (g, u, f), row in printed().items() if (g, u) == (groups, unrelated)}
        known = sorted(factor for factor in of_d if factor in table.index)
        axes.plot(
            known,
            [of_d[factor] for factor in known],
            color=COLOURS[1],
            linestyle="--",
            linewidth=1,
            marker="s",
            markersize=7,
            markerfacecolor="none",
            label="D prints",
        )
        axes.set_title(f"{unrelated:,} unrelated transfers", fontsize="medium")
        axes.set(ylim=(-0.05, 1.08))
        axes.set_xticks(sorted(set(group_rows["factor"]))[::2])
    figure.supxlabel("multiple of D's sizes", fontsize="medium")
    figure.supylabel("fraction of the frauds found", fontsize="medium")
    handles, labels = every[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, fontsize="small", frameon=False)
    return figure


def _answer(parameters: Parameters, rows: pd.DataFrame) -> str:
    spark = rows[(rows["engine"] == SPARK) & (rows["batches"] == 1)]
    differences: list[float] = []
    worst = ""
    for (groups, unrelated, factor), group in spark.groupby(["groups", "unrelated", "factor"]):
        of_d = _printed(groups, unrelated, factor)
        if of_d is not None:
            # D prints two decimals; their binary rounding errors must not count as a difference.
            difference = round(abs(float(_fraction(group).median()) - of_d[3]), 9)
            if not differences or difference > max(differences):
                worst = f"{groups} groups, {unrelated:,} unrelated transfers, {factor}×"
            differences.append(difference)
    at_d_sizes = spark[spark["factor"] == 1]
    sentences = []
    if not at_d_sizes.empty:
        missed = at_d_sizes[at_d_sizes["found"] < at_d_sizes["frauds"]]
        sentences.append(
            f"Without back-pressure Spark misses frauds at D's sizes in {len(missed):,} of {len(at_d_sizes):,} traces."
        )
    if differences:
        close = sum(difference <= CLOSE for difference in differences)
        sentences.append(
            f"Of {len(differences)} medians that D prints, {close} are met within {CLOSE}; the greatest difference is "
            f"{max(differences):.3g} ({worst})."
        )
    else:
        sentences.append("D prints nothing of traces of these shapes.")
    many = at_d_sizes[(at_d_sizes["groups"] == MANY_GROUPS) & (at_d_sizes["unrelated"] == min(parameters.unrelated))]
    if not many.empty:
        slots, candidates = viable_by_d(1, RATE)[0][0], int(many["candidates"].median())
        sentences.append(
            f"At {MANY_GROUPS} groups the fraction grows by {slots}/{candidates} = {slots / candidates:.1%} per unit "
            "of size: the slots of the first left history over the transfers that may be the incoming one, all of "
            "which one micro-batch brings before any that follows them."
        )
    sentences += machines.answer(rows)
    return " ".join(sentences)


CLOSE = 0.05
MANY_GROUPS = 1000
"""A number of groups that exceeds D's sizes, and many multiples of them."""

WINDOWED_SPARK = Experiment(
    name="windowed-spark",
    title="A windowed join without back-pressure",
    question="D §7.4 runs driver scenario B as a Spark job whose histories have a fixed size and evict their oldest "
    "entry, and reports in appendix B how much it misses at 1 to 19 times D's sizes. Are these figures met, what "
    "explains them, and what do the machines find on the same traces?",
    data=f"Traces drawn from the seed as D §7.4.1 describes: groups of four transfers, of which a quarter are on "
    f"common routes and a quarter below {THRESHOLD} €, among unrelated ones, nine in ten on a common route; starts are "
    f"uniform; a window of {WINDOW} ms; at most {RATE} transfers a millisecond from {len(SOURCES)} sources that take "
    "turns. D does not say how long the traces are: here they take `load` of the greatest rate. A fraud counts as "
    "found when any of its matches is. The Spark job processes the left side of a micro-batch first, and one "
    "micro-batch holds the trace.",
    scales={
        Scale.SMALL: Parameters(
            groups=(10,), unrelated=(0, 200), factors=(1, 2), runs=2, machine_runs=1, batches=(1, 3), batched_runs=1
        ),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(runs=100, machine_runs=10, batched_runs=10),
    },
    units=_units,
    measure=_measure,
    present=_present,
    clocked=frozenset({"seconds"}),
    alone=True,
)
