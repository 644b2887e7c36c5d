"""The machine of a query: events are released in order, run through the query, and the results through its pipes
(specification: eql-machine, eql-release)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import product
from typing import Any

from parte.languages.eql.semantics.chains import Chain
from parte.languages.eql.semantics.plans import Key, Step, plan_of, step_of
from parte.languages.eql.semantics.rulebook import rule
from parte.languages.eql.semantics.sequences import Sequences
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.languages.eql.semantics.syntax.streams import Arrived, Place
from parte.semantics.events.event import POSITIVE_INFINITY, Event

Json = Any
Ended = tuple[tuple[int, ...], Json]
"""A result with the positions of its last event and of its first."""


@rule("EVENT", "a query of one event", "ED, syntax: basic syntax")
def event_result(step: Step, event: Event) -> Json | None:
    """Every event that fits is a result, without keys."""
    return None if step.key(event) is None else {"keys": [], "events": [event.id]}


@rule("SAMPLE", "a sample", "ED, syntax: sample")
def sample(items: list[list[tuple[int, Event]]]) -> tuple[tuple[int, Event], ...] | None:
    """Of the tuples of different events of one key, the first by the first item, then the second, and so on."""
    for chosen in product(*items):
        if len({position for position, _ in chosen}) == len(chosen):
            return chosen
    return None


@rule("PIPE", "head and tail", "ED, pipes")
def piped(pipe: tree.Pipe, results: list[Ended]) -> list[Ended]:
    """Of the results in order, the first or the last."""
    return results[: pipe.count] if pipe.end is tree.End.HEAD else results[-pipe.count :]


@rule("RELEASE", "events in order", "ED, syntax: event order")
def is_released(place: Place, bound: int, tied: bool) -> bool:
    """An event is released when no event that is before it in the order comes any more."""
    return place[0] < bound if tied else place[0] <= bound


@dataclass(slots=True)
class Machine:
    """A query that is fed. `tied` says that a tiebreaker orders events of one timestamp."""

    query: tree.Query
    readings: Readings
    tied: bool = False
    _run: Sequences | None = None
    _steps: tuple[Step, ...] = ()
    _held: list[tuple[Place, Event]] = field(default_factory=list)
    _groups: dict[Key, list[list[tuple[int, Event]]]] = field(default_factory=dict)
    _results: list[Ended] = field(default_factory=list)
    _position: int = -1
    _reported: int = 0
    _category: str | None = None

    def __post_init__(self) -> None:
        match self.query:
            case tree.Sequence():
                self._run = Sequences(plan_of(self.query, self.readings))
            case tree.Sample(by=by, items=items):
                self._steps = tuple(step_of(item, by, self.readings) for item in items)
            case tree.Single(event=event):
                self._steps = (step_of(tree.Stage(event), (), self.readings),)
                self._category = event.category

    def arrive(self, arrived: Arrived | None, bound: int) -> list[Json]:
        """Return the results that are certain when an item of the trace has come, and no event below the bound will."""
        if self._category is not None and arrived is not None and arrived[1].template != self._category:
            arrived = None  # an event of another category than that of a query of one event
            if not self._held:
                return []
        results: list[Ended] = []
        held = self._held
        by_time = self.readings.order == "time"
        if arrived is not None:
            if held or (by_time and not is_released(arrived[0], bound, self.tied)):
                heappush(held, arrived)
            else:
                results += self._event(arrived[1])
        while held and (not by_time or is_released(held[0][0], bound, self.tied)):
            results += self._event(heappop(held)[1])
        if self._run is not None and self._run.plan.trailing:
            results += map(self._ended, self._run.decided(bound))
        return self._through_pipes(sorted(results, key=lambda result: result[0])) if results else []

    def end(self) -> list[Json]:
        """Return the results that are left at the end of the trace."""
        results = self.arrive(None, POSITIVE_INFINITY)
        if self._steps and isinstance(self.query, tree.Sample):
            return self._samples()
        held = self._results
        for pipe in self._pipes() if not self._is_at_once() else ():
            held = piped(pipe, held)
        self._results = []
        return results + [result for _, result in held]

    def _event(self, event: Event) -> Iterable[Ended]:
        self._position += 1
        if self._run is not None:
            return map(self._ended, self._run.event(event))
        if isinstance(self.query, tree.Sample):
            for number, step in enumerate(self._steps):
                key = step.key(event)
                if key is not None:
                    group = self._groups.setdefault(key, [[] for _ in self._steps])[number]
                    if len(group) < len(self._steps):  # a tuple takes at most so many events of one item
                        group.append((self._position, event))
            return ()
        result = event_result(self._steps[0], event)
        return () if result is None else (((self._position,), result),)

    def _ended(self, chain: Chain) -> Ended:
        assert self._run is not None
        keys = self._run.plan.steps[0].written(chain.events[0])
        result = {"keys": keys, "events": [event.id for event in chain.events]}
        return (chain.positions[-1], chain.positions[0]), result

    def _samples(self) -> list[Json]:
        results: list[Ended] = []
        for group in self._groups.values():
            chosen = sample(group)
            if chosen is not None:
                events, positions = [event for _, event in chosen], [position for position, _ in chosen]
                result = {"keys": self._steps[0].written(events[0]), "events": [event.id for event in events]}
                results.append(((max(positions), *positions), result))
        self._groups.clear()
        return [result for _, result in sorted(results, key=lambda result: result[0])]

    # --- Pipes --------------------------------------------------------------------------------------------------------

    def _pipes(self) -> tuple[tree.Pipe, ...]:
        return () if isinstance(self.query, tree.Sample) else self.query.pipes

    def _is_at_once(self) -> bool:
        """Return whether pipes need not wait: there are only heads, and results come in the order of their ends."""
        in_order = self._run is None or not self._run.plan.trailing
        return in_order and all(pipe.end is tree.End.HEAD for pipe in self._pipes())

    def _through_pipes(self, results: list[Ended]) -> list[Json]:
        """Return what passes the pipes at once; what may pass at the end is held, no more than the first pipe takes."""
        pipes = self._pipes()
        if pipes and self._is_at_once():
            for pipe in pipes:
                results = piped(replace(pipe, count=max(0, pipe.count - self._reported)), results)
            self._reported += len(results)
        elif pipes:
            self._results = piped(pipes[0], sorted([*self._results, *results], key=lambda result: result[0]))
            return []
        return [result for _, result in results]

    def stored(self) -> dict[str, int]:
        """Return how many events are held back, and how many items the query keeps."""
        sizes = {} if self._run is None else self._run.stored()
        groups = sum(len(item) for group in self._groups.values() for item in group)
        return {"held back": len(self._held), **sizes, "samples": groups, "results": len(self._results)}
