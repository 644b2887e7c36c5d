"""Schedules with crashes (specification: crash-schedules)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

from parte.semantics.events.event import Arrival
from parte.semantics.partelang.failures.machine import FailingMachine, Fault, FaultKind
from parte.semantics.partelang.machine import Action, Machine


@dataclass(frozen=True, slots=True)
class Crashing:
    """Draws each step from the possible ones, and before it, with a probability of `rate`, a crash of a node.

    RESTORE and CHECKPOINT are drawn as the other steps, so nodes stay down for a while; a checkpoint is due after
    `period` steps of a node (None: never). `counts` has the number of steps of each kind, by its name. Raise ValueError
    for a rate that is less than 0, or not less than 1.
    """

    rate: float
    seed: int = 0
    period: int | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if not 0 <= self.rate < 1:
            raise ValueError(f"expected a rate of crashes from 0 to less than 1, found {self.rate}")

    @property
    def name(self) -> str:
        return "crashing"

    @property
    def summary(self) -> str:
        """The numbers of crashes, restorations and checkpoints so far, as text."""
        names = {"crash": "crashes", "restore": "restorations", "checkpoint": "checkpoints"}
        return ", ".join(f"{name}: {self.counts[kind]:,}" for kind, name in names.items())

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take steps until none is possible. Raise ValueError for a machine that cannot crash."""
        if not isinstance(machine, FailingMachine):
            raise ValueError("a schedule with crashes needs a machine that can crash")
        for arrival in arrivals:
            machine.feed(arrival)
        draw = random.Random(self.seed)
        places = range(len(machine.nodes))
        acts = {index: machine.acts_at(index) for index in places}
        while True:
            if draw.random() < self.rate and places:
                self._take(machine, Fault(FaultKind.CRASH, draw.choice(places)), acts)
            candidates = [*machine.candidates_outside(), *chain.from_iterable(acts.values())]
            while candidates:
                if self._take(machine, candidates.pop(draw.randrange(len(candidates))), acts):
                    break
            else:
                return

    def _take(self, machine: FailingMachine, act: Action | Fault, acts: dict[int, list[Action | Fault]]) -> bool:
        taken = machine.take(act)
        if taken:
            self.counts[act.kind.value] += 1
            for index in machine.touched(act):
                acts[index] = machine.acts_at(index)
        return taken
