"""The reasons why a recorded run of the machine differs from the algebra: contradicted steps, and partial matches that
were never released."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from parte.conformance.partelang.contradiction import Contradiction, Held, Kind, Review, contradiction, events_of
from parte.conformance.partelang.truth import Ids, Truth, ids_of, show
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.machine import Step
from parte.semantics.partelang.network import Network, Node
from parte.semantics.partelang.tokens import AlphaToken, Token, describe, describe_bound


@dataclass(frozen=True, slots=True)
class Judgement:
    """The contradicted steps that matter, in order, and the partial matches that were never released."""

    contradictions: tuple[Contradiction, ...]
    held: tuple[Held, ...]


def judge(
    steps: Sequence[Step], truth: Truth, network: Network, missing: Sequence[Match], spurious: Sequence[Match]
) -> Judgement:
    """Return the reasons for the differences of a recorded run from the algebra."""
    review = Review(truth, network)
    losses: list[Contradiction] = []
    surpluses: list[Contradiction] = []
    for step in steps:
        review.note(step)
        losses.extend(() if losses else review.losses(step))
        surpluses.extend(() if surpluses else review.surpluses(step))
        if (losses or not missing) and (surpluses or not spurious) and (losses or surpluses):
            break
    held = () if losses else tuple(review.held(missing))
    contradictions = [*losses[:1], *surpluses]
    suspects = {item.node: item.step for item in reversed(contradictions) if review.heeds_bounds(item)}
    suspects.update({item.node: len(steps) + 1 for item in held})
    lie = _first_false_bound(steps, truth, network, suspects)
    contradictions.extend([lie] if lie is not None else [])
    order = tuple(Kind)
    return Judgement(tuple(sorted(contradictions, key=lambda item: (item.step, order.index(item.kind)))), held)


# --- False bounds ---------------------------------------------------------------------------------------------------


def _first_false_bound(
    steps: Sequence[Step], truth: Truth, network: Network, suspects: Mapping[str, int]
) -> Contradiction | None:
    """Return the first step, before the suspected ones, that sent a false bound towards one of the suspected nodes."""
    false_bounds: list[Contradiction] = []
    deadlines = _deadlines(network, suspects)
    for node in network.nodes:
        deadline = deadlines.get(node.name)
        if deadline is not None:
            own = [step for step in steps if step.node == node.name]
            false_bounds.extend(
                false_bound for false_bound in _false_bounds(own, truth, node) if false_bound.step < deadline
            )
    return min(false_bounds, key=lambda false_bound: false_bound.step, default=None)


def _deadlines(network: Network, suspects: Mapping[str, int]) -> dict[str, int]:
    """Return, for each node above a suspected one, the step before which its bounds may have mattered."""
    above: dict[str, int] = {}
    for index in range(len(network.nodes) - 1, -1, -1):
        for successor in network.successors[index]:
            target, name = network.nodes[successor.node].name, network.nodes[index].name
            until = max(suspects.get(target, 0), above.get(target, 0))
            if until:
                above[name] = max(until, above.get(name, 0))
    return above


def _false_bounds(steps: Sequence[Step], truth: Truth, node: Node) -> Iterator[Contradiction]:
    """Yield the steps of a node that sent a bound which a later payload of the same node breaks, last first."""
    least: dict[int, tuple[Event, Ids, int]] = {}
    for step in reversed(steps):
        for token in reversed(step.produced):
            bounds = (token.bound,) if isinstance(token, AlphaToken) else token.bounds
            for position, bound in enumerate(bounds):
                event, ids, later = least.get(position, (None, (), 0))
                if event is not None and event.timestamp < bound:
                    variables = truth.nodes[node.name].variables if node.name in truth.nodes else ("event",)
                    yield contradiction(
                        step,
                        Kind.FALSE_BOUND,
                        f"the token {describe(token)} promises no later {variables[position]} before "
                        f"{describe_bound(bound)}, but {'the same step' if later == step.number else f'step {later}'} "
                        f"sends {show(variables, ids)} with {event.id} at {event.timestamp}",
                    )
                    break
            _lower(least, step, token, truth, node)


def _lower(least: dict[int, tuple[Event, Ids, int]], step: Step, token: Token, truth: Truth, node: Node) -> None:
    """Record a payload that the algebra has too; others prove nothing against a bound."""
    events = events_of(token)
    older = [i for i, event in enumerate(events) if i not in least or event.timestamp < least[i][0].timestamp]
    if older and token.payload is not None and truth.objection(node, token.payload) is None:
        least.update({i: (events[i], ids_of(events), step.number) for i in older})
