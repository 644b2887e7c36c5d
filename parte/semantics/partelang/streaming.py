"""A machine of PARTElang on a trace that arrives line by line.

By round-robin only: the other schedules choose among all arrivals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from parte.semantics.events.event import Arrival
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import Unemitted
from parte.semantics.events.scenario import Arriving
from parte.semantics.partelang.blocking import diagnose
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.schedules import entering, settle
from parte.semantics.partelang.suppression import OnceData
from parte.semantics.rulebook.running import Running

_PAUSE: Final = 1_000
"""The machine takes at least so many steps between two empty batches."""


@dataclass(slots=True)
class Streaming(Running[Match]):
    """A machine and the trace as it arrives. `ends` returns the arrivals after the last line."""

    machine: Machine
    arriving: Arriving
    ends: Callable[[], Iterable[Arrival]]
    lines: int = 0
    _enter: Callable[[Arrival], None] = field(init=False)
    _paused: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        settle(self.machine, range(len(self.machine.queues)))
        self._enter = entering(self.machine)

    def feed(self, lines: Iterable[str]) -> Iterator[Sequence[Match]]:
        """Yield the matches of each of the next arrivals. TraceError if a line is wrong."""
        return self._take(self.arriving.more(lines))

    def end(self) -> Iterator[Sequence[Match]]:
        """Yield the matches that become certain when every source ends."""
        return self._take(self.ends())

    def _take(self, arrivals: Iterable[Arrival]) -> Iterator[Sequence[Match]]:
        machine = self.machine
        for arrival in arrivals:
            self._enter(arrival)
            self.lines += 1
            if machine.matches:
                matches, machine.matches = machine.matches, []
                yield canonical(matches)
            if machine.steps_taken - self._paused > _PAUSE:
                self._paused = machine.steps_taken
                yield ()

    def stored(self) -> dict[str, int]:
        """Return the number of partial matches by history."""
        return stored(self.machine)

    def lost(self) -> Sequence[Unemitted]:
        """Return the emissions without a value, and those suppressed, since the last call."""
        undecided = self.machine.undecided
        failures, self.machine.failures = self.machine.failures, []
        suppressed, undecided.suppressed = undecided.suppressed, []
        return (*failures, *suppressed)

    def blocked(self) -> str | None:
        """Return the report of a blocked machine."""
        report = diagnose(self.machine)
        return None if report is None else report.render()


def stored(machine: Machine) -> dict[str, int]:
    """Return the number of partial matches by history."""
    sizes: dict[str, int] = {}
    for state in machine.nodes:
        if isinstance(state.data, TwoInputData):
            sizes[f"{state.site.node.name} left"] = len(state.data.left)
            sizes[f"{state.site.node.name} right"] = len(state.data.right)
        elif isinstance(state.data, OnceData):
            sizes[f"{state.site.node.name} waiting"] = len(state.data.waiting)
            sizes[f"{state.site.node.name} keys"] = len(state.data.last.events)
    return sizes
