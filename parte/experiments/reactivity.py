"""Experiment `reactivity`: steps and time per event of `sound`, by length, rate and window (D §8.6)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checker.bounds import bounds
from checker.deployment import Deployment, Emits, Source
from parte.experiments.experiment import Experiment, Plot, Presentation, Row, Scale, Table, Unit
from parte.experiments.page import in_words, span
from parte.experiments.plots import COLOURS, MARKERS, plain_axes
from semantics.events.event import Arrival, Event
from semantics.events.promises import arrivals
from semantics.execution import execute
from semantics.machine import Machine
from semantics.rates import Rate
from semantics.schedules import settle
from semantics.syntax.elaborate import parse

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
"""Rules whose windows are yet to be filled in; `k` has as many values as the parameters say."""

LENGTH, RATE, WINDOW = "length", "rate", "window"
SAME = 1.05
"""Fewer times the steps than this count as no more."""

WARMED_UP = 2
"""The steps of single events count from this many windows after the start on."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Every sweep changes one of the three and keeps the others: events of the trace, milliseconds between two events
    of a template, milliseconds of the window. `keys` is how many values the attribute has that some rules join on."""

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
    program = parse(TEMPLATES + PROGRAMS[str(unit["program"])].replace("{w}", str(window)))
    templates = sorted({pattern.template for rule in program.rules for pattern in rule.patterns})
    fed = arrivals(_trace(templates, events, period, parameters.keys))
    report = bounds(program, Deployment((Source("s", tuple(Emits(name, Rate(1, period)) for name in templates)),)))
    watching = Watching()
    execution = execute(program, fed, schedule=watching)
    seconds = min(_seconds(lambda: execute(program, fed)) for _ in range(parameters.repetitions))
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
            "µs per step": 1e6 * seconds / execution.steps,
        }
    ]


def _trace(templates: Sequence[str], count: int, period: int, keys: int) -> tuple[Event, ...]:
    """Events of the templates in turn, all sent at the same moments, as often as the rate allows."""
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
    """Lets events arrive one by one, and notes how many steps each has caused when no step is possible any more."""

    steps: list[int] = field(default_factory=list)
    name: str = "watching"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take steps until none is possible."""
        settle(machine, range(len(machine.queues)))
        for arrival in arrivals:
            before = _taken(machine)
            settle(machine, (machine.feed(arrival),))
            if arrival.event is not None:
                self.steps.append(_taken(machine) - before)


def _taken(machine: Machine) -> int:
    return machine.steps if machine.quick is None else machine.quick.steps


# --- What it shows ---------------------------------------------------------------------------------------------------

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
    plots = [Plot(f"reactivity-{sweep}", _caption(sweep), _Drawn(sweep, rows).figure) for sweep in CHANGED]
    return Presentation(tables, plots, _answer(rows))


def _caption(sweep: str) -> str:
    return f"Steps per event by {AXES[sweep]}: measured (solid), and the checker's bound for the long run (dashed)."


@dataclass(frozen=True, slots=True)
class _Drawn:
    sweep: str
    rows: pd.DataFrame

    def figure(self) -> Figure:
        figure, axes = plain_axes()
        mine = self.rows[self.rows["sweep"] == self.sweep]
        for number, (program, group) in enumerate(mine.groupby("program", sort=False)):
            x = group[CHANGED[self.sweep]]
            colour, marker = COLOURS[number], MARKERS[number]
            axes.loglog(x, group["steps per event"], label=str(program), color=colour, marker=marker, markersize=4)
            axes.loglog(x, group["in the long run, at most"], color=colour, linestyle="--", linewidth=0.9)
        axes.loglog([], [], color="#000000", linestyle="--", linewidth=0.9, label="the checker's bound")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.set_minor_formatter("{x:,.0f}")
        ticks = sorted(set(mine[CHANGED[self.sweep]]))
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], minor=False)
        axes.tick_params(axis="x", which="minor", labelbottom=False)
        axes.set(xlabel=AXES[self.sweep], ylabel="steps per event")
        axes.legend(fontsize="small", frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return figure


def _answer(rows: pd.DataFrame) -> str:
    by_length = rows[rows["sweep"] == LENGTH]
    steps, times = [], []
    for _, group in by_length.groupby("program"):
        ordered = group.sort_values("events")
        steps.append(ordered["steps per event"].iloc[-1] / ordered["steps per event"].iloc[0])
        times.append(ordered["µs per event"].iloc[-1] / ordered["µs per event"].iloc[0])
    longer = by_length["events"].max() / by_length["events"].min()
    known = rows.dropna(subset=["worst case of one event"])
    reached = known["steps of the costliest event"] / known["worst case of one event"]
    mean = rows["steps per event"] / rows["in the long run, at most"]
    within = (reached <= 1).all() and (mean <= 1).all()
    verdict = "No run exceeds" if within else "**Some run exceeds**"
    grows = "does not grow" if max(steps) < SAME else "**grows**"
    return (
        f"The work for an event {grows} with the trace: in traces {in_words(longer)} times as long, an event takes "
        f"{span(min(steps), max(steps))} times the steps and {span(min(times), max(times))} times the time (short "
        "traces begin with empty histories). By rate and window it grows with the number of matches: see the tables. "
        f"{verdict} the checker's bounds: the costliest event reaches {span(reached.min(), reached.max())} of the "
        f"worst case of one event, and the mean {span(mean.min(), mean.max())} of that of the long run."
    )


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
)
