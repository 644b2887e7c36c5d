"""The machine against the definition on all streams of a query up to a length, made of the events of a trace.

A stream is a word over the kinds of events in the trace: the run of a machine depends on the guards that each event
passes, on its substream and on time. So for a query without a window, once no word of some length reaches a new
deterministic state, all states that these kinds can lead to are reached.
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
"""The greatest number of streams to explore."""

USUAL_STREAMS = 2_000
"""The number of streams to explore, at most, if no length is given."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first stream, and so one of the shortest, on which the processes together print wrong results."""

    events: tuple[Event, ...]
    processes: int
    missing: tuple[ComplexEvent, ...]
    spurious: tuple[ComplexEvent, ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """The result of an exploration: the kinds, the length and number of streams, the number of results, the most nodes
    that a window may still reach, the number of deterministic states reached by each length, and where the machine is
    wrong."""

    kinds: tuple[Event, ...]
    length: int = 0
    streams: int = 0
    results: int = 0
    remembered: int = 0
    states: tuple[int, ...] = ()
    difference: Difference | None = None


def kinds_of(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return the first event of each type, stream and attributes."""
    by_kind: dict[object, Event] = {}
    for event in events:
        values = sorted((name, type(value).__name__, repr(value)) for name, value in event.attributes.items())
        by_kind.setdefault((event.template, event.source, tuple(values)), event)
    return tuple(by_kind.values())


def usual_length(kinds: int) -> int:
    """Return the greatest length with few enough streams."""
    length, streams = 0, 1
    while streams + kinds ** (length + 1) <= USUAL_STREAMS and length < 12:
        length += 1
        streams += kinds**length
    return max(length, 1)


def check_length(kinds: int, length: int) -> None:
    """Raise ValueError if there are more than `MOST_STREAMS` streams of at most `length` events."""
    streams, size = 1, 0
    while size < length and streams <= MOST_STREAMS:
        size += 1
        streams += kinds**size
    if streams > MOST_STREAMS:
        raise ValueError(f"{kinds} kinds of events make more than {MOST_STREAMS} streams of {length} events")


def explored(
    query: tree.Query, kinds: Sequence[Event], length: int, model: Model, processes: int
) -> Iterator[Explored]:
    """Explore every stream of at most `length` events, up to the first on which the machine is wrong; yield the state
    of the exploration after each.

    Raise Unsupported for a query that the machine does not support.
    """
    results = remembered = 0
    states: list[int] = []
    seen = set[object]()
    for streams, stream in enumerate(_streams(query, kinds, length), 1):
        expected = evaluate(query, stream)
        results += sum(result.end == len(stream) - 1 for result in expected)
        for count in range(1, processes + 1):
            computed: list[ComplexEvent] = []
            for index in range(count):
                machine = Machine(query, model, count, index)
                computed += machine.run(stream)
                for substream in machine.substreams.values():
                    seen.update(substream.evaluation.table)
                    remembered = max(remembered, substream.evaluation.tecs.remembered)
            if sorted(computed) != expected:
                missing, spurious = Counter(expected) - Counter(computed), Counter(computed) - Counter(expected)
                difference = Difference(stream, count, tuple(sorted(missing)), tuple(sorted(spurious.elements())))
                yield Explored(tuple(kinds), len(stream), streams, results, remembered, tuple(states), difference)
                return
        states += [0] * (len(stream) + 1 - len(states))
        states[len(stream)] = len(seen)
        yield Explored(tuple(kinds), len(stream), streams, results, remembered, tuple(states), None)


def _streams(query: tree.Query, kinds: Sequence[Event], length: int) -> Iterator[tuple[Event, ...]]:
    """Yield all streams, the short ones first; consecutive events are half a window of time apart."""
    gap = max(1, query.window.milliseconds // 2) if isinstance(query.window, tree.TimeWindow) else 1
    for size in range(length + 1):
        for word in product(kinds, repeat=size):
            yield tuple(
                replace(kind, id=f"{kind.id}@{place}", timestamp=place * gap) for place, kind in enumerate(word)
            )
