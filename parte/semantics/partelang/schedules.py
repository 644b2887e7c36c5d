"""Schedules: the choice of a machine's next step. D leaves it open (→g is nondeterministic), so it is a parameter.

Every schedule takes steps until none is possible. With `RoundRobin`, events arrive one at a time in the order of the
trace; with the others any source may run ahead of any other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from parte.semantics.events.event import Arrival
from parte.semantics.partelang.machine import Action, ActionKind, Machine
from parte.semantics.partelang.staged import Staged
from parte.semantics.partelang.tokens import AlphaToken


class Schedule(Protocol):
    """A way of choosing steps."""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        ...

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take steps until none is possible."""
        ...


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """After each arrival every node in turn, from the top down, takes what it can and passes it on."""

    @property
    def name(self) -> str:
        return "round-robin"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        settle(machine, range(len(machine.queues)))
        enter = entering(machine)
        for arrival in arrivals:
            enter(arrival)


def entering(machine: Machine) -> Callable[[Arrival], None]:
    """Return a function that lets an arrival into a machine in which no other waits, and settles the machine."""
    unbounded = machine.unbounded
    if unbounded is None:
        return lambda arrival: settle(machine, (machine.feed(arrival),))
    if isinstance(unbounded, Staged):
        return unbounded.enter
    take = unbounded.settle

    def enter(arrival: Arrival) -> None:
        queue = machine.queue_of(arrival)
        take(queue.targets[0], AlphaToken(queue.source_slot, arrival.bound, arrival.event))

    return enter


def settle(machine: Machine, queues: Iterable[int]) -> None:
    """Do rounds over all nodes until a round changes nothing, after arrivals have come into some of the queues."""
    if machine.unbounded is None:
        while _round(machine):
            pass
        return
    for index in queues:
        queue = machine.queues[index]
        while queue.arrivals:
            arrival = queue.arrivals.popleft()
            machine.unbounded.settle(queue.targets[0], AlphaToken(queue.source_slot, arrival.bound, arrival.event))


def _round(machine: Machine) -> bool:
    moved = False
    for index in range(len(machine.queues)):
        while machine.arrive(index):
            moved = True
    for index, state in enumerate(machine.nodes):
        for slot in state.inbox.slots():
            moved |= machine.proc(index, slot)
        while state.outbox and machine.prop(index):
            moved = True
    return moved


@dataclass(frozen=True, slots=True)
class SeededRandom:
    """Draws each step from the possible ones; the same seed draws the same steps."""

    seed: int = 0

    @property
    def name(self) -> str:
        return "random"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        for arrival in arrivals:
            machine.feed(arrival)
        choices, places = random.Random(self.seed), Places(machine)
        while places.take_first(choices.sample(candidates := places.candidates(), len(candidates))):
            pass


@dataclass(frozen=True, slots=True)
class Adversarial:
    """Prefers the side that ran last, lets events in as early as possible, and starves one node as long as possible.

    The seed selects the starved node.
    """

    seed: int = 0

    @property
    def name(self) -> str:
        return "adversarial"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        for arrival in arrivals:
            machine.feed(arrival)
        starved = self.seed % max(1, len(machine.nodes))  # without rules the rudimentary network has no nodes
        last: Action | None = None

        def rank(action: Action) -> tuple[bool, bool, bool]:
            inside = action.kind is not ActionKind.ARRIVE
            return inside and action.place == starved, action != last, inside

        places = Places(machine)
        while (taken := places.take_first(sorted(places.candidates(), key=rank))) is not None:
            last = taken


class Places:
    """The places of a machine where tokens wait: the candidates of the machine without a walk over all its nodes.

    All steps of the machine have to be taken here.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._actions: dict[int, list[Action]] = {}
        for index in range(len(machine.nodes)):
            self._look(index)

    def candidates(self) -> list[Action]:
        """Return what `Machine.candidates` returns, in the same order."""
        actions = self._machine.candidates_outside()
        for index in sorted(self._actions):
            actions += self._actions[index]
        return actions

    def take_first(self, actions: Iterable[Action]) -> Action | None:
        """Take the first step that is possible, and return it; None if none is."""
        for action in actions:
            if self._machine.take(action):
                for index in self._changed(action):
                    self._look(index)
                return action
        return None

    def _changed(self, action: Action) -> Iterable[int]:
        """Return the nodes from whose inbox or outbox a step took a token, or into which it put one."""
        match action.kind:
            case ActionKind.ARRIVE:
                return (successor.node for successor in self._machine.queues[action.place].targets)
            case ActionKind.PROC:
                return (action.place,)
            case ActionKind.PROP:
                successors = self._machine.network.successors[action.place]
                return (action.place, *(successor.node for successor in successors))

    def _look(self, index: int) -> None:
        if actions := self._machine.candidates_at(index):
            self._actions[index] = actions
        else:
            self._actions.pop(index, None)


SCHEDULES = ("round-robin", "random", "adversarial")


def schedule_of(name: str, seed: int = 0) -> Schedule:
    """Return the schedule called `name` on the command line. Raise ValueError if there is none."""
    if name == "round-robin":
        return RoundRobin()
    if name == "random":
        return SeededRandom(seed)
    if name == "adversarial":
        return Adversarial(seed)
    raise ValueError(f"no schedule is called {name!r}; there are: {', '.join(SCHEDULES)}")
