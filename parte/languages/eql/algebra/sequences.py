"""The meaning of a query over a whole trace, clause by clause (specification: eql-definition)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


def positions_of(
    stage: tree.Stage, query: tree.Sequence | tree.Sample, events: Sequence[Event], readings: Readings
) -> Positions:
    """Return the positions of the events that fit a stage, by key."""
    positions: dict[Key, list[int]] = {}
    for position, event in enumerate(events):
        key = key_of(event, tree.keys_of(query, stage), readings)
        if key is not None and fits(event, stage.event, readings):
            positions.setdefault(key, []).append(position)
    return positions


# --- Sequences --------------------------------------------------------------------------------------------------------


def _results(query: tree.Sequence, events: Sequence[Event], readings: Readings) -> list[Json]:
    first = tree.positive(query)[0]
    results_of_keys: list[tuple[Chain, Json]] = []
    for clauses in by_key(query, events, readings).values():
        for chain in clauses.levels()[-1]:
            if clauses.in_span(chain) and not clauses.misplaced(chain):
                keys = written(events[chain[0]], tree.keys_of(query, first))
                results_of_keys.append((chain, {"keys": keys, "events": [events[position].id for position in chain]}))
    return [result for _, result in sorted(results_of_keys, key=lambda item: (item[0][-1], item[0][0]))]


def by_key(query: tree.Sequence, events: Sequence[Event], readings: Readings) -> Mapping[Key, Clauses]:
    """Return the clauses of each key that has an event of the first stage."""
    positive, missing = tree.positive(query), tree.between(query)
    stages = query.stages if query.until is None else (*query.stages, query.until)
    several = {stage: positions_of(stage, query, events, readings) for stage in stages}
    times = [event.timestamp for event in events]
    return {
        key: Clauses(
            query,
            times,
            [several[stage].get(key, ()) for stage in positive],
            [[several[stage].get(key, ()) for stage in group] for group in missing],
            several[query.until].get(key, ()) if query.until is not None else (),
            readings,
        )
        for key in several[positive[0]]
    }


class Clauses:
    """The clauses that a chain of one key has to meet. `stages`, `missing` and `until` have the positions of the events
    of the positive stages, of missing events by place, and of the events of until."""

    def __init__(
        self,
        query: tree.Sequence,
        times: Sequence[int],
        stages: Sequence[Sequence[int]],
        missing: Sequence[Sequence[Sequence[int]]],
        until: Sequence[int],
        readings: Readings,
    ) -> None:
        self.times, self.stages, self.until, self.readings = times, stages, until, readings
        self.missing = [sorted({position for stage in group for position in stage}) for group in missing]
        self.maxspan = None if query.maxspan is None else query.maxspan.milliseconds
        self.together = readings.absence == "together" and bool(missing[0]) and bool(missing[-1])

    def levels(self) -> list[list[Chain]]:
        """Return the chains of one stage, of two, and so on up to all (EQL/CHAIN): each event follows the latest chain
        before it, and is the first of its stage behind that chain."""
        levels: list[list[Chain]] = [[(position,) for position in self.stages[0]]]
        for number, stage in enumerate(self.stages[1:], 1):
            ends = [chain[-1] for chain in levels[-1]]
            levels.append(
                [
                    (*chain, position)
                    for chain in levels[-1]
                    for position in stage
                    if chain[-1] < position
                    and not any(chain[-1] < between < position for between in (*ends, *stage))
                    and self.goes_on(number, chain[-1], position)
                ]
            )
        return levels

    def in_span(self, chain: Chain) -> bool:
        """EQL/SPAN: the last event is at most maxspan after the first."""
        return self.maxspan is None or self.times[chain[-1]] - self.times[chain[0]] <= self.maxspan

    def goes_on(self, number: int, left: int, right: int) -> bool:
        """EQL/UNTIL: no event of until lies between two neighbours of a chain; under the reading `pending`, no missing
        event either."""
        pending = self.readings.missing == "pending"
        return not self.ending((left, right)) and not (pending and self.lying(number, left, right))

    def ending(self, chain: Chain) -> list[int]:
        """Return the events of until that lie between two neighbours of a chain."""

        def ends(left: int, event: int, right: int) -> bool:
            match self.readings.until:
                case "between":
                    return left < event < right
                case "before":
                    return left < event <= right
                case _:
                    return left <= event < right

        return [event for event in self.until if any(ends(left, event, right) for left, right in pairwise(chain))]

    def lying(self, number: int, left: int, right: int) -> list[int]:
        """Return the missing events of a place in the middle that lie between two events."""
        return [
            event for event in self.missing[number] if self._is_before(left, event) and self._is_before(event, right)
        ]

    def misplaced(self, chain: Chain) -> dict[int, list[int]]:
        """EQL/MISSING: return the events of missing stages that lie at their place, by place; a result has none."""
        at_place = {number: self.lying(number, *pair) for number, pair in enumerate(pairwise(chain), 1)}
        if self.maxspan is not None:
            first, last = chain[0], chain[-1]
            before = [event for event in self.missing[0] if self._is_before(event, first)]
            after = [event for event in self.missing[-1] if self._is_before(last, event)]
            if self.together:
                pairs = [(b, a) for b, a in product(before, after) if self.times[a] - self.times[b] <= self.maxspan]
                before, after = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
            else:
                before = [event for event in before if self.times[event] >= self.times[last] - self.maxspan]
                after = [event for event in after if self.times[event] <= self.times[first] + self.maxspan]
            at_place |= {0: before, len(self.stages): after}
        return {place: events for place, events in sorted(at_place.items()) if events}

    def _is_before(self, left: int, right: int) -> bool:
        if self.readings.border == "order":
            return left < right
        return self.times[left] < self.times[right]


# --- Samples ----------------------------------------------------------------------------------------------------------


def _samples(query: tree.Sample, events: Sequence[Event], readings: Readings) -> list[Json]:
    items = [positions_of(item, query, events, readings) for item in query.items]
    results_of_keys: list[tuple[Chain, Json]] = []
    for key in items[0]:
        chosen = chosen_of([item.get(key, ()) for item in items])
        if chosen is not None:
            keys = written(events[chosen[0]], tree.keys_of(query, query.items[0]))
            results_of_keys.append((chosen, {"keys": keys, "events": [events[position].id for position in chosen]}))
    return [result for _, result in sorted(results_of_keys, key=lambda item: (max(item[0]), item[0]))]


def chosen_of(items: Iterable[Sequence[int]]) -> Chain | None:
    """Return the first tuple of different events, one for each item; None if there is none. Raise TooManyTuples."""
    for number, chosen in enumerate(product(*items)):
        if number == MOST_TUPLES:
            raise TooManyTuples(f"more than {MOST_TUPLES:,} tuples of events have one key; take a shorter trace")
        if len(set(chosen)) == len(chosen):
            return chosen
    return None
