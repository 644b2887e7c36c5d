"""Experiment `engines`: the conformance matrix, and the speed of each engine on the driver scenarios."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from parte.conformance.kit import KIT
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import run_engine
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite
from parte.experiments.engines.climbing import AGREES, CHEAPER, Climb, climbed
from parte.experiments.engines.speed import WARMING
from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.plots import COLOURS, plain_axes
from parte.experiments.scenarios import SCENARIOS
from parte.languages.partelang import PARTELANG

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MATRIX, SPEED = "matrix", "speed"
RECORDED = PARTELANG[KIT].recorded / "reports"


@dataclass(frozen=True, slots=True)
class Parameters:
    """The engines that run the suite here (every `every`-th case of it), and the engines that run the traces.

    Each trace has a number of `transfers`, in ascending order, `per_account` to an account, and at most `budget`
    seconds.
    """

    suite: tuple[str, ...] = ("algebra", "indexed", "sound", "published", "rudimentary", "duckdb")
    every: int = 1
    engines: tuple[str, ...] = ("sound", "indexed", "duckdb", "spark", "clips", "drools", "flink")
    transfers: tuple[int, ...] = (1_000, 10_000, 100_000)
    per_account: int = 10
    budget: int = 30
    seed: int = 1


def _units(parameters: Parameters) -> list[Unit]:
    # All sizes of a scenario are one unit: the engine is started once, and each size decides whether the next is
    # tried.
    units: list[Unit] = [{"part": MATRIX, "engine": engine, "scenario": ""} for engine in parameters.suite]
    return units + [
        {"part": SPEED, "engine": engine, "scenario": name} for name in SCENARIOS for engine in parameters.engines
    ]


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    engine = str(unit["engine"])
    if unit["part"] == MATRIX:
        return _matrix_of(engine, parameters.every)
    return climbed(
        Climb(
            engine,
            str(unit["scenario"]),
            tuple(sorted(parameters.transfers)),
            parameters.per_account,
            parameters.seed,
            parameters.budget,
        )
    )


def _matrix_of(engine: str, every: int) -> list[Row]:
    cases = [prepare(case, PARTELANG) for case in list(load_suite(PARTELANG).cases.values())[::every]]
    run = run_engine(spec_of(f"model:{engine}", PARTELANG[KIT].engines()), cases)
    counts: dict[tuple[str, str], int] = {}
    for result in run.results:
        key = result.profile, result.verdict.value
        counts[key] = counts.get(key, 0) + 1
    return [
        {"profile": profile, "verdict": verdict, "cases": number}
        for (profile, verdict), number in sorted(counts.items())
    ]


# --- Presentation
# ------------------------------------------------------------------------------------------------------


def _present(parameters: Parameters, rows: pd.DataFrame) -> Presentation:
    # If nothing agrees, no row has these columns.
    rows = rows.reindex(columns=list(dict.fromkeys([*rows.columns, "transfers", "matches", "seconds"])))
    tables = [
        Table("Cases of the suite: passed / all others", _matrix(rows), MATRIX_NOTE),
        *(Table(f"Speed: {name}", _speed(rows, name), _note(parameters)) for name in SCENARIOS),
    ]
    plot = Plot("engines", PLOT_NOTE, partial(_figure, parameters, rows))
    return Presentation(tables, [plot], _answer(parameters, rows))


PLOT_NOTE = (
    "Transfers a second of the largest trace that each engine finished with the right matches; its size is written "
    "over the bar where it is not the largest of all."
)
MATRIX_NOTE = (
    "Others are failures, errors, timeouts and cases that an engine does not support. Engines marked with * were run "
    "apart, with what `parte conform` recorded of it; [engines.md](../../engines.md) explains each of their failures."
)


def _note(parameters: Parameters) -> str:
    return (
        "Every engine gets the same traces through the protocol of the kit, in memory, except Spark, which reads them "
        "from a Parquet file; its matches are compared with those of the indexed evaluator. Starting the engine (with "
        f"a first run of {WARMING} transfers) and loading the program are not counted. Each climbs from the smallest "
        f"trace to the largest until one takes longer than {parameters.budget} s; the line is that of the largest "
        "trace that it finished, and `beyond` says why there is none larger. A trace is not tried if it would take "
        f"longer even though each further transfer took only 1/{CHEAPER} of what the last ones did."
    )


def _matrix(rows: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    cells_by_profile: dict[str, dict[str, str]] = {}
    matrix_rows = rows[rows["part"] == MATRIX]
    for engine, group in matrix_rows.groupby("engine", sort=False):
        for profile, of_profile in group.groupby("profile"):
            passed = int(of_profile[of_profile["verdict"] == CaseVerdict.PASS.value]["cases"].sum())
            cell = f"{passed} / {int(of_profile['cases'].sum()) - passed}"
            cells_by_profile.setdefault(str(profile), {})[str(engine)] = cell
    for label, counts in recorded().items():
        for profile, verdicts in counts.items():
            passed = verdicts.get(CaseVerdict.PASS.value, 0)
            cells_by_profile.setdefault(profile, {})[f"{label}*"] = f"{passed} / {sum(verdicts.values()) - passed}"
    return pd.DataFrame(
        [{"profile": profile, **cells} for profile, cells in sorted(cells_by_profile.items())], dtype=object
    )


def recorded() -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    """Return the counts of the last recorded run of each foreign engine, by profile and verdict."""
    files = sorted(RECORDED.glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8"))["counts"] for path in files}


def _speed(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    import pandas as pd

    largest = _largest(rows, name)
    most = largest["transfers"].max()
    fastest = largest[largest["transfers"] == most]["seconds"].min()
    scenario_rows = _of_scenario(rows, name)
    lines = []
    for engine in scenario_rows["engine"].unique():
        line: dict[str, object] = {"engine": engine}
        for row in largest[largest["engine"] == engine].to_dict("records"):
            line |= {
                "transfers": int(row["transfers"]),
                "matches": int(row["matches"]),
                "seconds": row["seconds"],
                "transfers/s": round(row["transfers"] / row["seconds"]),
            }
            if row["transfers"] == most:
                line["times the fastest"] = row["seconds"] / fastest
        for row in scenario_rows[(scenario_rows["engine"] == engine) & (scenario_rows["status"] != AGREES)].to_dict(
            "records"
        ):
            line["beyond"] = f"{int(row['transfers']):,}: {row['status']}"
        lines.append(line)
    columns = ["engine", "transfers", "matches", "seconds", "transfers/s", "times the fastest", "beyond"]
    frame = pd.DataFrame(lines, columns=columns, dtype=object)
    return frame if frame["beyond"].notna().any() else frame.drop(columns="beyond")


def _of_scenario(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    return rows[(rows["part"] == SPEED) & (rows["scenario"] == name)]


def _largest(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return, for each engine, the row of the largest trace that it finished with the right matches."""
    agreeing = _of_scenario(rows, name)
    agreeing = agreeing[agreeing["status"] == AGREES].sort_values("transfers", kind="stable")
    return agreeing.drop_duplicates("engine", keep="last")


