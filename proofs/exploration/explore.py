"""Exploring a program on a trace: every schedule, every order of arrival among sources (SPEC §5, D §8.3).

from proofs.exploration.explore import explore

print(explore(program, read_trace(lines)).render())
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from algebra.programs import run
from proofs.exploration.reduction import boxes, reduced
from proofs.exploration.report import Exploration, Held
from proofs.exploration.retrace import Outcome, retrace
from proofs.exploration.search import Found, search
from proofs.exploration.states import Occupancy, Space
from semantics.capacities import UNBOUNDED, Capacities
from semantics.compilation import compile_program
from semantics.events.event import Arrival, Event, TraceItem
from semantics.events.match import Match
from semantics.events.promises import arrivals as arrivals_of
from semantics.execution import sources_of
from semantics.expressions import Predicates
from semantics.network import Network
from semantics.repairs import SOUND, Model
from semantics.syntax import core

MAX_STATES = 500_000
"""How many states are visited unless another limit is given."""

NAIVE_EVENTS = 12
"""Traces of so many events are given to the evaluator that defines the algebra, longer ones to the indexed one."""


def explore(
    program: core.Program,
    items: Iterable[TraceItem],
    *,
    model: Model = SOUND,
    capacities: Capacities = UNBOUNDED,
    predicates: Predicates | None = None,
    disorder: int = 0,
    max_states: int | None = MAX_STATES,
    reduce: bool = True,
    box_occupancy: bool = True,
) -> Exploration:
    """Explore all interleavings of a model's steps on a trace.

    The limit holds for each search: a reduced exploration has one for the results and one for each inbox and outbox.
    Without `box_occupancy` the latter are left out, and what is said of inboxes and outboxes are lower bounds.
    TraceError if the trace breaks its promises; MissingPredicate if a declared predicate is not supplied; ValueError
    for a limit below one.
    """
    items = tuple(items)
    arrivals = arrivals_of(items, disorder=disorder)
    network = compile_program(program, predicates or {}, sources_of(arrivals), model.family)
    space = Space(network, arrivals, model, capacities)
    found = search(space, reduced(space) if reduce else space.steps, max_states)
    fullest = search_boxes(space, max_states) if reduce and box_occupancy else None
    outcomes, blocked = _outcomes(network, arrivals, model, capacities, found)
    return Exploration(
        model=model.name,
        states=found.states,
        finals=found.finals,
        max_states=max_states,
        truncated=found.truncated,
        box_states=0 if fullest is None else fullest.states,
        boxes_exact=not found.truncated if not reduce else fullest is not None and not fullest.truncated,
        outcomes=outcomes,
        blocked=blocked,
        expected=expected_matches(program, items, predicates),
        held=_held(network, found, fullest),
        capacities=capacities,
    )


def expected_matches(
    program: core.Program, items: Sequence[TraceItem], predicates: Predicates | None = None
) -> tuple[Match, ...]:
    """The algebra's matches."""
    events = [item for item in items if isinstance(item, Event)]
    return tuple(run(program, events, predicates, "naive" if len(events) <= NAIVE_EVENTS else "indexed").matches)


def _outcomes(
    network: Network, arrivals: Sequence[Arrival], model: Model, capacities: Capacities, found: Found
) -> tuple[tuple[Outcome, ...], Outcome | None]:
    """One path for each different result, and one to a blocked state; the shortest of each."""
    different: dict[object, Outcome] = {}
    blocked = None
    for end in found.ends:
        outcome = retrace(network, arrivals, model, capacities, end.path)
        different.setdefault((outcome.matches, outcome.failures), outcome)
        if blocked is None and end.blocked:
            blocked = outcome
    return tuple(different.values()), blocked


@dataclass(frozen=True, slots=True)
class Fullest:
    """The largest occupancies that the searches for each inbox and outbox met; right for these, if none was cut short.

    `states` were visited by all of them together.
    """

    occupancy: tuple[Occupancy, ...]
    states: int
    truncated: bool


def search_boxes(space: Space, limit: int | None = None) -> Fullest:
    """Search for the largest occupancy of every inbox and outbox, each by itself."""
    found = [search(space, reduced(space, box), limit) for box in boxes(space)]
    occupancy = found[0].occupancy if found else ()
    for one in found[1:]:
        occupancy = _larger(occupancy, one.occupancy)
    return Fullest(occupancy, sum(one.states for one in found), any(one.truncated for one in found))


def _larger(one: Sequence[Occupancy], other: Sequence[Occupancy]) -> tuple[Occupancy, ...]:
    return tuple(Occupancy(*map(max, *pair)) for pair in zip(one, other, strict=True))


def _held(network: Network, found: Found, fullest: Fullest | None) -> tuple[Held, ...]:
    """The occupancies of all searches: each meets only what is possible, so the largest of them is right."""
    occupancy = found.occupancy if fullest is None else _larger(found.occupancy, fullest.occupancy)
    return tuple(Held(node.name, largest) for node, largest in zip(network.nodes, occupancy, strict=True))
