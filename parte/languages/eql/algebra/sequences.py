"""The meaning of a query over a whole trace, clause by clause (specification: eql-definition)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

from parte.languages.eql.algebra.conditions import fits
from parte.languages.eql.algebra.keys import Key, key_of, written
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event

Json = Any
Chain = tuple[int, ...]
"""The positions of the events of a chain, in the order of events."""
Positions = Mapping[Key, Sequence[int]]
"""The positions of the events of a stage, by key."""


class TooManyTuples(RuntimeError):
    """A sample has more tuples of events than the definition looks at."""


MOST_TUPLES = 1_000_000


def evaluate(query: tree.Query, events: Sequence[Event], readings: Readings) -> list[Json]:
    """Return the results of a query on the events of a trace, which are in order; by the last event, then the first.

    Raise TooManyTuples for a sample that has too many.
    """
    match query:
        case tree.Single(event=pattern):
            results = [{"keys": [], "events": [event.id]} for event in events if fits(event, pattern, readings)]
        case tree.Sample():
            return _samples(query, events, readings)
        case tree.Sequence():
            results = _results(query, events, readings)
    for pipe in query.pipes:
        results = results[: pipe.count] if pipe.end is tree.End.HEAD else results[-pipe.count :]
    return results


def _positions(
    stage: tree.Stage, query: tree.Sequence | tree.Sample, events: Sequence[Event], readings: Readings
) -> Positions:
    positions: dict[Key, list[int]] = {}
    for position, event in enumerate(events):
        key = key_of(event, tree.keys_of(query, stage), readings)
        if key is not None and fits(event, stage.event, readings):
            positions.setdefault(key, []).append(position)
    return positions


# --- Sequences --------------------------------------------------------------------------------------------------------


def _results(query: tree.Sequence, events: Sequence[Event], readings: Readings) -> list[Json]:
    positive, missing = tree.positive(query), tree.between(query)
    stages = query.stages if query.until is None else (*query.stages, query.until)
    several = {stage: _positions(stage, query, events, readings) for stage in stages}
    results_of_keys: list[tuple[Chain, Json]] = []
    for key in several[positive[0]]:
        groups = [[several[stage].get(key, ()) for stage in group] for group in missing]
        clauses = _Clauses(query, [event.timestamp for event in events], groups, readings)
        until = several[query.until].get(key, ()) if query.until is not None else ()
        for chain in chains([several[stage].get(key, ()) for stage in positive], clauses):
            if clauses.in_span(chain) and clauses.survives(chain, until) and clauses.misses(chain):
                keys = written(events[chain[0]], tree.keys_of(query, positive[0]))
                results_of_keys.append((chain, {"keys": keys, "events": [events[position].id for position in chain]}))
    return [result for _, result in sorted(results_of_keys, key=lambda item: (item[0][-1], item[0][0]))]


def chains(stages: Sequence[Sequence[int]], clauses: _Clauses) -> list[Chain]:
    """Return the chains of all stages (EQL/CHAIN): each event follows the latest chain before it, and is the first of
    its stage behind that chain."""
    current: list[Chain] = [(position,) for position in stages[0]]
    for number, stage in enumerate(stages[1:], 1):
        ends = [chain[-1] for chain in current]
        current = [
            (*chain, position)
            for chain in current
            for position in stage
            if chain[-1] < position
            and not any(chain[-1] < between < position for between in (*ends, *stage))
            and clauses.goes_on(number, chain[-1], position)
        ]
    return current


class _Clauses:
    """The clauses of one key that a chain has to meet. `missing` has the positions of missing events by place."""

    def __init__(
        self, query: tree.Sequence, times: Sequence[int], missing: Sequence[Sequence[Sequence[int]]], readings: Readings
    ) -> None:
        self.times, self.readings = times, readings
        self.missing = [sorted({position for stage in group for position in stage}) for group in missing]
        self.maxspan = None if query.maxspan is None else query.maxspan.milliseconds
        self.together = readings.absence == "together" and bool(missing[0]) and bool(missing[-1])

    def in_span(self, chain: Chain) -> bool:
        """EQL/SPAN: the last event is at most maxspan after the first."""
        return self.maxspan is None or self.times[chain[-1]] - self.times[chain[0]] <= self.maxspan

    def survives(self, chain: Chain, until: Sequence[int]) -> bool:
        """EQL/UNTIL: no event of until lies between two events of the chain."""
        match self.readings.until:
            case "between":
                ends = [any(left < end < right for end in until) for left, right in pairwise(chain)]
            case "before":
                ends = [any(left < end <= right for end in until) for left, right in pairwise(chain)]
            case _:
                ends = [any(left <= end < right for end in until) for left, right in pairwise(chain)]
        return not any(ends)

    def goes_on(self, number: int, left: int, right: int) -> bool:
        """Under the reading `pending`, return whether no missing event ends the chain before its next event."""
        return self.readings.missing != "pending" or not self._lies(number, left, right)

    def misses(self, chain: Chain) -> bool:
        """EQL/MISSING: no event of a missing stage lies at its place."""
        if any(self._lies(number, left, right) for number, (left, right) in enumerate(pairwise(chain), 1)):
            return False
        if self.maxspan is None:
            return True
        first, last = chain[0], chain[-1]
        before = [event for event in self.missing[0] if self._is_before(event, first)]
        after = [event for event in self.missing[-1] if self._is_before(last, event)]
        if self.together:
            pairs = product(before, after)
            return not any(self.times[right] - self.times[left] <= self.maxspan for left, right in pairs)
        early = any(self.times[event] >= self.times[last] - self.maxspan for event in before)
        return not early and not any(self.times[event] <= self.times[first] + self.maxspan for event in after)

    def _lies(self, number: int, left: int, right: int) -> bool:
        return any(self._is_before(left, event) and self._is_before(event, right) for event in self.missing[number])

    def _is_before(self, left: int, right: int) -> bool:
        if self.readings.border == "order":
            return left < right
        return self.times[left] < self.times[right]


# --- Samples ----------------------------------------------------------------------------------------------------------


def _samples(query: tree.Sample, events: Sequence[Event], readings: Readings) -> list[Json]:
    items = [_positions(item, query, events, readings) for item in query.items]
    results_of_keys: list[tuple[Chain, Json]] = []
    for key in items[0]:
        chosen = next(_different([item.get(key, ()) for item in items]), None)
        if chosen is not None:
            keys = written(events[chosen[0]], tree.keys_of(query, query.items[0]))
            results_of_keys.append((chosen, {"keys": keys, "events": [events[position].id for position in chosen]}))
    return [result for _, result in sorted(results_of_keys, key=lambda item: (max(item[0]), item[0]))]


def _different(items: Iterable[Sequence[int]]) -> Iterator[Chain]:
    for number, chosen in enumerate(product(*items)):
        if number == MOST_TUPLES:
            raise TooManyTuples(f"more than {MOST_TUPLES:,} tuples of events have one key; take a shorter trace")
        if len(set(chosen)) == len(chosen):
            yield chosen
