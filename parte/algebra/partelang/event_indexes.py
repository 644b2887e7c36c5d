"""Events in order of time, filtered and indexed as a plan requires; built on demand and shared.

Two patterns with equal conditions on themselves alone share a memory; two joins on equal expressions share an index.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from parte.algebra.partelang.compiled import compile_condition, compile_expression, conjunction
from parte.algebra.partelang.patterns import All, Condition, Within
from parte.algebra.partelang.values import NO_VALUE
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.syntax import core

SELF = ""
"""The name of a pattern's variable in the conditions of a memory, whatever the rule calls it."""

Key = tuple[Value | None, ...]
"""The values of some expressions. The keys of an index have no None; a key that is looked up may have one."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Events in order of timestamp, and their timestamps (ms)."""

    timestamps: list[int] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def append(self, event: Event) -> None:
        """Add an event that is not older than any event of the timeline."""
        self.timestamps.append(event.timestamp)
        self.events.append(event)

    def between(self, lower: int, upper: int) -> Sequence[Event]:
        """Return the events with `lower <= timestamp <= upper`: closed at both ends."""
        return self.events[bisect_left(self.timestamps, lower) : bisect_right(self.timestamps, upper)]


class Memory:
    """The events of one template that pass some conditions on themselves alone."""

    def __init__(self, events: Iterable[Event], domain: Predicates) -> None:
        self.timeline = Timeline()
        for event in events:
            self.timeline.append(event)
        self._domain = domain
        self._indexes: dict[str, dict[Key, Timeline]] = {}

    def __len__(self) -> int:
        return len(self.timeline.events)

    def index(self, expressions: Sequence[core.Expression]) -> dict[Key, Timeline]:
        """Return the events by their values for some expressions over `SELF`; events without a value are left out.

        Hash-equality of keys is the language's equality: both sides of a comparison have one scalar type. For values of
        one type, Python's `==` and hash are exact on Integers and treat -0.0 and 0.0 as one Float; no value is NaN.
        """
        name = repr(expressions)
        if name not in self._indexes:
            closures = [compile_expression(expression, self._domain) for expression in expressions]
            buckets: dict[Key, Timeline] = {}
            for event in self.timeline.events:
                key = tuple([closure({SELF: event}) for closure in closures])
                if NO_VALUE not in key:
                    timeline = buckets.get(key)
                    if timeline is None:
                        timeline = buckets[key] = Timeline()
                    timeline.append(event)
            self._indexes[name] = buckets
        return self._indexes[name]


class Memories:
    """The memories of a stream that grows from stratum to stratum."""

    def __init__(self, domain: Predicates) -> None:
        self._domain = domain
        self._events: dict[str, list[Event]] = {}
        self._memories: dict[str, dict[str, Memory]] = {}

    def extend(self, events: Iterable[Event]) -> None:
        """Add events to the stream, and drop the memories of their templates."""
        touched = set()
        for event in events:
            self._events.setdefault(event.template, []).append(event)
            touched.add(event.template)
        for template in touched:
            self._events[template].sort(key=attrgetter("timestamp"))
            self._memories.pop(template, None)

    def memory(self, template: str, conditions: Sequence[Condition]) -> Memory:
        """Return the memory of a template under conditions over `SELF`."""
        memories = self._memories.setdefault(template, {})
        # By representation: equality of expressions does not distinguish the constants 0.0 and -0.0, but a predicate
        # may.
        name = repr(conditions)
        if name not in memories:
            passes = conjunction([compile_condition(condition, self._domain) for condition in conditions])
            events = self._events.get(template, [])
            memories[name] = Memory((event for event in events if passes({SELF: event})), self._domain)
        return memories[name]


def over_self(condition: Condition) -> Condition:
    """Return a condition on one variable alone as a condition on `SELF`."""
    match condition:
        case Within(_, _, lower, upper):
            return Within(SELF, SELF, lower, upper)
        case All(conditions):
            return All(tuple(map(over_self, conditions)))
        case _:
            return expression_over_self(condition)


def expression_over_self(expression: core.Expression) -> core.Expression:
    """Return an expression over one variable alone as an expression over `SELF`."""
    return core.renamed(expression, dict.fromkeys(core.variables_of(expression), SELF))
