"""An evaluator for larger traces: it finds the valuations of D def. 12 through indexes instead of products.

Each step of a plan looks up its candidates by equality of keys, restricts them to the intersection of its time windows,
and tests the rest; the search for events that fill a negated pattern does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from parte.algebra.partelang.aggregates import in_place_of_event
from parte.algebra.partelang.compiled import Test, compile_condition, compile_expression, conjunction
from parte.algebra.partelang.effort import MOST_CANDIDATES, Effort
from parte.algebra.partelang.event_indexes import Memories, Memory, expression_over_self, over_self
from parte.algebra.partelang.expressions import Valuation
from parte.algebra.partelang.join_plans import Step, plan, set_steps
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.partelang.syntax import core

Lookup = Callable[[Valuation], Sequence[Event]]
"""The function that returns the candidates for one more variable, given those bound before."""


@dataclass(frozen=True, slots=True)
class _Level:
    """A compiled step: the source of its candidates, and the test that a bound candidate must pass."""

    variable: str
    candidates: Lookup
    passes: Test


class Indexes:
    """A stream under evaluation, with the indexes that its rules have required so far."""

    def __init__(self, domain: Predicates, most: int = MOST_CANDIDATES) -> None:
        self._domain = domain
        self._memories = Memories(domain)
        self._effort = Effort(most, "events that may fill a pattern")

    def extend(self, events: Iterable[Event]) -> None:
        """Add events to the stream."""
        self._memories.extend(events)

    def valuations(self, rule: core.Rule) -> Iterator[Valuation]:
        """Yield the valuations of the positive variables of a rule once each, in no order. Raise TooMuch."""
        steps = plan(rule, lambda step: len(self._memory(step)))
        valuations = _extensions([self._level(step) for step in steps], 0, {})
        if not (rule.collected or rule.having):
            return valuations
        sets = [self._level(step) for step in set_steps(rule)]
        having = conjunction([compile_condition(condition, self._domain) for condition in rule.having])
        return filter(having, (_with_sets(valuation, sets) for valuation in valuations))

    def _memory(self, step: Step) -> Memory:
        return self._memories.memory(step.template, [over_self(condition) for condition in step.alone])

    def _level(self, step: Step) -> _Level:
        tests = [compile_condition(condition, self._domain) for condition in step.others]
        absences = [_absence(self._level(negated)) for negated in step.absent]
        return _Level(step.variable, self._lookup(step), conjunction([*tests, *absences]))

    def _lookup(self, step: Step) -> Lookup:
        """Return the lookup of the candidates of a step: by its keys if it has any, then by its windows."""
        memory = self._memory(step)
        windows = [(window.reference, window.lower, window.upper) for window in step.windows]
        buckets = memory.index([expression_over_self(key.own) for key in step.keys]) if step.keys else {}
        keys = [compile_expression(key.bound, self._domain) for key in step.keys]
        spend = self._effort.spend

        def look_up(valuation: Valuation) -> Sequence[Event]:
            events = candidates(valuation)
            spend(len(events))
            return events

        def candidates(valuation: Valuation) -> Sequence[Event]:
            timeline = memory.timeline
            if keys:
                key = tuple([closure(valuation) for closure in keys])
                if key not in buckets:  # no key of an index lacks a value
                    return ()
                timeline = buckets[key]
            if not windows:
                return timeline.events
            earliest, latest = NEGATIVE_INFINITY, POSITIVE_INFINITY
            for reference, lower, upper in windows:
                timestamp = valuation[reference].timestamp
                earliest = max(earliest, timestamp + lower)
                latest = min(latest, timestamp + upper)
            return timeline.between(earliest, latest)

        return look_up


def _extensions(levels: Sequence[_Level], depth: int, bound: dict[str, Event]) -> Iterator[Valuation]:
    """Yield the valuations that extend `bound` by the levels from `depth` on.

    All levels share and overwrite `bound`; what deeper levels left in it is never read.
    """
    if depth == len(levels):
        yield dict(bound)
        return
    level = levels[depth]
    for event in level.candidates(bound):
        bound[level.variable] = event
        if level.passes(bound):
            yield from _extensions(levels, depth + 1, bound)


def _with_sets(valuation: Valuation, sets: Sequence[_Level]) -> Valuation:
    """Return the valuation with the sets of events that fill the levels."""
    bound, inner = dict(valuation), dict(valuation)
    for level in sets:
        elements = set[Event]()
        for event in level.candidates(valuation):
            inner[level.variable] = event
            if level.passes(inner):
                elements.add(event)
        bound[level.variable] = in_place_of_event(frozenset(elements))
    return bound


def _absence(negated: _Level) -> Test:
    """Return the test that no event fills a negated pattern. Its variable may have the name of a positive one."""

    def absent(valuation: Valuation) -> bool:
        inner = dict(valuation)
        for event in negated.candidates(valuation):
            inner[negated.variable] = event
            if negated.passes(inner):
                return False
        return True

    return absent
