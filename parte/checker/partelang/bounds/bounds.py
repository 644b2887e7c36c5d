"""Bounds: the memory and speed that a program needs in a deployment (D §5.3.2, §5.3.7, §5.6;
specification: size-viable, size-prescribed).

For every history, inbox and outbox, two numbers side by side: the size by D's formula, and the size with which `sound`
never blocks and never waits for later events than it needs. docs/bounds.md explains why that size is enough, and where
it is the least.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from parte.checker.environment.deployment import Deployment
from parte.checker.partelang.bounds.polytope import Count, most_alive
from parte.checker.partelang.bounds.report import BoundsReport, Outside, Rates, Size, Tightness
from parte.checker.partelang.bounds.speed import Load, load_of, per_second
from parte.checker.partelang.deployment import fit
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.counting import Budget, NotComputed
from parte.semantics.partelang.network import EntryNode, Network, Node, TerminalNode, TwoInputNode
from parte.semantics.partelang.repairs import SOUND, family_of
from parte.semantics.partelang.retention import (
    UNLIMITED,
    Equalities,
    Knowledge,
    Need,
    NodeNeed,
    OnceNeed,
    Retention,
    retention,
)
from parte.semantics.partelang.sizes import ONE_PER_SIDE, Prescribed, prescribed
from parte.semantics.partelang.streams import Key
from parte.semantics.partelang.syntax import core

ONE_AT_A_TIME = "one token for each token"
A_SLOT = "a slot for each side, or for each source"
WHOLE_STEP = "the most results of one step"


def bounds(program: core.Program, deployment: Deployment, *, timeout: float = math.inf) -> BoundsReport:
    """Return the sizes, rates and speed that a program needs for a deployment.

    Raise DeploymentError if the deployment does not fit the program, NotComputed if a size or a rate is too large to be
    of use, or if counting takes longer than `timeout` seconds.
    """
    try:
        return _bounds(program, deployment, timeout)
    except RecursionError:
        raise NotComputed("rules react to what rules emit over too many strata") from None


def _bounds(program: core.Program, deployment: Deployment, timeout: float) -> BoundsReport:
    # The number of live entries may be reported as a range, also for lack of time; the needed sizes may not.
    budget, listing = Budget.of(timeout), Budget.of(timeout / 2)
    fit(deployment, program)
    network = compiled(program, deployment)
    knowledge = knowledge_of(program, deployment)
    needs = retention(network, deployment.supplies(), knowledge, budget)
    apart = retention(network, deployment.supplies(), Knowledge(knowledge.keys, knowledge.equalities), budget)
    by_formula = prescribed(network, {pair: supply.rate for pair, supply in deployment.supplies().items()})
    load = load_of(network, needs)
    sizes = tuple(_sizes(network, needs, by_formula, listing))
    return BoundsReport(
        sizes=sizes,
        rates=tuple(_rates(network, by_formula, load)),
        outside=tuple(
            Outside(source, template, supply.rate.within(deployment.skew))
            for (source, template), supply in deployment.supplies().items()
        ),
        steps_per_event=load.steps_per_event,
        steps_per_second=load.steps_per_second,
        arrivals_per_second=load.arrivals_per_second,
        machine_steps_per_second=deployment.steps_per_second,
        event_bytes=deployment.event_bytes,
        any_schedule=all(need.outbox is not None for need in apart.needs.values())
        and all(need.outbox is not None for need in apart.suppressions.values()),
        skew=deployment.skew,
        steps_by_rule=_by_rule(network, load),
    )


def _by_rule(network: Network, load: Load) -> dict[str, float]:
    """Return the steps a second that the nodes of each rule take in the long run."""
    steps_by_rule: dict[str, Fraction] = {}
    for node, steps in zip(network.nodes, load.steps, strict=True):
        if not isinstance(node, EntryNode):
            steps_by_rule[node.rule] = steps_by_rule.get(node.rule, Fraction()) + steps
    return {rule: per_second(steps) for rule, steps in steps_by_rule.items()}


def compiled(program: core.Program, deployment: Deployment) -> Network:
    """Return the network of a program for the sources of a deployment. All domain predicates are assumed to be true."""

    def holds(*_: object) -> bool:
        return True

    return compile_program(
        program, {predicate.name: holds for predicate in program.predicates}, deployment.senders(), family_of(SOUND)
    )


# --- Knowledge from the program and the deployment, besides rates
# ----------------------------------------------------


def knowledge_of(program: core.Program, deployment: Deployment) -> Knowledge:
    """Return the keys that the deployment declares, the equalities of the rules, and the skew."""
    keys: dict[str, dict[frozenset[str], Key]] = {}
    for declared in deployment.cardinalities:
        keys.setdefault(declared.template, {})[frozenset(declared.attributes)] = Key(declared.rate, declared.distinct)
    return Knowledge(keys, {rule.name: equalities_of(rule) for rule in program.rules}, deployment.skew)


def equalities_of(rule: core.Rule) -> Equalities:
    """Return the equalities of attributes with each other and with constants, among the conditions of a rule."""
    pairs = []
    fixed: dict[str, frozenset[str]] = {}
    for pattern in rule.patterns:
        for condition in pattern.conditions:
            match condition:
                case core.Comparison(operator="=", left=core.AttributeOf() as left, right=core.AttributeOf() as right):
                    if pattern.positive:
                        pairs.append(((left.variable, left.attribute), (right.variable, right.attribute)))
                case (
                    core.Comparison(operator="=", left=core.AttributeOf() as slot, right=core.Constant())
                    | core.Comparison(operator="=", left=core.Constant(), right=core.AttributeOf() as slot)
                ) if slot.variable == pattern.variable:
                    fixed[slot.variable] = fixed.get(slot.variable, frozenset()) | {slot.attribute}
    return Equalities(tuple(pairs), fixed)


# --- Sizes -----------------------------------------------------------------------------------------------------------


def _sizes(network: Network, needs: Retention, by_formula: dict[str, Prescribed], listing: Budget) -> Iterator[Size]:
    for index, node in enumerate(network.nodes):
        if isinstance(node, TwoInputNode):
            yield from _histories(node, needs, by_formula[node.name], listing)
        slots = network.slots(index)
        width = _width(node)
        yield Size(node.name, "inbox", width, ONE_PER_SIDE, None, 1, 1, Tightness.TIGHT, A_SLOT, slots)
        if isinstance(node, TwoInputNode):
            yield _outbox(node, width, needs.needs[node.name], by_formula[node.name])
        elif (once := needs.suppressions.get(node.name)) is not None:
            yield from _of_suppression(node, once)
        else:
            size = 0 if isinstance(node, TerminalNode) else 1
            yield Size(node.name, "outbox", width, size, None, size, size, Tightness.TIGHT, ONE_AT_A_TIME)


def _of_suppression(node: Node, once: OnceNeed) -> Iterator[Size]:
    """Yield the sizes of a node that suppresses: what waits, what has passed and may suppress, and its outbox."""
    unbounded = once.waiting is None
    for store, size, reason in (
        ("waiting", once.waiting, "the events that may still have an earlier one"),
        ("passed", once.passed, "one event for each key, of the last duration"),
        ("outbox", once.outbox, WHOLE_STEP),
    ):
        verdict = Tightness.UNBOUNDED if size is None else Tightness.GAP
        yield Size(
            node.name, store, 1, None, None, size, min(1, size or 0), verdict, UNLIMITED if unbounded else reason
        )


def _width(node: Node) -> int:
    """Return the most events that a token that leaves the node contains."""
    if isinstance(node, TwoInputNode):
        return len(node.left) + (not node.negated)
    return 1


def _histories(node: TwoInputNode, needs: Retention, by_formula: Prescribed, listing: Budget) -> Iterator[Size]:
    need = needs.needs[node.name]
    alive = _alive(node, needs, listing)
    of_left = max(need.left.least, alive.least)
    yield _history(node, "left", len(node.left), by_formula.left, need.left, alive, of_left)
    right = Count(need.right.live or 0, need.right.live or 0)
    yield _history(node, "right", 1, by_formula.right, need.right, right, need.right.least)


def _history(
    node: TwoInputNode, store: str, width: int, by_formula: int | None, need: Need, alive: Count, least: int
) -> Size:
    if need.viable is None:
        verdict = Tightness.UNBOUNDED
    else:
        least = min(least, need.viable)
        verdict = Tightness.TIGHT if least == need.viable else Tightness.GAP
    return Size(node.name, store, width, by_formula, alive, need.viable, least, verdict, need.reason)


def _alive(node: TwoInputNode, needs: Retention, listing: Budget) -> Count:
    """Return the most left partial matches that are live once all sources have promised everything."""
    left, right = needs.inputs[node.name]
    count = most_alive(left.partial, node.maxima, [defeat.maxima for defeat in left.defeats], listing)
    against = [defeat.stream for defeat in left.defeats] + list(right.partial.streams) * node.negated
    # Events that fill the patterns may defeat each other, and emitted events cannot be left out.
    certain = not any(stream.emissions or stream in left.partial.streams for stream in against)
    certain = certain and not node.collects  # a partial match may be reported before its window is over
    return count if certain else Count(0, count.greatest)


def _outbox(node: TwoInputNode, width: int, need: NodeNeed, by_formula: Prescribed) -> Size:
    if need.outbox is None:
        return Size(
            node.name, "outbox", width, by_formula.outbox, None, None, 1, Tightness.UNBOUNDED, need.without_limit
        )
    attained = not node.waits and len(node.left) == 1 and need.left.tight and need.right.tight
    least = need.outbox if attained else 1
    verdict = Tightness.TIGHT if least == need.outbox else Tightness.GAP
    return Size(node.name, "outbox", width, by_formula.outbox, None, need.outbox, least, verdict, WHOLE_STEP)


# --- Rates -----------------------------------------------------------------------------------------------------------


def _rates(network: Network, by_formula: dict[str, Prescribed], load: Load) -> Iterator[Rates]:
    for index, node in enumerate(network.nodes):
        known = by_formula.get(node.name)
        yield Rates(
            node.name,
            None if known is None else per_second(known.left_arrival),
            None if known is None else per_second(known.right_arrival),
            None if known is None else per_second(known.production),
            per_second(load.arriving[index]),
            per_second(load.leaving[index]),
            per_second(load.steps[index]),
        )
