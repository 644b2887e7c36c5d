"""Experiment `engines`: the conformance matrix, and the speed of each engine on the driver scenarios."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import conformance.engines
from conformance.fixtures import load_suite
from conformance.results import Verdict
from conformance.runner.judging import prepare
from conformance.runner.running import run_engine
from conformance.runner.specs import spec_of
from parte.experiments.engines.speed import measure_apart
from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.plots import COLOURS, plain_axes
from parte.experiments.scenarios import SCENARIOS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Json = Any
MATRIX, SPEED = "matrix", "speed"
RECORDED = Path(conformance.engines.__file__).parent / "reports"
AGREES = "agrees"


@dataclass(frozen=True, slots=True)
class Parameters:
    """Which engines run the suite here (`every` n-th case of it) and which the traces of so many transfers between so
    many accounts, each for at most `budget` seconds."""

    suite: tuple[str, ...] = ("algebra", "indexed", "sound", "published", "rudimentary", "duckdb")
    every: int = 1
    engines: tuple[str, ...] = ("sound", "indexed", "duckdb", "spark", "clips", "drools", "flink")
    transfers: int = 100_000
    accounts: int = 10_000
    budget: int = 60
    seed: int = 1


def _units(parameters: Parameters) -> list[Unit]:
    units: list[Unit] = [{"part": MATRIX, "engine": engine, "scenario": ""} for engine in parameters.suite]
    return units + [
        {"part": SPEED, "engine": engine, "scenario": name} for name in SCENARIOS for engine in parameters.engines
    ]


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    engine = str(unit["engine"])
    if unit["part"] == MATRIX:
        return _matrix_of(engine, parameters.every)
    request = {
        "engine": engine,
        "scenario": unit["scenario"],
        "transfers": parameters.transfers,
        "accounts": parameters.accounts,
        "seed": parameters.seed,
    }
    return [measure_apart(request, parameters.budget)]


def _matrix_of(engine: str, every: int) -> list[Row]:
    cases = [prepare(case) for case in list(load_suite().cases.values())[::every]]
    run = run_engine(spec_of(f"model:{engine}"), cases)
    counts: dict[tuple[str, str], int] = {}
    for result in run.results:
        key = result.profile, result.verdict.value
        counts[key] = counts.get(key, 0) + 1
    return [
        {"profile": profile, "verdict": verdict, "cases": number}
        for (profile, verdict), number in sorted(counts.items())
    ]


# --- What it shows ---------------------------------------------------------------------------------------------------


def _present(parameters: Parameters, rows: pd.DataFrame) -> Presentation:
    tables = [
        Table("Cases of the suite: passed / all others", _matrix(rows), MATRIX_NOTE),
        *(Table(f"Speed: {name}", _speed(rows, name, parameters.transfers), SPEED_NOTE) for name in SCENARIOS),
    ]
    plot = Plot("engines", "Transfers a second, of the runs whose matches agree.", _Drawn(parameters, rows).figure)
    return Presentation(tables, [plot], _answer(parameters, rows))


MATRIX_NOTE = (
    "Others are failures, errors, timeouts and cases that an engine does not support. Engines marked with * were run "
    "apart, with what `parte conform` recorded of it; [engines.md](../../engines.md) explains each of their failures."
)
SPEED_NOTE = (
    "Every engine gets the same trace through the protocol of the kit, in memory, and its matches are compared with "
    "those of the indexed evaluator. Starting the engine and loading the program are not counted; for Spark, its first "
    "query is."
)


def _matrix(rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    found: dict[str, dict[str, str]] = {}
    mine = rows[rows["part"] == MATRIX]
    for engine, group in mine.groupby("engine", sort=False):
        for profile, of_profile in group.groupby("profile"):
            passed = int(of_profile[of_profile["verdict"] == Verdict.PASS.value]["cases"].sum())
            cell = f"{passed} / {int(of_profile['cases'].sum()) - passed}"
            found.setdefault(str(profile), {})[str(engine)] = cell
    for label, counts in recorded().items():
        for profile, verdicts in counts.items():
            passed = verdicts.get(Verdict.PASS.value, 0)
            found.setdefault(profile, {})[f"{label}*"] = f"{passed} / {sum(verdicts.values()) - passed}"
    return pd.DataFrame([{"profile": profile, **cells} for profile, cells in sorted(found.items())], dtype=object)


def recorded() -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    """For each foreign engine the counts of its last recorded run, by profile and verdict."""
    files = sorted(RECORDED.glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8"))["counts"] for path in files}


def _speed(rows: pd.DataFrame, name: str, transfers: int) -> pd.DataFrame:
    import pandas as pd

    mine = rows[(rows["part"] == SPEED) & (rows["scenario"] == name)]
    fastest = mine[mine["status"] == AGREES]["seconds"].min()
    lines = []
    for row in mine.to_dict("records"):
        line: dict[str, object] = {"engine": row["engine"], "result": row["status"]}
        if row.get("seconds") == row.get("seconds") and row.get("seconds") is not None:
            line |= {
                "matches": int(row["matches"]),
                "seconds": row["seconds"],
                "transfers/s": round(transfers / row["seconds"]),
                "times the fastest": row["seconds"] / fastest,
            }
        lines.append(line)
    return pd.DataFrame(lines, dtype=object)


@dataclass(frozen=True, slots=True)
class _Drawn:
    parameters: Parameters
    rows: pd.DataFrame

    def figure(self) -> Figure:
        figure, axes = plain_axes()
        mine = self.rows[(self.rows["part"] == SPEED) & (self.rows["status"] == AGREES)]
        engines = [engine for engine in self.parameters.engines if engine in set(mine["engine"])]
        for number, name in enumerate(SCENARIOS):
            of_name = mine[mine["scenario"] == name].set_index("engine")["seconds"]
            shown = [engine for engine in engines if engine in of_name.index]
            places = [engines.index(engine) + (number - 1) * 0.27 for engine in shown]
            heights = [self.parameters.transfers / of_name[engine] for engine in shown]
            axes.bar(places, heights, width=0.25, color=COLOURS[number], label=name)
        axes.set_yscale("log")
        axes.set_xticks(range(len(engines)), engines)
        axes.set(ylabel="transfers a second")
        axes.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
        return figure


def _answer(parameters: Parameters, rows: pd.DataFrame) -> str:
    matrix = rows[rows["part"] == MATRIX]
    whole = [
        str(engine)
        for engine, group in matrix.groupby("engine", sort=False)
        if set(group["verdict"]) == {Verdict.PASS.value}
    ]
    sentences = [f"Of the engines that ran the suite here, {_listed(whole)} pass every case."]
    speed = rows[rows["part"] == SPEED]
    for name in SCENARIOS:
        mine = speed[speed["scenario"] == name]
        agreeing = mine[mine["status"] == AGREES].sort_values("seconds")
        others = [str(engine) for engine in mine[mine["status"] != AGREES]["engine"]]
        ranked = ", ".join(
            f"{row['engine']} {parameters.transfers / row['seconds']:,.0f}" for row in agreeing.to_dict("records")
        )
        rest = f"; without an agreeing result: {', '.join(others)}" if others else ""
        sentences.append(f"{name}, transfers a second: {ranked or 'none'}{rest}.")
    return " ".join(sentences)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


ENGINES = Experiment(
    name="engines",
    title="Which engines agree, and how fast they are",
    question="Which engines find exactly the matches that the reference defines, and how many transfers a second does "
    "each take on the driver scenarios A, B and C?",
    data="The conformance suite; and a trace of transfers drawn from the seed, evenly over 60 days and over the "
    "accounts, with amounts from a small set, half of all routes uncommon, and for scenario C claimed refunds. "
    "Engines that need an environment of their own are run by the Python that `PARTE_PYTHON_FLINK`, names, say.",
    scales={
        Scale.SMALL: Parameters(
            suite=("indexed", "duckdb"), every=40, engines=("sound", "indexed"), transfers=500, accounts=50
        ),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(budget=1_800),
    },
    units=_units,
    measure=_measure,
    present=_present,
    # How many cases there are changes with the suite.
    clocked=frozenset({"seconds", "cases"}),
    alone=True,
)
