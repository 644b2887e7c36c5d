"""The results of a query under every order in which the events of a trace may arrive, without and with promises.

Without promises, an event is late by at most the disorder. With promises, events of one source and template keep the
order of the trace, and each of them may be followed by a progress line that promises as much as is true.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from parte.conformance.choices import Guide, Progress
from parte.conformance.choices import explore as search
from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.semantics.machine import Ended, Machine
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.languages.eql.semantics.syntax.streams import Stream, ordered
from parte.languages.eql.semantics.text import match_lines
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event, TraceItem
from parte.semantics.events.event import Progress as Promise

Results = tuple[str, ...]


@dataclass(slots=True)
class Explored:
    """The schedules so far: the number of states with a choice, of schedules that ran to their end, the results of the
    machine and those of the definition with a trace that has them, the most that was stored, and the reason for the
    end: empty (it goes on), `all`, `states`, `time` or `interrupted`."""

    states: int = 0
    schedules: int = 0
    outcomes: dict[tuple[Results, Results], tuple[TraceItem, ...]] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    ended: str = ""

    @property
    def wrong(self) -> list[tuple[Results, Results]]:
        """The results of the machine that are not those of the definition."""
        return [outcome for outcome in self.outcomes if outcome[0] != outcome[1]]


class _Recorded(Machine):
    """A machine that records the events that it releases."""

    released: tuple[str, ...] = ()

    def _event(self, event: Event) -> Iterable[Ended]:
        self.released += (event.id,)
        return super()._event(event)

    def held(self) -> tuple[str, ...]:
        """Return the ids of the events that are held back, in order."""
        return tuple(event.id for _, event in sorted(self._held, key=lambda held: held[0]))


@dataclass(slots=True)
class Exploration:
    """A query, the events of a trace in its order, and how they may arrive."""

    query: tree.Query
    events: Sequence[Event]
    readings: Readings
    tiebreaker: str = ""
    disorder: int = 0
    explored: Explored = field(default_factory=Explored)

    def run(self, most_states: int, seconds: float) -> Iterator[Explored]:
        """Explore all schedules; yield the progress after each. Raise TooManyTuples."""
        progress: Progress[tuple[Results, Results]]
        for progress in search(self._play, most_states, seconds):
            self.explored.states, self.explored.schedules = progress.states, progress.ways
            self.explored.ended = progress.ended
            yield self.explored

    def _stream(self, disorder: int) -> Stream:
        spanned = isinstance(self.query, tree.Sequence) and self.query.maxspan is not None
        return Stream(self.readings, self.tiebreaker, disorder, "schedule", spanned)

    def _play(self, guide: Guide) -> tuple[Results, Results]:
        """Return the results of one schedule."""
        machine = _Recorded(self.query, self.readings, bool(self.tiebreaker))
        stream, left, items, results = self._stream(self.disorder), list(self.events), list[TraceItem](), list[object]()

        def take(item: TraceItem) -> None:
            items.append(item)
            results.extend(machine.arrive(stream.add(item), stream.bound))
            for name, count in machine.stored().items():
                self.explored.most[name] = max(count, self.explored.most.get(name, 0))

        def state(alternatives: Sequence[object]) -> Hashable:
            about = items[-1] if isinstance(alternatives[0], bool) and items else None
            promised = [(item.source, item.template, item.timestamp) for item in items if isinstance(item, Promise)]
            released = machine.released, machine.held()
            return promising, about, frozenset(promised), frozenset(event.id for event in left), stream.bound, released

        promising: bool | None = None
        guide.state = state
        promising = guide.choice((False, True))
        if promising:
            for source, template in sorted({(event.source, event.template) for event in left}):
                take(Promise(source, template, NEGATIVE_INFINITY))
        while left:
            event = guide.choice(self._next(left, promising))
            left.remove(event)
            take(event)
            if promising and guide.choice((False, True)):
                pair = (event.source, event.template)
                times = (later.timestamp for later in left if (later.source, later.template) == pair)
                take(Promise(*pair, min(times, default=POSITIVE_INFINITY)))
        results.extend(machine.end())
        expected = evaluate(self.query, ordered(items, self._stream(self.disorder)), self.readings)
        outcome = tuple(match_lines(results)), tuple(match_lines(expected))
        self.explored.outcomes.setdefault(outcome, tuple(items))
        return outcome

    def _next(self, left: Sequence[Event], promising: bool) -> Sequence[Event]:
        """Return the events that may come next. In the order of arrival, another order is another trace."""
        if self.readings.order == "arrival":
            return left[:1]
        if promising:
            return list({(event.source, event.template): event for event in reversed(left)}.values())
        least = min(event.timestamp for event in left)
        return [event for event in left if event.timestamp - self.disorder <= least]
