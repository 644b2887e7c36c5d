"""Exploring a program on a trace: every schedule, every order of arrival among sources (D §8.3;
specification: schedule-exhaustive).

from parte.proofs.partelang.exploration.explore import explore
from parte.semantics.events.scenario import Scenario

print(explore(Scenario.of(program, read_trace(lines))).render())
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from parte.algebra.partelang.programs import run
from parte.proofs.partelang.exploration.effort import Effort
from parte.proofs.partelang.exploration.reduction import boxes, reduced
from parte.proofs.partelang.exploration.report import Exploration, Held
from parte.proofs.partelang.exploration.retrace import Retraced, retrace
from parte.proofs.partelang.exploration.search import Final, Found, search, walk
from parte.proofs.partelang.exploration.states import Occupancy, Space
from parte.semantics.events.event import Arrival
from parte.semantics.events.match import Match
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.execution import network_of
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model

MAX_STATES = 500_000
"""Default limit on the number of visited states."""

WALKS = 1_000
"""Number of schedules that are drawn if not all can be visited."""

NAIVE_EVENTS = 12
"""Traces of at most so many events use the evaluator that defines the algebra, longer ones the indexed one."""


def explore(
    scenario: Scenario[core.Program],
    *,
    model: Model = SOUND,
    capacities: Capacities = UNBOUNDED,
    max_states: int | None = MAX_STATES,
    reduce: bool = True,
    box_occupancy: bool = True,
    effort: Effort | None = None,
) -> Exploration:
    """Explore all interleavings of a model's steps on a trace.

    The limit applies to each search: a reduced exploration has one for the results and one for each inbox and outbox.
    If the search for the results does not end within the limit or the effort, schedules are drawn at random, too.
    Without `box_occupancy` the searches for inboxes and outboxes are left out, and their occupancies are lower bounds.
    Raise MissingPredicate if a declared predicate is not supplied; CapacitiesError if capacities name a node that does
    not exist; ValueError for a limit below one.
    """
    arrivals = scenario.arrivals
    network = network_of(scenario, model)
    capacities.check(node.name for node in network.nodes)
    space = Space(network, arrivals, model, capacities)
    # The reduction lets PROP and PROC at one node commute, which they do not if an outbox may lose its last token.
    reduce = reduce and not space.coalescing
    effort = effort or Effort()
    result = search(space, reduced(space) if reduce else space.steps, max_states, effort=effort, share=1 / 2)
    fullest = search_boxes(space, max_states, effort) if reduce and box_occupancy else None
    ends, drawn = _drawn(space, effort) if result.truncated else ((), 0)
    outcomes, blocked = _outcomes(network, arrivals, model, capacities, (*result.ends, *ends))
    return Exploration(
        model=model.name,
        states=result.states,
        finals=result.finals,
        max_states=max_states,
        truncated=result.truncated,
        drawn=drawn,
        interrupted=effort.interrupted,
        box_states=0 if fullest is None else fullest.states,
        boxes_exact=not result.truncated if not reduce else fullest is not None and not fullest.truncated,
        outcomes=outcomes,
        blocked=blocked,
        # For a long trace the algebra alone may exceed the time.
        expected=expected_matches(scenario) if outcomes else (),
        held=_held(network, result, fullest),
        capacities=capacities,
    )


def expected_matches(scenario: Scenario[core.Program]) -> tuple[Match, ...]:
    """Return the algebra's matches."""
    evaluator: Literal["naive", "indexed"] = "naive" if len(scenario.events) <= NAIVE_EVENTS else "indexed"
    return run(scenario.program, scenario.items, scenario.predicates, evaluator).matches


def _drawn(space: Space, effort: Effort) -> tuple[tuple[Final, ...], int]:
    """Return the different ends of schedules that are drawn at random with a fixed seed, and their number."""
    draw, go_on = random.Random(0), effort.until(1, "schedules drawn")
    ends: dict[object, Final] = {}
    count = 0
    with effort.interruptible():
        # One schedule of a long trace alone may exceed the time.
        while count < WALKS and (end := walk(space, draw, partial(go_on, count))) is not None:
            ends.setdefault((end.blocked, space.seen(end.state)), end)
            count += 1
    return tuple(ends.values()), count


def _outcomes(
    network: Network, arrivals: Sequence[Arrival], model: Model, capacities: Capacities, ends: Sequence[Final]
) -> tuple[tuple[Retraced, ...], Retraced | None]:
    """Return one path for each different result, and one to a blocked state; the first, so a shortest in a search."""
    different: dict[object, Retraced] = {}
    blocked = None
    for end in ends:
        retraced = retrace(network, arrivals, model, capacities, end.path)
        outcome = retraced.outcome
        different.setdefault((outcome.matches, outcome.failures, outcome.suppressed), retraced)
        if blocked is None and end.blocked:
            blocked = retraced
    return tuple(different.values()), blocked


@dataclass(frozen=True, slots=True)
class Fullest:
    """The largest occupancies in the searches for each inbox and outbox; exact for these unless truncated.

    `states` were visited by all of them together.
    """

    occupancy: tuple[Occupancy, ...]
    states: int
    truncated: bool


def search_boxes(space: Space, limit: int | None = None, effort: Effort | None = None) -> Fullest:
    """Search for the largest occupancy of every inbox and outbox, each separately."""
    effort = effort or Effort()
    searches = [search(space, reduced(space, box), limit, effort=effort, share=3 / 4) for box in boxes(space)]
    occupancy = searches[0].occupancy if searches else ()
    for result in searches[1:]:
        occupancy = _larger(occupancy, result.occupancy)
    return Fullest(occupancy, sum(result.states for result in searches), any(result.truncated for result in searches))


def _larger(left: Sequence[Occupancy], right: Sequence[Occupancy]) -> tuple[Occupancy, ...]:
    return tuple(Occupancy(*map(max, *pair)) for pair in zip(left, right, strict=True))


def _held(network: Network, result: Found, fullest: Fullest | None) -> tuple[Held, ...]:
    """Return the occupancies of all searches: each reaches only possible states, so the largest is correct."""
    occupancy = result.occupancy if fullest is None else _larger(result.occupancy, fullest.occupancy)
    return tuple(Held(node.name, largest) for node, largest in zip(network.nodes, occupancy, strict=True))
