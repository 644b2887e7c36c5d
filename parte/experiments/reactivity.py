"""Experiment `reactivity`: steps and time per event of `sound`, by length, rate and window (D §8.6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.page import in_words, span
from parte.experiments.plots import COLOURS, MARKERS, log_ticks, panels
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.rates import Rate
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.schedules import settle
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

TEMPLATES = "template A { k: Integer } template B { k: Integer } template C { k: Integer }\n"
PROGRAMS = {
    "pair": "rule R where a: A, b: B when b in a [0 ms, {w} ms] then",
    "pair with a key": "rule R where a: A, b: B { k = a.k } when b in a [0 ms, {w} ms] then",
    "three": "rule R where a: A, b: B, c: C when b in a [0 ms, {w} ms] c in a [0 ms, {w} ms] then",
    "three with a key": (
        "rule R where a: A, b: B { k = a.k }, c: C { k = a.k } when b in a [0 ms, {w} ms] c in a [0 ms, {w} ms] then"
    ),
    "negation": "rule R where a: A, no b: B { k = a.k, k >= 2 } when no b in a [0 ms, {w} ms] then",
}
"""Rules with placeholders for the windows; the parameters give the number of values of `k`."""

LENGTH, RATE, WINDOW = "length", "rate", "window"
SAME = 1.05
"""Numbers of steps that differ by a smaller factor count as equal."""

WARMED_UP = 2
"""The number of windows after which the steps of single events count; shorter traces are not compared with the
checker's bounds."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The sweeps, each of which changes one of three values and keeps the others.

    The values are the events of the trace, the milliseconds between two events of a template, and the milliseconds of
    the window. `keys` is the number of values of the attribute on which some rules join.
    """

    lengths: tuple[int, ...] = (2_000, 4_000, 8_000, 16_000, 32_000)
    periods: tuple[int, ...] = (32, 16, 8, 4)
    windows: tuple[int, ...] = (32, 64, 128, 256)
    length: int = 4_000
    period: int = 16
    window: int = 128
    keys: int = 5
    repetitions: int = 3


def _units(parameters: Parameters) -> list[Unit]:
    base = {"events": parameters.length, "period": parameters.period, "window": parameters.window}
    sweeps = [
        (LENGTH, "events", parameters.lengths),
        (RATE, "period", parameters.periods),
        (WINDOW, "window", parameters.windows),
    ]
    return [
        {"program": program, "sweep": sweep, **base, changed: value}
        for program in PROGRAMS
        for sweep, changed, values in sweeps
        for value in values
    ]


def _measure(parameters: Parameters, unit: Unit) -> Sequence[Row]:
    events, period, window = (int(unit[name] or 0) for name in ("events", "period", "window"))
    program = program_of(str(unit["program"]), window)
    templates = templates_of(program)
    scenario = Scenario.of(program, _trace(templates, events, period, parameters.keys))
    report = bounds(program, Deployment((Source("s", tuple(Emits(name, Rate(1, period)) for name in templates)),)))
    watching = Watching()
    # Steps are those of the global rules; the time is that of quick runs, which take fewer, and postpone some of
    # them.
    execution, quick = execute(scenario, schedule=watching, recorder=lambda _: None), execute(scenario)
    assert execution.steps is not None, "machines count"
    assert quick.steps is not None, "machines count"
    seconds = min(_seconds(lambda: execute(scenario)) for _ in range(parameters.repetitions))
    settled = watching.steps[len(templates) * WARMED_UP * window // period :] or watching.steps
    return [
        {
            "matches": len(execution.matches),
            "steps": execution.steps,
            "steps per event": execution.steps / events,
            "in the long run, at most": report.steps_per_second / report.arrivals_per_second,
            "steps of the costliest event": max(settled),
            "worst case of one event": report.worst_steps_per_event,
            "µs per event": 1e6 * seconds / events,
            "µs per step": 1e6 * seconds / quick.steps,
        }
    ]


def program_of(name: str, window: int) -> core.Program:
    """Return one of the `PROGRAMS`, with windows of so many milliseconds."""
    return parse(TEMPLATES + PROGRAMS[name].replace("{w}", str(window)))


def templates_of(program: core.Program) -> Sequence[str]:
    """Return the templates to which a program reacts, each once."""
    return sorted({pattern.template for rule in program.rules for pattern in rule.patterns})


def _trace(templates: Sequence[str], count: int, period: int, keys: int) -> tuple[Event, ...]:
    """Return events of the templates in turn, all sent at the same moments, as often as the rate allows."""
    return tuple(
        Event(
            f"e{n}", templates[n % len(templates)], n // len(templates) * period, {"k": n // len(templates) % keys}, "s"
        )
        for n in range(count)
    )


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@dataclass(slots=True)
class Watching:
    """A schedule that feeds events one by one and notes the steps of each when no step is possible any more."""

    steps: list[int] = field(default_factory=list)
    name: str = "watching"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take steps until none is possible."""
        settle(machine, range(len(machine.queues)))
        for arrival in arrivals:
            before = machine.steps_taken
            settle(machine, (machine.feed(arrival),))
            if arrival.event is not None:
                self.steps.append(machine.steps_taken - before)


