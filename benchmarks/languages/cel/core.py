"""The claims about CORE, counted: `python -m benchmarks.languages.cel.core [MOST_EVENTS] [PLOT]`.

Between two results of an event, and before its first, the machine enters a number of nodes that D alone bounds,
however long the stream is (CORE/DELAY); and the live nodes depend on the window (CORE/FORGET). A second table is about
DCORE: with several processes, the first result of a share costs as much as all results that the process skips (defect
26). The unit is nodes, not seconds: the figures are the same on every machine. PLOT is the path of a drawing (`.svg`
and `.png`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import mean
from typing import TYPE_CHECKING

from benchmarks.measuring import show, up_to
from parte.languages.cel.semantics.evaluation import live
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.event import Event

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUERIES = (
    "A; B WITHIN 50 EVENTS",
    "A+; B WITHIN 8 EVENTS",
    "A; B+; C WITHIN 10 EVENTS",
    "((B; B) OR A OR B)+ WITHIN 4 EVENTS",
    "A; B; C WITHIN 60 MS",
    "(A OR B)+ WITHIN 12 MS",
)
TYPES = "ABCDD"
GAPS = (0, 1, 2, 3, 4)
"""Milliseconds between events."""
LENGTHS = (1_000, 10_000, 100_000)
SMALLEST = ("1000",)
BOUND = 4
"""Nodes for each event of a result, and for its start."""
SAMPLED = 7
"""Live nodes are counted after each so many events."""

PREFIXES = (25, 50, 100, 200, 400, 800, 1_600)
PROCESSES = 4


@dataclass(slots=True)
class Delay:
    """The most nodes for each event of a result and its start, and the nodes that were live since the last length."""

    results: int = 0
    first: float = 0.0
    between: float = 0.0
    live: tuple[int, ...] = ()


def stream(count: int) -> Iterator[Event]:
    """Yield events of random types and times, the same ones each time."""
    rng, time = Random(15), 0
    for position in range(count):
        time += rng.choice(GAPS)
        yield Event(f"e{position}", rng.choice(TYPES), time, {})


def delays(text: str, lengths: tuple[int, ...]) -> list[Delay]:
    """Return the delays of a query on the first events of the stream, for each of these lengths."""
    machine, seen = Machine(parse(f"SELECT * WHERE {text}")), Delay()
    snapshots, late = list[Delay](), list[int]()
    for count, event in enumerate(stream(max(lengths)), 1):
        before, first = machine.visited, True
        for result in machine.results(event):
            visits = (machine.visited - before) / (len(result.positions) + 1)
            if first:
                seen.first = max(seen.first, visits)
            else:
                seen.between = max(seen.between, visits)
            seen.results += 1
            before, first = machine.visited, False
        if count % SAMPLED == 0:
            late.append(sum(1 for substream in machine.substreams.values() for _ in live(substream.evaluation)))
        if count in lengths:
            snapshots.append(replace(seen, live=tuple(late)))
            late.clear()
    return snapshots


def first_results(prefix: int, processes: int) -> list[tuple[int, int]]:
    """Return, for each process, the nodes before its first result of A; B on `prefix` As and a B, and all nodes."""
    events = [Event(f"e{position}", "A", position, {}) for position in range(prefix)]
    last = Event("b", "B", prefix, {})
    visits = []
    for index in range(processes):
        machine = Machine(parse("SELECT * WHERE A; B"), processes=processes, index=index)
        for event in events:
            machine.event(event)
        results = machine.results(last)
        next(results)
        first = machine.visited
        assert len(list(results)) + 1 == prefix // processes + (index < prefix % processes)
        visits.append((first, machine.visited))
    return visits


def plot(measured: dict[str, list[Delay]], lengths: tuple[int, ...]) -> Figure:
    """Return a figure of delays and live nodes by the length of the stream, and of the first results of the shares."""
    from parte.experiments.plots import COLOURS, MARKERS, log_ticks, panels

    figure, (left, middle, right) = panels(3, shared=False)
    for text, colour, marker in zip(measured, COLOURS, MARKERS, strict=False):
        most = [max(delay.first, delay.between) for delay in measured[text]]
        left.plot(lengths, most, color=colour, marker=marker, label=text)
        middle.plot(lengths, [mean(delay.live) for delay in measured[text]], color=colour, marker=marker)
    left.axhline(BOUND, color="black", linestyle="--", linewidth=1, label="the bound")
    left.set(xscale="log", ylim=(0, BOUND + 0.5), ylabel="most nodes entered for a result\nby |D| + 1")
    middle.set(xscale="log", ylabel="nodes live, mean")
    middle.set_ylim(bottom=0)
    for axes in (left, middle):
        axes.set_xlabel("events")
        log_ticks(axes.xaxis, lengths)
    shares = [first_results(prefix, PROCESSES) for prefix in PREFIXES]
    for index in range(PROCESSES):
        firsts = [delay[index][0] for delay in shares]
        right.plot(PREFIXES, firsts, color=COLOURS[index], marker=MARKERS[index], label=f"process {index}")
    right.axhline(BOUND * 3, color="black", linestyle="--", linewidth=1, label="the bound, D of two")
    right.set(xscale="log", yscale="log", xlabel="n in A;B on Aⁿ B", ylabel="nodes before the first result")
    log_ticks(right.xaxis, PREFIXES[::2])
    log_ticks(right.yaxis)
    right.legend(fontsize=7)
    figure.legend(*left.get_legend_handles_labels(), loc="lower right", bbox_to_anchor=(0.98, 0.12), fontsize=8)
    return figure


def main(most: int = max(LENGTHS), drawing: Path | None = None) -> None:
    """Print both tables, of streams up to `most` events, and draw them if there is a path for that."""
    lengths = tuple(up_to(most, LENGTHS))
    measured = {text: delays(text, lengths) for text in QUERIES}
    rows = list[tuple[str, ...]]()
    for text, snapshots in measured.items():
        for length, delay in zip(lengths, snapshots, strict=True):
            assert max(delay.first, delay.between) <= BOUND
            figures = (f"{delay.results:,}", f"{delay.first:.2f}", f"{delay.between:.2f}")
            rows.append((text, f"{length:,}", *figures, f"{mean(delay.live):.1f}", f"{max(delay.live):,}"))
    columns: tuple[str, ...]
    columns = ("query", "events", "results", "before the first", "between two", "live nodes", "most")
    show(f"Most nodes that are entered for a result, by |D| + 1: at most {BOUND}", columns, rows)
    rows = []
    for prefix in PREFIXES:
        shares = first_results(prefix, PROCESSES)
        (alone,) = first_results(prefix, 1)
        firsts = (f"{first:,}" for first, _ in (alone, *shares))
        rows.append((f"{prefix:,}", *firsts, f"{max(every for _, every in shares):,}", f"{alone[1]:,}"))
    names = (f"process {index}" for index in range(PROCESSES))
    columns = ("n", "alone", *names, "all, most", "all, alone")
    show(f"A;B on Aⁿ B: nodes before the first result, alone and of {PROCESSES} processes", columns, rows)
    if drawing is not None:
        from parte.experiments.page import save

        save(plot(measured, lengths), drawing)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else max(LENGTHS), Path(sys.argv[2]) if sys.argv[2:] else None)
