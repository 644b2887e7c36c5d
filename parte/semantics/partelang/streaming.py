"""A machine on arrivals that come one by one: what it finds is handed on at once.

By round-robin only: the other schedules choose among all arrivals.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from parte.semantics.events.event import Arrival
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.partelang.execution import collector_paused
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.schedules import entering, settle

_LOOKED_AT: Final = 1_000
"""So many steps are taken, and often more, between looks at what the machine stores."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came of some arrivals."""

    matches: list[Match]
    failures: list[EmissionFailure]


@dataclass(slots=True)
class Watch:
    """How far a run is: arrivals so far, matches so far, and what was stored by each history when last looked at."""

    arrivals: int = 0
    matches: int = 0
    stored: dict[str, int] = field(default_factory=dict)

    @property
    def partial(self) -> int:
        """How many partial matches were stored."""
        return sum(self.stored.values())

    def largest(self, most: int) -> list[tuple[str, int]]:
        """The histories that store most, with how much."""
        return sorted(self.stored.items(), key=lambda item: -item[1])[:most]


def running(machine: Machine, arrivals: Iterable[Arrival], watch: Watch) -> Generator[Found | None]:
    """What a machine finds, as it does; None now and then when the watch was brought up to date."""
    looked = 0
    with collector_paused(), _looking(machine, watch):
        settle(machine, range(len(machine.queues)))
        enter = entering(machine)
        for arrival in arrivals:
            enter(arrival)
            watch.arrivals += 1
            if machine.matches or machine.failures:
                found = Found(machine.matches, machine.failures)
                machine.matches, machine.failures = [], []
                watch.matches += len(found.matches)
                yield found
            if machine.steps_taken - looked > _LOOKED_AT:
                looked = machine.steps_taken
                watch.stored = stored(machine)
                yield None


@contextmanager
def _looking(machine: Machine, watch: Watch) -> Iterator[None]:
    """At the end, however it came, the watch is brought up to date."""
    try:
        yield
    finally:
        watch.stored = stored(machine)


def stored(machine: Machine) -> dict[str, int]:
    """How many partial matches each history stores."""
    found: dict[str, int] = {}
    for state in machine.nodes:
        if isinstance(state.data, TwoInputData):
            found[f"{state.site.node.name} left"] = len(state.data.left)
            found[f"{state.site.node.name} right"] = len(state.data.right)
    return found
