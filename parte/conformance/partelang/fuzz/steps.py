"""The step of `sound` whose effect an engine contradicts, for errors that no known mutant shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from parte.conformance.fixtures import Fixture
from parte.conformance.kit import Measures
from parte.conformance.partelang.contradiction import events_of
from parte.conformance.partelang.measure import constructs, extensions, read_input, rules_fired
from parte.conformance.partelang.truth import Ids, ids_of, show
from parte.semantics.partelang.execution import execute, network_of
from parte.semantics.partelang.machine import Step
from parte.semantics.partelang.network import AlphaNode, Node, ProductionNode, TwoInputNode
from parte.semantics.partelang.tokens import describe

Json = Any


def contradicted_step(case: Fixture, missing: Sequence[Json], spurious: Sequence[Json]) -> tuple[str, str] | None:
    """Return the inference rule of the step whose effect an engine contradicts, and a sentence that names the step.

    For a missing match it is the first step in which `sound` forms it whole. For a spurious one it is the first step in
    which `sound` drops a part of it. None if there is no such step.
    """
    scenario = read_input(case)
    steps: list[Step] = []
    execute(scenario, recorder=steps.append)
    network = network_of(scenario)
    for match, lacks in (*((match, True) for match in missing), *((match, False) for match in spurious)):
        bindings = match.get("bindings") if type(match) is dict else None
        if type(bindings) is not dict or not all(type(name) is str for name in bindings.values()):
            continue
        nodes = [node for node in network.nodes if getattr(node, "rule", None) == match.get("rule")]
        step_and_sentence = _former(steps, nodes, bindings) if lacks else _preventer(steps, nodes, bindings)
        if step_and_sentence is not None:
            return step_and_sentence
    return None


def _former(steps: Sequence[Step], nodes: Sequence[Node], bindings: dict[str, str]) -> tuple[str, str] | None:
    """Return the step that forms a whole match, at the last node except those that report and emit."""
    for node in reversed(nodes):
        if isinstance(node, AlphaNode | TwoInputNode) and _yield(node) == tuple(bindings):
            wanted = tuple(bindings.values())
            step = next((s for s in steps if s.node == node.name and _produces(s, wanted)), None)
            return None if step is None else (step.rule, f"{_step_text(step)} yields {show(bindings, wanted)}")
    return None


def _preventer(steps: Sequence[Step], nodes: Sequence[Node], bindings: dict[str, str]) -> tuple[str, str] | None:
    """Return the step that drops a part of a match; one that emits, if the match itself is correct."""
    for node in nodes:
        own = [step for step in steps if step.node == node.name]
        if isinstance(node, ProductionNode):
            emits = next((s for s in own if ids_of(events_of(s.token)) == tuple(bindings.values())), None)
            if emits is not None:
                return emits.rule, f"{_step_text(emits)} says what is emitted, once"
        if not isinstance(node, AlphaNode | TwoInputNode) or not set(_yield(node)) <= bindings.keys():
            continue
        wanted = tuple(bindings[variable] for variable in _yield(node))
        if any(_produces(step, wanted) for step in own):
            continue
        step = _given_up(own, node, bindings)
        return None if step is None else (step.rule, f"{_step_text(step)} does not yield {show(_yield(node), wanted)}")
    return _former(steps, nodes, bindings)


def _given_up(own: Sequence[Step], node: AlphaNode | TwoInputNode, bindings: dict[str, str]) -> Step | None:
    """Return the first step at a node after which a payload can no longer be formed there."""
    if isinstance(node, AlphaNode):
        return next((s for s in own if ids_of(events_of(s.token)) == (bindings.get(node.variable),)), None)
    left = tuple(bindings[variable] for variable in node.left)
    if node.waits:
        for step in own:
            removed = [ids_of(entry.events) for entry in step.left_removed]
            stored = [ids_of(entry.events) for entry in step.left_stored]
            if left in removed or (_arrives(step, left) and left not in stored):
                return step
        return None
    right = (bindings[node.right],)
    brought = [
        step for step in own if _arrives(step, left) or (step.slot != "left" and ids_of(events_of(step.token)) == right)
    ]
    return brought[-1] if brought else None


def _arrives(step: Step, left: Ids) -> bool:
    return step.slot == "left" and ids_of(events_of(step.token)) == left


def _yield(node: AlphaNode | TwoInputNode) -> tuple[str, ...]:
    """Return the variables of the payloads that a node passes on."""
    if isinstance(node, AlphaNode):
        return (node.variable,)
    return node.left if node.waits else (*node.left, node.right)


def _produces(step: Step, wanted: Ids) -> bool:
    return any(token.payload is not None and ids_of(events_of(token)) == wanted for token in step.produced)


def _step_text(step: Step) -> str:
    return f"step {step.number} of sound at {step.node} on {describe(step.token)}"


MEASURES = Measures(rules_fired, constructs, contradicted_step, extensions)
