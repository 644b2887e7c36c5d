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
        choices = random.Random(self.seed)
        while _first_possible(machine, choices.sample(candidates := machine.candidates(), len(candidates))):
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

        while (taken := _first_possible(machine, sorted(machine.candidates(), key=rank))) is not None:
            last = taken


def _first_possible(machine: Machine, actions: Iterable[Action]) -> Action | None:
    for action in actions:
        if machine.take(action):
            return action
    return None


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
