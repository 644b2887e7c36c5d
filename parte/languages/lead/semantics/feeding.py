"""A rule that is fed events as they come (specification: lead-trace, lead-partition, lead-step).

Each match is reported as soon as its instant is over: when an event comes that is later, by more than the disorder. A
run of a window that is over stays until no guard of it is due.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from parte.languages.lead.semantics.machine import Machine, in_order
from parte.languages.lead.semantics.net import Run
from parte.languages.lead.semantics.partitioning import key_of, keys_of
from parte.languages.lead.semantics.syntax.matches import Keys, Match, Occurrence
from parte.languages.lead.semantics.syntax.streams import late
from parte.semantics.events.event import Event, Value
from parte.semantics.events.problems import TraceError
from parte.semantics.events.trace import DEFAULT_FILENAME

Group = tuple[object, ...]


@dataclass(slots=True)
class _Stretch:
    """The state of a window in a group: when it began, the number of its events, and the number of the window."""

    began: int
    count: int = 0
    number: int = 0


@dataclass(slots=True)
class _Running:
    """The run of a group, the values that identify its partition, the first instant at which a guard wakes it, and
    whether no more events will come."""

    run: Run
    keys: Keys
    due: int | None = None
    over: bool = False


@dataclass(slots=True)
class Feeding:
    """A machine that takes one event at a time; an event may be `disorder` milliseconds later than one before it."""

    machine: Machine
    disorder: int = 0
    filename: str = DEFAULT_FILENAME
    _streams: frozenset[str] = field(init=False)
    _latest: int | None = None
    _arrivals: int = 0
    _waiting: list[tuple[tuple[int, int], Occurrence]] = field(default_factory=list)
    _stretches: dict[Group, _Stretch] = field(default_factory=dict)
    _runs: dict[Group, _Running] = field(default_factory=dict)
    _due: list[tuple[int, int, Group]] = field(default_factory=list)
    _closing: list[Group] = field(default_factory=list)
    _numbers: int = 0

    def __post_init__(self) -> None:
        self._streams = frozenset(stream.name for stream in self.machine.rule.streams)

    def event(self, event: Event) -> list[Match]:
        """The matches that are certain when an event has come, by end. TraceError if it is too late."""
        problem = late(event, self._latest, self.disorder, self.filename)
        if problem is not None:
            raise TraceError([problem])
        self._latest = event.timestamp if self._latest is None else max(self._latest, event.timestamp)
        if event.template in self._streams:
            position = (event.timestamp, self._arrivals)
            heappush(self._waiting, (position, Occurrence(position, event)))
        self._arrivals += 1
        return self._until(self._latest - self.disorder)

    def end(self) -> list[Match]:
        """The matches that are left at the end of the trace, when time has run on until no guard is due."""
        return self._until(None)

    @property
    def kept(self) -> int:
        """The number of events that wait for their instant, and of tokens in the nets."""
        return len(self._waiting) + sum(1 for running in self._runs.values() for _ in running.run.marking)

    def _until(self, bound: int | None) -> list[Match]:
        """Take every instant before a bound; return the matches."""
        matches: list[Match] = []
        while self._waiting and (bound is None or self._waiting[0][0][0] < bound):
            now = self._waiting[0][0][0]
            matches += self._guards(now)
            matches += self._instant(now, self._come(now))
        matches += self._guards(bound)
        return matches

    def _come(self, now: int) -> Iterator[Occurrence]:
        while self._waiting and self._waiting[0][0][0] == now:
            yield heappop(self._waiting)[1]

    def _guards(self, bound: int | None) -> list[Match]:
        """Fire what is due before an instant."""
        matches: list[Match] = []
        while self._due and (bound is None or self._due[0][0] < bound):
            now = self._due[0][0]
            matches += self._together(now, {group: [] for group in self._woken(now)})
        return matches

    def _woken(self, now: int) -> Iterator[Group]:
        """Yield the groups that guards wake at an instant."""
        while self._due and self._due[0][0] == now:
            group = heappop(self._due)[2]
            running = self._runs.get(group)
            if running is not None and running.due == now:
                running.due = None
                yield group

    def _instant(self, now: int, here: Iterable[Occurrence]) -> list[Match]:
        arrivals: dict[Group, list[Occurrence]] = {}
        for arrival in here:
            key = key_of(self.machine.rule, arrival)
            if key is not None:
                arrivals.setdefault(self._group(key, arrival), []).append(arrival)
        if self._due and self._due[0][0] == now:
            for group in self._woken(now):
                arrivals.setdefault(group, [])
        matches = self._together(now, arrivals)
        for beginning in self._closing:
            self._forget(beginning)
        self._closing.clear()
        return matches

    def _together(self, now: int, arrivals: dict[Group, list[Occurrence]]) -> list[Match]:
        """An instant of several groups."""
        matches: list[Match] = []
        for group, here in arrivals.items():
            running = self._runs.get(group)
            if running is None:
                running = self._runs[group] = _Running(self.machine.begun(Run), self._keys(group, here[0]))
                running.run.begin(now)
            running.run.instant(now, here)
            if running.run.results:
                matches += self.machine.reported(running.run.results, running.keys)
                running.run.results = []
            self._wake(group, running)
        return in_order(matches) if matches else matches

    def _keys(self, group: Group, first: Occurrence) -> Keys:
        """Return the keys of the partition of a group, by its first event."""
        rule = self.machine.rule
        values = sum(key.length is None for key in rule.keys)
        numbers = [number for number in group[values + 1 :: 2] if isinstance(number, int)]
        return keys_of(rule, first, numbers)

    def _wake(self, group: Group, running: _Running) -> None:
        """Remember when a guard is due, or forget a run that is over."""
        due = running.run.next_due
        if due is None:
            if running.over:
                del self._runs[group]
        elif running.due is None or due < running.due:
            self._numbers += 1
            running.due = max(due, running.run.now)
            heappush(self._due, (running.due, self._numbers, group))

    def _group(self, key: tuple[tuple[bool, bool, Value], ...], event: Occurrence) -> Group:
        """The group of an event: its values, and for each window which one it is in."""
        group: Group = key
        for place, part in enumerate(self.machine.rule.keys):
            if part.length is None:
                continue
            stretch = self._stretches.setdefault((place, *group), _Stretch(event.time))
            length = part.length
            number = (
                stretch.count // length
                if isinstance(length, int)
                else ((event.time - stretch.began) // length.milliseconds)
            )
            if number != stretch.number:
                self._closing.append((*group, place, stretch.number))
            stretch.count, stretch.number = stretch.count + 1, number
            group = (*group, place, number)
        return group

    def _forget(self, beginning: Group) -> None:
        """No more events come to the windows of a group."""
        size = len(beginning)
        if beginning in self._runs:
            groups = [beginning]
        else:  # more windows follow
            groups = [known for known in self._runs if known[:size] == beginning]
        for group in groups:
            self._runs[group].over = True
            if self._runs[group].run.next_due is None:
                del self._runs[group]
        for place in [stretch for stretch in self._stretches if stretch[1 : size + 1] == beginning]:
            del self._stretches[place]
