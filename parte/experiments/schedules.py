"""Experiment `schedules`: the frequency with which `published` loses matches or blocks, and the defects that cause it.

Specification: repairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from parte.algebra.partelang.programs import run
from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.page import span
from parte.experiments.plots import COLOURS, plain_axes
from parte.semantics.events.differences import differences
from parte.semantics.events.event import Arrival, Event, TraceItem
from parte.semantics.events.match import Match
from parte.semantics.events.rates import Rate, Supply
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.execution import execute, network_of
from parte.semantics.partelang.repairs import PUBLISHED, SOUND, Repairs, repair_names
from parte.semantics.partelang.retention import retention
from parte.semantics.partelang.schedules import Schedule, schedule_of
from parte.semantics.partelang.sizes import prescribed_capacities, viable_capacities
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.spark_adapter.traces.random import Recipe, random_case

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

BY_TIME, IN_ORDER, OUT_OF_ORDER = "all by time", "each source in order", "out of order"
ORDERS = (BY_TIME, IN_ORDER, OUT_OF_ORDER)
"""The orders of arrival: by timestamp; each source and template by timestamp, with sources at any speed; and events
that overtake each other as far as progress lines allow."""

UNLIMITED, PRESCRIBED = "unlimited", "prescribed"
"""The sizes of the histories: without a limit, or those that the model prescribes for the rates of the trace."""

SIZES = (UNLIMITED, PRESCRIBED)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The numbers of random cases and of their sources, in units of `block`; of random and adversarial schedules."""

    cases: int = 100
    sources: tuple[int, ...] = (1, 2, 3)
    seeds: int = 1
    events: int = 8
    block: int = 10
    seed: int = 1


def _units(parameters: Parameters) -> list[Unit]:
    return [
        {"sources": sources, "first case": first}
        for sources in parameters.sources
        for first in range(0, parameters.cases, parameters.block)
    ]


@dataclass(frozen=True, slots=True)
class Trial:
    """A case under one schedule and one choice of sizes, for a run of any model."""

    scenario: Scenario[core.Program]
    truth: tuple[Match, ...]
    schedule: Schedule
    sizes: str

    def outcome(self, model: Model) -> tuple[bool, bool, bool]:
        """Return whether a model loses a match, whether it finds a wrong one, and whether it blocks."""
        execution = execute(self.scenario, model=model, schedule=self.schedule, capacities=self.capacities(model))
        lost, spurious = differences(self.truth, execution.matches, Match.to_json)
        return bool(lost), bool(spurious), execution.blocked is not None

    def fails(self, model: Model) -> bool:
        """Return whether the result of a model differs from the algebra's, or the model blocks."""
        return any(self.outcome(model))

    def capacities(self, model: Model) -> Capacities:
        """Return the sizes with which a model runs. Raise ValueError if it prescribes none."""
        if self.sizes == UNLIMITED:
            return UNBOUNDED
        supplies = supplies_of(self.scenario.arrivals)
        network = network_of(self.scenario, model)
        if Repairs.of(model).retention_sizes:
            return viable_capacities(retention(network, supplies).needs)
        return prescribed_capacities(network, {pair: supply.rate for pair, supply in supplies.items()}, model)


def supplies_of(fed: Sequence[Arrival]) -> dict[tuple[str, str], Supply]:
    """Return the rates and the lateness of a trace: the most events of one source, template and millisecond."""
    counts: dict[tuple[str, str], dict[int, int]] = {}
    latest: dict[tuple[str, str], int] = {}
    late: dict[tuple[str, str], int] = {}
    for arrival in fed:
        pair = arrival.source, arrival.template
        times = counts.setdefault(pair, {})
        if arrival.event is not None:
            time = arrival.event.timestamp
            times[time] = times.get(time, 0) + 1
            latest[pair] = max(latest.get(pair, time), time)
            late[pair] = max(late.get(pair, 0), latest[pair] - arrival.bound)
    return {pair: Supply(Rate(max(times.values(), default=1), 1), late.get(pair, 0)) for pair, times in counts.items()}


def arranged(items: Sequence[TraceItem], order: str) -> tuple[TraceItem, ...]:
    """Return the events of a trace in one of the `ORDERS`; the trace itself has them out of order."""
    if order == OUT_OF_ORDER:
        return tuple(items)
    events = [item for item in items if isinstance(item, Event)]
    by_time = sorted(events, key=lambda event: event.timestamp)
    if order == BY_TIME:
        return tuple(by_time)
    waiting = {pair: [event for event in by_time if (event.source, event.template) == pair] for pair in _pairs(events)}
    return tuple(waiting[event.source, event.template].pop(0) for event in events)


