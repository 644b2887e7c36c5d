"""All streams of a query up to a length, made of the events of a trace: the machine against the definition on each.

A stream is a word over the kinds of events that the trace has: what a machine makes of it depends on the guards that
each event passes, on its substream and on time. So for a query without a window all deterministic states that these
kinds can lead to are reached once no word of some length reaches a new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.rulebook.models import Model

MOST_STREAMS = 1_000_000
"""More are refused."""

USUAL_STREAMS = 2_000
"""So many are explored if no length is given, or a few less."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first stream, and so one of the shortest, on which processes do not print the results together."""

    events: tuple[Event, ...]
    processes: int
    missing: tuple[ComplexEvent, ...]
    spurious: tuple[ComplexEvent, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """What was found: how many streams of how many events and kinds, how many results, the most nodes that a window
    may still reach, how many deterministic states each length has reached, and where the machine is wrong."""

    kinds: tuple[Event, ...]
    length: int = 0
    streams: int = 0
    results: int = 0
    remembered: int = 0
    states: tuple[int, ...] = ()
    difference: Difference | None = None


def kinds_of(events: Sequence[Event]) -> tuple[Event, ...]:
    """The first event of each type, stream and attributes."""
    found: dict[object, Event] = {}
    for event in events:
        values = sorted((name, type(value).__name__, repr(value)) for name, value in event.attributes.items())
        found.setdefault((event.template, event.source, tuple(values)), event)
    return tuple(found.values())


def usual_length(kinds: int) -> int:
    """The length up to which there are few enough streams."""
    length, streams = 0, 1
    while streams + kinds ** (length + 1) <= USUAL_STREAMS and length < 12:
        length += 1
        streams += kinds**length
    return max(length, 1)


def check_length(kinds: int, length: int) -> None:
    """ValueError if there are more than `MOST_STREAMS` streams of at most so many events."""
    streams, size = 1, 0
    while size < length and streams <= MOST_STREAMS:
        size += 1
        streams += kinds**size
    if streams > MOST_STREAMS:
        raise ValueError(f"{kinds} kinds of events make more than {MOST_STREAMS} streams of {length} events")


def explored(
    query: tree.Query, kinds: Sequence[Event], length: int, model: Model, processes: int
) -> Iterator[Explored]:
    """Every stream of at most so many events, up to the first on which the machine is wrong; what was found so far,
    after each.

    Unsupported for a query that the machine does not take.
    """
    results = remembered = 0
    states: list[int] = []
    seen = set[object]()
    for streams, stream in enumerate(_streams(query, kinds, length), 1):
        expected = evaluate(query, stream)
        results += sum(each.end == len(stream) - 1 for each in expected)
        for count in range(1, processes + 1):
            found: list[ComplexEvent] = []
            for index in range(count):
                machine = Machine(query, model, count, index)
                found += machine.run(stream)
                for substream in machine.substreams.values():
                    seen.update(substream.evaluation.table)
                    remembered = max(remembered, substream.evaluation.tecs.remembered)
            if sorted(found) != expected:
                missing, spurious = Counter(expected) - Counter(found), Counter(found) - Counter(expected)
                difference = Difference(stream, count, tuple(sorted(missing)), tuple(sorted(spurious.elements())))
                yield Explored(tuple(kinds), len(stream), streams, results, remembered, tuple(states), difference)
                return
        states += [0] * (len(stream) + 1 - len(states))
        states[len(stream)] = len(seen)
        yield Explored(tuple(kinds), len(stream), streams, results, remembered, tuple(states), None)


def _streams(query: tree.Query, kinds: Sequence[Event], length: int) -> Iterator[tuple[Event, ...]]:
    """All streams, the short ones first; two events are half a window of time apart."""
    gap = max(1, query.window.milliseconds // 2) if isinstance(query.window, tree.TimeWindow) else 1
    for size in range(length + 1):
        for word in product(kinds, repeat=size):
            yield tuple(
                replace(each, id=f"{each.id}@{place}", timestamp=place * gap) for place, each in enumerate(word)
            )
