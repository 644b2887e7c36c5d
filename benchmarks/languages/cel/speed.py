"""Speed of the machine of CEL: `python -m benchmarks.languages.cel.speed [MOST_EVENTS [ROUNDS]]`.

Two tables. The first: a sequence of three types with a key and a window, as a PARTElang rule and as the query that
`parte translate` makes of it, on one log, after a check that both find the same. The second: the cost of an event,
which must not grow with the length of the stream; the ratio is to the shortest.

Other load on the machine slows some runs more than others. So each is measured `ROUNDS` (5) times, in turn with the
others of its row or table, in separate processes, and the median counts; the spread is from the least to the most.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from statistics import median

from benchmarks.common import COMMON, log, machine_of_parte
from benchmarks.measuring import Measured, apart, show, spread, timed, up_to
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax.parser import parse as parse_query
from parte.languages.translations.cel.to_cel import to_cel
from parte.semantics.events.event import Event
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.syntax import parse

ROUNDS = 5
LENGTHS = (1_000, 10_000, 100_000)
SMALLEST = ("10000", "1")
QUERIES = (
    "A; B; C PARTITION BY k WITHIN 1 MINUTE",
    "A; B; C WITHIN 30 EVENTS",
    "A; B+; C WITHIN 10 EVENTS",
    "A+ FILTER A[v < 20] WITHIN 20 EVENTS",
    "A; B; C",
)
"""The last query has no window, and ever more results: only the first result of each event is taken."""


def machine_of_cel(count: int) -> Measured:
    """Measure the machine of CEL on the log."""
    program = parse(COMMON)
    query, events = to_cel(program, program.rules[0]).query, list(log(count))
    return timed(lambda: sum(1 for _ in Machine(query).run(events)))


def check(count: int) -> int:
    """Check that both find the same events; return the number of matches."""
    program, events = parse(COMMON), list(log(count))
    translated = to_cel(program, program.rules[0])
    order = {event.id: position for position, event in enumerate(events)}
    matches = execute(Scenario.of(program, events, {})).matches
    positions = sorted(sorted(order[identity] for _, identity in match.bindings) for match in matches)
    assert positions == sorted(list(result.positions) for result in Machine(translated.query).run(events))
    assert len(positions) > count // 1_000
    return len(positions)


def stream(count: int) -> Iterator[Event]:
    """Yield a stream for the queries."""
    rng = Random(2)
    for position in range(count):
        attributes = {"k": rng.randrange(100), "v": rng.randrange(100)}
        yield Event(f"e{position}", rng.choice("ABCDDDD"), position * 100, attributes)


def cost(text: str, count: int) -> Measured:
    """Measure a query on the stream; count results: with a window all, else the first of each event."""
    query, events = parse_query(f"SELECT * WHERE {text}"), list(stream(count))
    machine = Machine(query)
    if query.window is None:
        return timed(lambda: sum(next(machine.results(event), None) is not None for event in events))
    return timed(lambda: sum(1 for _ in machine.run(events)))


def main(most: int = max(LENGTHS), rounds: int = ROUNDS) -> None:
    """Print both tables, of streams up to `most` events, each measured `rounds` times."""
    lengths = up_to(most, LENGTHS)
    rows: list[tuple[str, ...]] = []
    for count in lengths[1:] or lengths:
        matches = check(count)
        ratios, speeds = [], []
        for _ in range(rounds):
            parte, cel = apart(machine_of_parte, count), apart(machine_of_cel, count)
            assert parte.counted == cel.counted == matches
            ratios.append(cel.seconds / parte.seconds)
            speeds.append((count / parte.seconds, count / cel.seconds))
        medians = (f"{median(rates):,.0f}" for rates in zip(*speeds, strict=True))
        rows.append((f"{count:,}", f"{matches:,}", *medians, f"{median(ratios):.2f}", spread(ratios)))
    columns: tuple[str, ...]
    columns = ("events", "matches", "PARTElang, events/s", "CEL, events/s", "CEL's time by PARTElang's", "spread")
    show("A sequence of three types with a key, within a minute", columns, rows)
    rows = []
    for text in QUERIES:
        measured = [[apart(cost, text, count) for count in lengths] for _ in range(rounds)]
        costs = [[run.seconds / count for run, count in zip(some, lengths, strict=True)] for some in measured]
        for index, count in enumerate(lengths):
            ratios = [some[index] / some[0] for some in costs]
            seconds = median(some[index] for some in costs)
            figures = (f"{measured[0][index].counted:,}", f"{1 / seconds:,.0f}", f"{seconds * 1e6:.1f}")
            rows.append((text, f"{count:,}", *figures, f"{median(ratios):.2f}", spread(ratios)))
    columns = ("query", "events", "results", "events/s", "µs an event", "ratio", "spread")
    show("The machine of CEL", columns, rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