def _pairs(events: Sequence[Event]) -> set[tuple[str, str]]:
    return {(event.source, event.template) for event in events}


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    sources, first = int(unit["sources"] or 0), int(unit["first case"] or 0)
    recipe = Recipe(seed=parameters.seed, per_program=1, events=parameters.events, sources=sources)
    rows: dict[tuple[str, str, str], dict[str, int]] = {}
    for number in range(first, min(first + parameters.block, parameters.cases)):
        case = random_case(recipe, number)
        for order in ORDERS:
            items = arranged(case.items, order)
            for trial in trials(case.program, items, parameters.seeds):
                row = rows.setdefault((order, trial.schedule.name, trial.sizes), dict.fromkeys(COLUMNS, 0))
                for column in _findings(trial):
                    row[column] += 1
    return [
        {"order": order, "schedule": schedule, "sizes": sizes, **row} for (order, schedule, sizes), row in rows.items()
    ]


def trials(program: core.Program, items: Sequence[TraceItem], seeds: int) -> Iterator[Trial]:
    """Yield a case under every schedule and with both sizes."""
    scenario = Scenario.of(program, items)
    truth = run(program, items).matches
    schedules = [schedule_of("round-robin")]
    schedules += [schedule_of(name, seed) for name in ("random", "adversarial") for seed in range(seeds)]
    for schedule, sizes in product(schedules, SIZES):
        yield Trial(scenario, truth, schedule, sizes)


RUNS, UNSIZED, FAILED, LOST, SPURIOUS, BLOCKED = "runs", "no size", "failed", "lost", "spurious", "blocked"
SOUND_FAILED = "sound failed"


def _columns() -> tuple[str, ...]:
    names = repair_names()
    causes = [f"{way} {name}" for way in ("mended by", "needs", "broken without") for name in names]
    return (RUNS, UNSIZED, FAILED, LOST, SPURIOUS, BLOCKED, SOUND_FAILED, *causes)


COLUMNS = _columns()


def _findings(trial: Trial) -> Iterator[str]:
    """Yield the columns in which one run counts."""
    if trial.sizes == PRESCRIBED:
        try:
            trial.capacities(PUBLISHED)
            trial.capacities(SOUND)
        except ValueError:
            yield UNSIZED
            return
    yield RUNS
    if trial.fails(SOUND):
        yield SOUND_FAILED
    failures = trial.outcome(PUBLISHED)
    yield from (column for column, holds in zip((LOST, SPURIOUS, BLOCKED), failures, strict=True) if holds)
    if not any(failures):
        return
    yield FAILED
    for name in repair_names():
        if not trial.fails(PUBLISHED.repaired(name)):
            yield f"mended by {name}"
        if trial.fails(SOUND.without(name)):
            yield f"broken without {name}"
    yield from (f"needs {name}" for name in enough(trial))


def enough(trial: Trial) -> tuple[str, ...]:
    """Return repairs of `published` under which a trial no longer fails, none of which can be left out.

    If there is a choice, those of the last defects are left out first. Empty if `sound` fails too.
    """
    repairs = repair_names()
    if trial.fails(SOUND):
        return ()
    for name in reversed(repairs):
        fewer = tuple(repair for repair in repairs if repair != name)
        if not trial.fails(PUBLISHED.repaired(*fewer)):
            repairs = fewer
    return repairs


# --- Presentation
# ------------------------------------------------------------------------------------------------------


def _present(_: Parameters, rows: pd.DataFrame) -> Presentation:
    tables = [
        Table("By sizes and order of arrival", _shares(rows, ["sizes", "order"]), SHARES),
        Table("By sizes and number of sources", _shares(rows, ["sizes", "sources"])),
        Table("By sizes and schedule", _shares(rows, ["sizes", "schedule"])),
        *(Table(f"Which defect is to blame, sizes {sizes}", _blame(rows, sizes), BLAME) for sizes in SIZES),
    ]
    plot = Plot(
        "schedules-blame", "Of the runs in which published fails, how many need each repair.", partial(_figure, rows)
    )
    return Presentation(tables, [plot], _answer(rows))


SHARES = (
    "Shares of the runs of `published`: it fails if it loses a match, finds one that is none, or stops with input "
    "left. Blocked runs usually lose matches too. `sound failed` counts the same runs of `sound`. Runs for which D's "
    "formula gives no size, because a rule reacts to what rules emit, are counted under `no size` and not made."
)
BLAME = (
    "Of the runs that fail. `this repair alone mends`: published with this repair does not fail. `needed`: the repair "
    "is in a set of repairs that mends the run, and from which none can be left out. `sound fails without it`: the "
    "defect alone shows in this run."
)