def _figure(parameters: Parameters, rows: pd.DataFrame) -> Figure:
    figure, axes = plain_axes()
    engines, most = parameters.engines, max(parameters.transfers)
    for number, name in enumerate(SCENARIOS):
        largest = _largest(rows, name).to_dict("records")
        places = [engines.index(row["engine"]) + (number - 1) * 0.27 for row in largest]
        heights = [row["transfers"] / row["seconds"] for row in largest]
        axes.bar(places, heights, width=0.25, color=COLOURS[number], label=name)
        for row, place, height in zip(largest, places, heights, strict=True):
            if row["transfers"] < most:
                axes.annotate(
                    f"{int(row['transfers']):,}",
                    (place, height),
                    xytext=(0, 2),
                    textcoords="offset points",
                    ha="center",
                    va="bottom",
                    rotation=90,
                    fontsize="x-small",
                )
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
        if set(group["verdict"]) == {CaseVerdict.PASS.value}
    ]
    sentences = [f"Of the engines that ran the suite here, {_listed(whole)} pass every case."]
    most = max(parameters.transfers)
    for name in SCENARIOS:
        largest = _largest(rows, name)
        speeds = [
            (row["transfers"] / row["seconds"], str(row["engine"]), int(row["transfers"]))
            for row in largest.to_dict("records")
        ]
        ranked = ", ".join(
            f"{engine} {speed:,.0f}" + (f" (of {count:,})" if count < most else "")
            for speed, engine, count in sorted(speeds, reverse=True)
        )
        others = [
            engine for engine in _of_scenario(rows, name)["engine"].unique() if engine not in set(largest["engine"])
        ]
        rest = f"; without an agreeing result: {', '.join(others)}" if others else ""
        sentences.append(f"{name}, transfers a second over {most:,} transfers: {ranked or 'none'}{rest}.")
    return " ".join(sentences)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


ENGINES = Experiment(
    name="engines",
    title="Which engines agree, and how fast they are",
    question="Which engines find exactly the matches that the reference defines, and how many transfers a second does "
    "each take on the driver scenarios A, B and C?",
    data="The conformance suite; and traces of transfers drawn from the seed, evenly over 60 days and over the "
    "accounts, `per_account` to each, with amounts from a small set, half of all routes uncommon, and for scenario C "
    "claimed refunds. Engines that need an environment of their own are run by the Python that `PARTE_PYTHON_FLINK`, "
    "say, names.",
    scales={
        Scale.SMALL: Parameters(
            suite=("indexed", "duckdb"), every=40, engines=("sound", "indexed"), transfers=(100, 500), budget=120
        ),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(budget=1_800),
    },
    units=_units,
    measure=_measure,
    present=_present,
    # The number of cases changes with the suite.
    clocked=frozenset({"seconds", "cases"}),
    alone=True,
)