# --- Presentation
# ------------------------------------------------------------------------------------------------------

CLOCKED = frozenset({"µs per event", "µs per step"})
CHANGED = {LENGTH: "events", RATE: "period", WINDOW: "window"}
AXES = {LENGTH: "events of the trace", RATE: "ms between two events of a template", WINDOW: "ms of the window"}


def _present(_: Parameters, rows: pd.DataFrame) -> Presentation:
    tables = [
        Table(
            f"By {AXES[sweep]}",
            rows[rows["sweep"] == sweep].drop(columns=["sweep", *(set(CHANGED.values()) - {CHANGED[sweep]})]),
        )
        for sweep in CHANGED
    ]
    plots = [Plot(f"reactivity-{sweep}", _caption(sweep), partial(_figure, sweep, rows)) for sweep in CHANGED]
    return Presentation(tables, plots, _answer(rows))


def _caption(sweep: str) -> str:
    return (
        f"Steps and time per event by {AXES[sweep]}: measured (solid), and the checker's bound for the long run "
        "(dashed), which is the same with and without a key."
    )


def _figure(sweep: str, rows: pd.DataFrame) -> Figure:
    figure, (steps, times) = panels(2, 4.0, shared=False)
    sweep_rows = rows[rows["sweep"] == sweep]
    bounds_drawn = set()
    for number, (program, group) in enumerate(sweep_rows.groupby("program", sort=False)):
        x, bound = group[CHANGED[sweep]], tuple(group["in the long run, at most"])
        style = {"color": COLOURS[number], "marker": MARKERS[number]}
        steps.loglog(x, group["steps per event"], label=str(program), markersize=4, **style)
        times.loglog(x, group["µs per event"], markersize=4, **style)
        if bound not in bounds_drawn:
            steps.loglog(x, bound, color=COLOURS[number], linestyle="--", linewidth=0.9)
        bounds_drawn.add(bound)
    steps.loglog([], [], color="#000000", linestyle="--", linewidth=0.9, label="the checker's bound")
    for axes, title in ((steps, "steps per event"), (times, "µs per event")):
        log_ticks(axes.xaxis, sorted(set(sweep_rows[CHANGED[sweep]])))
        log_ticks(axes.yaxis)
        axes.set_title(title, fontsize="medium")
    figure.supxlabel(AXES[sweep], fontsize="medium")
    figure.legend(loc="outside upper center", ncols=3, fontsize="small", frameon=False)
    return figure


def _answer(rows: pd.DataFrame) -> str:
    return " ".join((_by_length(rows[rows["sweep"] == LENGTH]), *_by_load(rows), _against_the_checker(rows)))


def _by_length(rows: pd.DataFrame) -> str:
    steps = _growth(rows, LENGTH, "steps per event")
    times = _growth(rows, LENGTH, "µs per event").values()
    longer = rows["events"].max() / rows["events"].min()
    if longer == 1:
        return "All traces of the first table are of one length, so nothing is said of longer ones."
    grows = "does not grow" if max(steps.values()) < SAME else "**grows**"
    return (
        f"The work for an event {grows} with the trace: in traces {in_words(longer)} times as long, an event takes "
        f"{span(min(steps.values()), max(steps.values()))} times the steps and {span(min(times), max(times))} times "
        "the time (short traces begin with empty histories)."
    )