def _shares(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    sums = rows.groupby(by, sort=False)[list(COLUMNS)].sum().reset_index()
    shares = sums[[*by, RUNS]].copy()
    for column in (FAILED, LOST, SPURIOUS, BLOCKED):
        shares[f"{column}, %"] = 100 * sums[column] / sums[RUNS]
    shares[SOUND_FAILED] = sums[SOUND_FAILED]
    shares[UNSIZED] = sums[UNSIZED]
    return shares


def _blame(rows: pd.DataFrame, sizes: str) -> pd.DataFrame:
    import pandas as pd

    sums = rows[rows["sizes"] == sizes].sum(numeric_only=True)
    failed = max(1, sums[FAILED])
    return pd.DataFrame(
        [
            {
                "defect": number,
                "repair": name,
                **{f"{title}, %": 100 * sums[f"{way} {name}"] / failed for way, title in WAYS},
            }
            for number, name in enumerate(repair_names(), 1)
        ]
    )


WAYS = (("mended by", "this repair alone mends"), ("needs", "needed"), ("broken without", "sound fails without it"))


def _figure(rows: pd.DataFrame) -> Figure:
    figure, axes = plain_axes(height=5.0)
    names = repair_names()
    for offset, sizes in ((0.2, UNLIMITED), (-0.2, PRESCRIBED)):
        sums = rows[rows["sizes"] == sizes].sum(numeric_only=True)
        shares = [100 * sums[f"needs {name}"] / max(1, sums[FAILED]) for name in names]
        places = [len(names) - number + offset for number in range(len(names))]
        # The hatching distinguishes the bars without their colours.
        axes.barh(
            places,
            shares,
            height=0.38,
            label=f"{sizes} sizes",
            color=COLOURS[int(offset < 0)],
            hatch="///" if offset < 0 else None,
            edgecolor="#ffffff",
            linewidth=0,
        )
    axes.set_yticks(
        [len(names) - number for number in range(len(names))],
        [f"{number}. {name}" for number, name in enumerate(names, 1)],
    )
    axes.set(xlabel="% of the runs in which published fails")
    axes.legend(fontsize="small", frameon=False)
    return figure


def _answer(rows: pd.DataFrame) -> str:
    sentences = []
    for sizes in SIZES:
        by_order = _shares(rows[rows["sizes"] == sizes], ["order"]).set_index("order")
        shares = ", ".join(f"{by_order.loc[order, 'failed, %']:.0f} % {order}" for order in by_order.index)
        total = rows[rows["sizes"] == sizes].sum(numeric_only=True)
        sentences.append(
            f"With {sizes} sizes, `published` fails in {total[FAILED]:,} of {total[RUNS]:,} runs ({shares}); it loses "
            f"matches in {total[LOST]:,}, finds wrong ones in {total[SPURIOUS]:,} and blocks in {total[BLOCKED]:,}."
        )
        needed = sorted(repair_names(), key=lambda name: -total[f"needs {name}"])[:3]
        first = ", ".join(f"{name} ({100 * total[f'needs {name}'] / max(1, total[FAILED]):.0f} %)" for name in needed)
        mended = [100 * total[f"mended by {name}"] / max(1, total[FAILED]) for name in repair_names()]
        sentences.append(
            f"The repairs that are needed most often are {first}; one repair alone mends "
            f"{span(min(mended), max(mended))} % of the runs that fail."
        )
    # The rows say nothing about these defects.
    idle = [name for name in repair_names() if not rows[f"needs {name}"].sum()]
    if idle:
        sentences.append(f"No run needs {', '.join(idle)}.")
    sound = rows[SOUND_FAILED].sum()
    sentences.append(f"`sound` fails in {sound:,} of all {rows[RUNS].sum():,} runs.")
    return " ".join(sentences)


SCHEDULES = Experiment(
    name="schedules",
    title="How often the published rules fail, and why",
    question="The rules as D prints them lose matches and deadlock. How often does that happen in random programs and "
    "traces, how much depends on the schedule, on the order of arrival and on the number of sources, and which of the "
    "twelve defects is to blame?",
    data="Random valid programs of up to three rules and four patterns, and a trace of at most `events` events for "
    "each, all drawn from the seed. The same events arrive in three orders. The machine runs under round robin, and "
    "under random and adversarial schedules, with histories without a limit and with the sizes that each model "
    "prescribes. Each repair is a flag: "
    + "; ".join(f"*{name}*: {repair.text}" for name, repair in Repairs.declared().items())
    + ".",
    scales={
        Scale.SMALL: Parameters(cases=3, sources=(1, 3), block=3),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(cases=5_000, sources=(1, 2, 3, 4), seeds=4),
    },
    units=_units,
    measure=_measure,
    present=_present,
)
