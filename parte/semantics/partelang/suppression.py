"""Suppression: the decisions of a production node with `once`, and the matches that wait for them.

An event is decided when the production's bound is greater than its timestamp: no earlier one can come any more
(specification: suppression).
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from msgspec import Struct

from parte.semantics.events.event import Event
from parte.semantics.events.match import Match, production_source
from parte.semantics.events.outcome import SuppressedEmission
from parte.semantics.partelang.network import Once


@dataclass(frozen=True, slots=True)
class Passed:
    """The last event of each key that passed, unless it can suppress nothing any more: its timestamp and its id."""

    events: Mapping[Hashable, tuple[int, str]] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(frozenset(self.events.items()))


class OnceData(Struct, frozen=True, gc=False):
    """The data of a node that suppresses: events that wait, by timestamp and id, and the last that passed."""

    waiting: tuple[Event, ...] = ()
    last: Passed = Passed()


class Decision(Struct, frozen=True, gc=False):
    """An event that passes, or that the event with the id `by` suppresses."""

    event: Event
    by: str | None


def waiting_with(waiting: tuple[Event, ...], event: Event | None) -> tuple[Event, ...]:
    """Return the events that wait with one more; None is an emission without a value."""
    if event is None:
        return waiting
    more = [*waiting]
    insort(more, event, key=_rank)
    return tuple(more)


def decisions(once: Once, waiting: tuple[Event, ...], passed: Passed, bound: int) -> tuple[Decision, ...]:
    """Return the decisions on the events that wait before a bound, in their order."""
    last = dict[Hashable, tuple[int, str]]()
    decided = []
    for event in waiting:
        if event.timestamp >= bound:
            break
        key = once.key(event)
        before = last.get(key) or passed.events.get(key)
        if before is None or event.timestamp - before[0] >= once.milliseconds:
            last[key] = _rank(event)
            decided.append(Decision(event, None))
        else:
            decided.append(Decision(event, before[1]))
    return tuple(decided)


def undecided(waiting: tuple[Event, ...], decided: tuple[Decision, ...]) -> tuple[Event, ...]:
    """Return the events that still wait; those that are decided are the first."""
    return waiting[len(decided) :]


def passed_last(once: Once, passed: Passed, decided: tuple[Decision, ...], bound: int) -> Passed:
    """Return the last event of each key that passed, without those that can suppress nothing after the bound."""
    passing = {once.key(decision.event): _rank(decision.event) for decision in decided if decision.by is None}
    if not passing:
        return passed
    everything = {**passed.events, **passing}
    return Passed({key: last for key, last in everything.items() if last[0] + once.milliseconds > bound})


def _rank(event: Event) -> tuple[int, str]:
    return event.timestamp, event.id


@dataclass(slots=True)
class _Open:
    """A match, and the number of its emissions that are not decided.

    `by` has, by the ids of its suppressed events, the id of the event that passed.
    """

    match: Match
    left: int
    by: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Undecided:
    """The matches whose emissions wait for a decision. A match and the decisions about it come in any order.

    `suppressing` has, by rule, the positions of its emissions with `once`.
    """

    suppressing: Mapping[str, tuple[int, ...]]
    suppressed: list[SuppressedEmission] = field(default_factory=list)
    _open: dict[str, deque[_Open]] = field(default_factory=dict)
    _decided: dict[str, deque[str | None]] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))

    def matched(self, match: Match) -> Iterator[Match]:
        """Yield the match if everything about it is decided."""
        if match.rule not in self.suppressing:
            yield match
            return
        sources = {production_source(match.rule, position) for position in self.suppressing[match.rule]}
        waiting = [event.id for event in match.emits if event.source in sources]
        entry = _Open(match, len(waiting))
        for identity in waiting:
            self._open.setdefault(identity, deque()).append(entry)
        if not waiting:
            yield match
        for identity in waiting:
            if early := self._decided.get(identity):
                by = early.popleft()
                if not early:
                    del self._decided[identity]
                yield from self._take(identity, by)

    def saved(self) -> Iterator[tuple[Match, tuple[str, ...], Mapping[str, str]]]:
        """Yield each open match with the ids of its undecided events, and of its suppressed ones with those that
        passed. There must be no decision whose match is not there yet."""
        assert not self._decided
        waiting: dict[int, tuple[_Open, list[str]]] = {}
        for identity, entries in self._open.items():
            for entry in entries:
                waiting.setdefault(id(entry), (entry, []))[1].append(identity)
        for entry, identities in waiting.values():
            yield entry.match, tuple(identities), entry.by

    def restore(self, match: Match, identities: Iterable[str], by: Mapping[str, str]) -> None:
        """Open a match again, with what `saved` yields."""
        undecided = tuple(identities)
        entry = _Open(match, len(undecided), dict(by))
        for identity in undecided:
            self._open.setdefault(identity, deque()).append(entry)

    def decided(self, decisions: Iterable[Decision]) -> Iterator[Match]:
        """Yield the matches about which everything is decided now."""
        for decision in decisions:
            identity = decision.event.id
            if identity in self._open:
                yield from self._take(identity, decision.by)
            else:
                self._decided.setdefault(identity, deque()).append(decision.by)

    def _take(self, identity: str, by: str | None) -> Iterator[Match]:
        entries = self._open[identity]
        entry = entries.popleft()
        if not entries:
            del self._open[identity]
        entry.left -= 1
        if by is not None:
            entry.by[identity] = by
        if entry.left == 0:
            yield self._without_suppressed(entry)

    def _without_suppressed(self, entry: _Open) -> Match:
        match = entry.match
        for event in match.emits:
            if event.id in entry.by:
                position = int(event.source.rpartition("#")[2])
                by = entry.by[event.id]
                self.suppressed.append(SuppressedEmission(match.rule, position, match.bindings, event.id, by))
        return replace(match, emits=tuple(event for event in match.emits if event.id not in entry.by))
