"""The algebra's verdicts on parts of a match: on the payloads that the nodes of a network pass on
(specification: meaning-rule).

The definition of the algebra's patterns decides payload by payload whether a payload is correct; no prefix of a rule is
evaluated as a whole, which could have far more partial matches than any machine produces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.algebra.partelang.evaluate import holds
from parte.algebra.partelang.mapping import pattern_of
from parte.algebra.partelang.patterns import (
    All,
    Binding,
    Condition,
    Conjunction,
    Disjunction,
    Filter,
    FilteredNegation,
    Pattern,
    Within,
    type_of,
)
from parte.semantics.events.event import Event
from parte.semantics.events.match import Match, production_source
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.network import AlphaNode, EntryNode, Network, Node, ProductionNode, TwoInputNode
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.tokens import PartialMatch
from parte.semantics.source.spans import NOWHERE

Ids = tuple[str, ...]
"""A partial match by the ids of its events."""

Valuation = frozenset[tuple[str, Event]]


def ids_of(events: PartialMatch) -> Ids:
    """Return the ids of the events, which identify a partial match among others of its kind."""
    return tuple([event.id for event in events])


def named(events: PartialMatch) -> Ids:
    """Return the ids of the events, without summaries of sets, which have none."""
    return tuple([event.id for event in events if event.id])


def show(variables: Iterable[str], ids: Iterable[str]) -> str:
    """Return a partial match as text; a summary of a set has no id."""
    return f"({', '.join(f'{variable}={name}' for variable, name in zip(variables, ids, strict=True) if name)})"


@dataclass(frozen=True, slots=True)
class NodeTruth:
    """The payloads that a node of a rule should pass on.

    `variables` name the events of its payloads. `needed` contains the payloads without which the algebra's matches
    cannot be found, each with one match that needs it; at the alpha node of a negated pattern it is empty.
    """

    node: Node
    variables: tuple[str, ...]
    pattern: Pattern
    needed: Mapping[Ids, Match]


class Truth:
    """The algebra's verdicts on the payloads of a network, by the name of the node that passes them on."""

    def __init__(
        self,
        scenario: Scenario[core.Program],
        network: Network,
        matches: Sequence[Match],
        about: Sequence[Match] | None = None,
    ) -> None:
        """Compute the payloads that the algebra's `matches` need, or only those that the matches `about` need, if
        given."""
        self._domain = scenario.predicates
        self.nodes: dict[str, NodeTruth] = {}
        self._by_template: dict[str, list[Event]] = {}
        self._emitted: dict[tuple[str, Ids], Event] = {}
        self._about: dict[str, list[Match]] = {}
        self._found = {(match.rule, tuple(name for _, name in match.bindings)) for match in matches}
        for match in matches if about is None else about:
            self._about.setdefault(match.rule, []).append(match)
        for match in matches:
            ids = tuple(name for _, name in match.bindings)
            self._emitted.update({(event.source, ids): event for event in match.emits})
        for event in (*scenario.events, *self._emitted.values()):
            self._by_template.setdefault(event.template, []).append(event)
        self.known = {event.id: event for stream in self._by_template.values() for event in stream}
        merging = {index for index, node in enumerate(network.nodes) if isinstance(node, EntryNode) and node.rule}
        emitting = {origin for origin, successor in network.edges() if successor.node in merging}
        self._merged = {network.nodes[index].name for index in merging | emitting}
        """The nodes that pass on what `once` may suppress, of which the matches say nothing."""
        last = {node.rule: node for node in network.nodes if isinstance(node, TwoInputNode) and node.collects}
        self._last = {node.name for node in last.values()}
        for node in network.nodes:
            merged = isinstance(node, AlphaNode) and node.merged
            if isinstance(node, AlphaNode | TwoInputNode) and not merged:
                self.nodes[node.name] = self._node(scenario.program.rule(node.rule), node)

    def _node(self, rule: core.Rule, node: AlphaNode | TwoInputNode) -> NodeTruth:
        names = [pattern.variable for pattern in rule.patterns]
        if isinstance(node, AlphaNode):
            own = rule.patterns[names.index(node.variable)]
            alone = tuple(c for c in own.conditions if core.variables_of(c) <= {own.variable})
            alone_there = replace(own, negated=False, collected=False, conditions=alone)
            part = replace(rule, patterns=(alone_there,), constraints=(), having=())
            variables: tuple[str, ...] = (node.variable,)
        else:
            before = rule.patterns if node.collects else rule.patterns[: names.index(node.right) + 1]
            part = replace(rule, patterns=tuple(p for p in before if not p.collected), having=())
            variables = tuple(pattern.variable for pattern in part.positive)
        if isinstance(node, TwoInputNode) and node.collects:
            variables = (*node.left, node.right)
        sets = {pattern.variable for pattern in rule.collected}
        needed: dict[Ids, Match] = {}
        templates = {pattern.variable: pattern.template for pattern in rule.positive}
        for match in self._about.get(rule.reported, ()):
            bound = {**dict(match.bindings), **(dict.fromkeys(sets, "") if len(variables) > 1 else {})}
            named_events = ((bound[name], of) for name, of in templates.items() if name in bound)
            of_case = all(self.known[event].template == of for event, of in named_events)
            if of_case and bound.keys() >= set(variables):
                needed.setdefault(tuple(bound[variable] for variable in variables), match)
        return NodeTruth(node, variables, pattern_of(part), needed)

    # --- Verdicts ---------------------------------------------------------------------------------------------------

    def objection(self, node: Node, payload: Event | PartialMatch) -> str | None:
        """Return why a node should not pass a payload on; None if it may."""
        if node.name in self._merged:
            return None
        if isinstance(payload, Event):
            if isinstance(node, EntryNode) and payload.template != node.template:
                return f"it is of the template {payload.template}"
            return self._unknown(payload)
        truth = self.nodes.get(node.name)
        if truth is None:
            return None
        objection = self._rejection(truth.pattern, frozenset(zip(truth.variables, payload, strict=True)))
        if objection is None and isinstance(node, TwoInputNode) and self._is_unmet(node, payload):
            return "its sets do not meet `having`"
        return objection

    def _is_unmet(self, node: TwoInputNode, payload: PartialMatch) -> bool:
        """Return whether the last set-node of a rule passes on what no match of the algebra has."""
        return node.name in self._last and (node.rule, named(payload)) not in self._found

    def _unknown(self, event: Event) -> str | None:
        known = self.known.get(event.id)
        if known is None:
            return "no match of the algebra emits it"
        if (known.template, known.timestamp, repr(known.attributes)) != (
            event.template,
            event.timestamp,
            repr(event.attributes),
        ):
            return f"it should be {known.template} at {known.timestamp} with {dict(known.attributes)}"
        return None

    def emission(self, node: ProductionNode, payload: PartialMatch) -> Event | None:
        """Return the event that the emission of a production node should emit for a payload; None if there is none."""
        source, ids = production_source(core.reported(node.rule), node.position), named(payload)
        if payload[0].source == source:  # it merges what the cases of a rule emit
            return next((event for event in self._emitted.values() if event.id == ids[0]), None)
        return self._emitted.get((source, ids))

    def defeaters(self, node: TwoInputNode, payload: PartialMatch) -> tuple[Event, ...]:
        """Return the events that match the negated pattern of a not-node beside a left partial match."""
        pattern = self.nodes[node.name].pattern
        assert isinstance(pattern, FilteredNegation)
        value = frozenset(zip(node.left, payload, strict=True))
        return tuple(self._fillers(pattern, value))

    def difference(self, node: TwoInputNode, left: PartialMatch, right: Event) -> str | None:
        """Return why an event from the right does not match the negated pattern of a not-node beside a left partial
        match."""
        pattern = self.nodes[node.name].pattern
        assert isinstance(pattern, FilteredNegation)
        value = frozenset({*zip(node.left, left, strict=True), (node.right, right)})
        return self._failure(pattern.condition, value)

    def _fillers(self, pattern: FilteredNegation, value: Valuation) -> Iterable[Event]:
        negative = pattern.negative
        assert isinstance(negative, Binding)
        for event in self._by_template.get(negative.relation, ()):
            if holds(pattern.condition, value | {(negative.variable, event)}, self._domain):
                yield event

    def _rejection(self, pattern: Pattern, value: Valuation) -> str | None:
        """Return why a value is not one of the pattern's; None if it is (D def. 12, read as a test of membership)."""
        value = frozenset((variable, event) for variable, event in value if variable in type_of(pattern))
        match pattern:
            case Binding(relation, variable):
                ((_, event),) = value
                return None if event.template == relation else f"{variable}={event.id} is no {relation}"
            case Conjunction(left, right):
                return self._rejection(left, value) or self._rejection(right, value)
            case Disjunction(left, right):
                return self._rejection(left, value) and self._rejection(right, value)
            case Filter(inner, condition):
                return self._rejection(inner, value) or self._failure(condition, value)
            case FilteredNegation(positive, Binding(_, variable)):
                inner_rejection = self._rejection(positive, value)
                if inner_rejection is not None:
                    return inner_rejection
                filler = next(iter(self._fillers(pattern, value)), None)
                return None if filler is None else f"{filler.id} fills the negated pattern {variable}"
        raise AssertionError(f"no rule maps to {pattern}")

    def _failure(self, condition: Condition, value: Valuation) -> str | None:
        """Return which part of a condition is false; None if all are true."""
        if isinstance(condition, All):
            return next((failure for part in condition.conditions if (failure := self._failure(part, value))), None)
        if holds(condition, value, self._domain):
            return None
        if isinstance(condition, Within):
            bound = dict(value)
            subject, reference = bound[condition.subject], bound[condition.reference]
            return (
                f"{condition.subject}={subject.id} lies {subject.timestamp - reference.timestamp} ms after "
                f"{condition.reference}={reference.id}, outside [{condition.lower}, {condition.upper}]"
            )
        where = (
            ""
            if condition.span == NOWHERE
            else f" in {condition.span.line}" + ("" if condition.span.file else " of the program")
        )
        return f"the condition on {' and '.join(sorted(core.variables_of(condition)))}{where} does not hold"
