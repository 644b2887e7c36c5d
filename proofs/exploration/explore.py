"""Exploring a program on a trace: every schedule, every order of arrival among sources (SPEC §5, D §8.3).

from proofs.exploration.explore import explore

print(explore(program, read_trace(lines)).render())
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from algebra.programs import run
from proofs.exploration.reduction import Reduction, expander
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
) -> Exploration:
    """Explore all interleavings of a model's steps on a trace.

    The limit holds for each of the two searches of a reduced exploration. TraceError if the trace breaks its promises;
    MissingPredicate if a declared predicate is not supplied; ValueError for a limit below one.
    """
    items = tuple(items)
    arrivals = arrivals_of(items, disorder=disorder)
    network = compile_program(program, predicates or {}, sources_of(arrivals), model.family)
    space = Space(network, arrivals, model, capacities)
    found = search(space, expander(space, Reduction.FINAL if reduce else Reduction.NONE), max_states)
    boxes = search(space, expander(space, Reduction.BOXES), max_states) if reduce else None
    outcomes, blocked = _outcomes(network, arrivals, model, capacities, found)
    return Exploration(
        model=model.name,
        states=found.states,
        finals=found.finals,
        max_states=max_states,
        truncated=found.truncated,
        box_states=0 if boxes is None else boxes.states,
        boxes_truncated=found.truncated if boxes is None else boxes.truncated,
        outcomes=outcomes,
        blocked=blocked,
        expected=expected_matches(program, items, predicates),
        held=_held(network, found, boxes),
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


def _held(network: Network, found: Found, boxes: Found | None) -> tuple[Held, ...]:
    """The occupancies of both searches: each reaches only what is possible, so the larger of two is right."""
    largest = found.occupancy
    if boxes is not None:
        pairs = zip(found.occupancy, boxes.occupancy, strict=True)
        largest = tuple(Occupancy(*map(max, one, other)) for one, other in pairs)
    return tuple(Held(node.name, occupancy) for node, occupancy in zip(network.nodes, largest, strict=True))
