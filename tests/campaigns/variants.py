"""Optimisations of the machine on wild programs, within the sizes of the checker and with more room: each finds what
`sound` finds, and never blocks."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import ExitStack

from parte.checker.partelang.bounds.bounds import bounds
from parte.checker.partelang.bounds.replay import schedules, skeleton, worst_arrivals
from parte.experiments.variants import scaled
from parte.proofs.partelang.optimisations import OPTIMISATIONS, Combined
from parte.proofs.variants import Variant, applied
from parte.semantics.events.event import Arrival
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import Capacities
from parte.semantics.partelang.counting import NotComputed
from parte.semantics.partelang.execution import network_of, run_network
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.bounds import RUN, TIMEOUT, Bounds, Deployed
from tests.campaigns.running import Broken

LARGER = 3
"""The factor of the room, beside the sizes themselves."""


class Variants(Bounds):
    """The campaign: the programs and deployments of the one on sizes."""

    name = "variants"

    def attack(self, case: Deployed, counts: Counter[str]) -> None:
        """Run the program's skeleton under each optimisation, with every kind of schedule."""
        try:
            program = parse(case.program.text)
            report = bounds(program, case.deployment, timeout=TIMEOUT)
        except (ProgramError, NotComputed):
            counts["no sizes"] += 1
            return
        # The arrivals take no account of keys, which sizes may rest on.
        if case.keys or not report.bounded or any((size.viable or 0) > RUN for size in report.sizes):
            counts["no small sizes"] += 1
            return
        bare = skeleton(program)
        seed = random.Random(case.late).randrange(2)
        arrivals = worst_arrivals(bare, case.deployment, seed, 4, together=not report.any_schedule)
        expected = ran(bare, arrivals).matches
        counts["matches"] += len(expected)
        for optimisation in OPTIMISATIONS:
            combined = [Combined(seed + n, optimisation.take) for n in range(3)]
            all_kinds = combined if optimisation.variant is None else schedules(seed)
            for schedule in all_kinds if report.any_schedule else (RoundRobin(),):
                for room in (1, LARGER):
                    counts[f"runs of {optimisation.name}"] += 1
                    outcome = ran(bare, arrivals, scaled(report.capacities(), room), schedule, optimisation.variant)
                    where = f"{optimisation.name}, {schedule.name}, {room} times the room"
                    if outcome.blocked is not None:
                        raise Broken("blocked", f"{where}: {outcome.blocked}")
                    if outcome.matches != expected:
                        raise Broken("other matches", where)


def ran(
    program: core.Program,
    arrivals: tuple[Arrival, ...],
    capacities: Capacities | None = None,
    schedule: Schedule | None = None,
    variant: Variant | None = None,
) -> Outcome:
    """Return the outcome of a machine, plain or of a variant."""
    with ExitStack() as stack:
        if variant is not None:
            stack.enter_context(applied(variant))
        network = network_of(Scenario(program, {}, (), arrivals))
        return run_network(network, arrivals, SOUND, schedule, capacities or Capacities())