def _by_load(rows: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence on how the work for an event grows with rate and window, for each program."""
    for sweep, words in ((RATE, "events come {} times as often"), (WINDOW, "windows are {} times as long")):
        values = rows[rows["sweep"] == sweep][CHANGED[sweep]]
        if values.nunique() == 1:
            continue
        growths = (_growth(rows, sweep, column) for column in ("steps per event", "µs per event"))
        steps, times = (
            ", ".join(f"{name} {in_words(float(f'{by:.3g}'))}" for name, by in growth.items()) for growth in growths
        )
        more = words.format(in_words(values.max() / values.min()))
        yield f"If {more}, the steps of an event are multiplied by: {steps}; its time by: {times}."


def _growth(rows: pd.DataFrame, sweep: str, column: str) -> dict[str, float]:
    """Return, for each program, the value at the greatest load of a sweep divided by that at the least."""
    growth = {}
    for program, group in rows[rows["sweep"] == sweep].groupby("program", sort=False):
        ordered = group.sort_values(CHANGED[sweep], ascending=sweep != RATE)[column]
        growth[str(program)] = float(ordered.iloc[-1] / ordered.iloc[0])
    return growth


def _against_the_checker(rows: pd.DataFrame) -> str:
    """Return how close the runs come to the checker's bounds, which hold in the long run: short traces do not count."""
    long = rows[
        [
            _warm(str(program), int(events), int(period), int(window))
            for program, events, period, window in zip(*(rows[name] for name in TRACE), strict=True)
        ]
    ]
    left_out = len(rows) - len(long)
    some, verb = ("1 run", "is") if left_out == 1 else (f"{left_out} runs", "are")
    note = f" {some} that {verb} shorter than {WARMED_UP} windows {verb} not compared." if left_out else ""
    if long.empty:
        return f"No run is as long as {WARMED_UP} windows, so none is compared with the checker's bounds."
    known = long.dropna(subset=["worst case of one event"])
    reached = known["steps of the costliest event"] / known["worst case of one event"]
    mean = long["steps per event"] / long["in the long run, at most"]
    within = (reached <= 1).all() and (mean <= 1).all()
    verdict = "No run exceeds" if within else "**Some run exceeds**"
    return (
        f"{verdict} the checker's bounds: the costliest event reaches {span(reached.min(), reached.max())} of the "
        f"worst case of one event, and the mean {span(mean.min(), mean.max())} of that of the long run.{note}"
    )


TRACE = ("program", "events", "period", "window")


def _warm(program: str, events: int, period: int, window: int) -> bool:
    """Return whether a trace is so long that the checker's bounds for the long run apply to it."""
    return events // len(templates_of(program_of(program, window))) * period >= WARMED_UP * window


REACTIVITY = Experiment(
    name="reactivity",
    title="What an event costs",
    question="D §8.6 claims that the work for an event is bounded, whatever came before it. How many steps does an "
    "event cost the sound machine, and how long do they take, as the trace, the rate and the window grow? How close "
    "do they come to the checker's worst case?",
    data="Nothing is drawn. One source sends an event of every template at the same moment, as often as the rate "
    "allows; the attribute that some rules join on takes its values in turn. Histories are unbounded in these runs. "
    "Each time is the least of several repetitions.",
    scales={
        Scale.SMALL: Parameters((200, 400), (16, 8), (32, 64), length=200, window=64, repetitions=1),
        Scale.DEFAULT: Parameters(),
        Scale.FULL: Parameters(
            (2_000, 8_000, 32_000, 128_000), (32, 16, 8, 4, 2), (32, 64, 128, 256, 512), repetitions=5
        ),
    },
    units=_units,
    measure=_measure,
    present=_present,
    clocked=CLOCKED,
    alone=True,
    varies=True,
)
