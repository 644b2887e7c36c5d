"""Search through the states of a machine that crashes, every crash at every moment (specification: crash-results).

A crash and the restoration of its node are one step here. This loses no result: while a node is down, nobody reads or
changes its memory, and its durable state stays, so the steps in between may as well come before the crash. When a
checkpoint is due, the search takes it before other steps, but for crashes; a longer period has the later ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from parte.semantics.events.event import Arrival
from parte.semantics.events.match import Match
from parte.semantics.partelang.failures.durable import Durable, Memory
from parte.semantics.partelang.failures.machine import FailingMachine, Fault, FaultKind
from parte.semantics.partelang.machine import Action, ActionKind
from parte.semantics.source.collection import paused_collection

Act = Action | Fault
Path = tuple[Act, ...]


class CrashState(NamedTuple):
    """A state: the number of each node's content, the arrivals that each queue has let in, reports, crashes so far."""

    nodes: tuple[int, ...]
    read: tuple[int, ...]
    reported: tuple[str, ...]
    crashes: int


@dataclass(frozen=True, slots=True)
class CrashEnd:
    """A result in which a run may end: the matches as JSON, sorted, whether a token is left, and a shortest path."""

    reported: tuple[str, ...]
    finished: bool
    path: Path


@dataclass(frozen=True, slots=True)
class CrashSearch:
    """The result of a search: states, crashes that were tried, those that changed the state, and the different ends.

    `complete`: no limit stopped the search.
    """

    states: int
    crashes: int
    changing: int
    ends: tuple[CrashEnd, ...]
    complete: bool


class CrashSpace:
    """The states that a machine may reach, with the steps between them. The machine must be new, and is used up.

    Raise ValueError for a network that suppresses emissions: decisions about matches are no part of the states.
    """

    def __init__(self, machine: FailingMachine, arrivals: Iterable[Arrival]) -> None:
        if any(machine.undecided.suppressing.values()):
            raise ValueError("the search cannot follow a program with `once`; remove it")
        for arrival in arrivals:
            machine.feed(arrival)
        self.machine = machine
        self._arrivals = [tuple(queue.arrivals) for queue in machine.queues]
        self._numbers: dict[Hashable, int] = {}
        self._contents: list[tuple[Memory, Durable]] = []
        places = range(len(machine.nodes))
        self._in_place = [self._number(index) for index in places]
        self.initial = CrashState(tuple(self._in_place), (0,) * len(machine.queues), (), 0)

    def steps(self, state: CrashState, most: int) -> Iterator[tuple[Act, CrashState]]:
        """Yield the steps from a state, and the states after them; crashes only while there were fewer than `most`."""
        self._load(state)
        acts = self.machine.acts()
        if due := [act for act in acts if act.kind is FaultKind.CHECKPOINT]:
            acts = [due[0]]
        if state.crashes < most:
            acts += [Fault(FaultKind.CRASH, index) for index in range(len(self.machine.nodes))]
        for act in acts:
            if (after := self._after(state, act)) is not None:
                yield act, after

    def finished(self, state: CrashState) -> bool:
        """Return whether no token is left in a state."""
        self._load(state)
        return self.machine.finished

    def _after(self, state: CrashState, act: Act) -> CrashState | None:
        """Return the state after a step; None if the step is impossible."""
        self._load(state)
        machine = self.machine
        if not machine.take(act):
            return None
        crash = isinstance(act, Fault) and act.kind is FaultKind.CRASH
        if crash:
            machine.restore(act.place)
        nodes = list(state.nodes)
        for index in machine.touched(act):
            nodes[index] = self._in_place[index] = self._number(index)
        read = state.read
        if act.kind is ActionKind.ARRIVE:
            read = (*read[: act.place], read[act.place] + 1, *read[act.place + 1 :])
        reported = state.reported
        if machine.matches:
            reported = tuple(sorted((*reported, *map(Match.to_json, machine.matches))))
        return CrashState(tuple(nodes), read, reported, state.crashes + crash)

    def _number(self, index: int) -> int:
        content = (self.machine.memory(index), self.machine.durable[index])
        key = (index, content)
        if key not in self._numbers:
            self._numbers[key] = len(self._contents)
            self._contents.append(content)
        return self._numbers[key]

    def _load(self, state: CrashState) -> None:
        machine = self.machine
        for index, number in enumerate(state.nodes):
            if self._in_place[index] != number:
                memory, durable = self._contents[number]
                machine.remember(index, memory)
                machine.durable[index] = durable
                self._in_place[index] = number
        for queue, arrivals, read in zip(machine.queues, self._arrivals, state.read, strict=True):
            if len(queue.arrivals) != len(arrivals) - read:
                queue.arrivals.clear()
                queue.arrivals.extend(arrivals[read:])
        machine.matches = []


_Ends = dict[tuple[tuple[str, ...], bool], CrashEnd]


def search_crashes(
    space: CrashSpace, most: int, limit: int | None = None, expected: Collection[str] | None = None
) -> CrashSearch:
    """Visit the states with at most `most` crashes, at most `limit` of them (None: all), nearest first.

    With `expected`, matches as JSON, the search stops at the first end with others, or with a token left.
    """
    came_from: dict[CrashState, tuple[CrashState, Act] | None] = {space.initial: None}
    counts: Counter[str] = Counter()
    ends: _Ends = {}
    frontier, complete = [space.initial], True
    with paused_collection():
        while frontier:
            reached: list[CrashState] = []
            for state in frontier:
                final = True
                for act, after in space.steps(state, most):
                    if act.kind is FaultKind.CRASH:
                        counts["crashes"] += 1
                        if after.nodes == state.nodes:
                            continue
                        counts["changing"] += 1
                    else:
                        final = False
                    if after in came_from:
                        continue
                    if len(came_from) == limit:
                        complete = False
                        break
                    came_from[after] = (state, act)
                    reached.append(after)
                if final and (key := (state.reported, space.finished(state))) not in ends:
                    ends[key] = CrashEnd(*key, _path(came_from, state))
                    if expected is not None and key != (tuple(sorted(expected)), True):
                        return _found(came_from, counts, ends, complete=False)
                if not complete:
                    return _found(came_from, counts, ends, complete=False)
            frontier = reached
    return _found(came_from, counts, ends, complete=True)


def _found(
    visited: Collection[CrashState],
    counts: Counter[str],
    ends: dict[tuple[tuple[str, ...], bool], CrashEnd],
    *,
    complete: bool,
) -> CrashSearch:
    return CrashSearch(len(visited), counts["crashes"], counts["changing"], tuple(ends.values()), complete)


def _path(came_from: dict[CrashState, tuple[CrashState, Act] | None], state: CrashState) -> Path:
    path: list[Act] = []
    while (origin := came_from[state]) is not None:
        state, act = origin
        path.append(act)
    return tuple(reversed(path))
