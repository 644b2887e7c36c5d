"""Compiling programs into networks (D §5.5): templates, patterns, joins, reactions, in this order.

Each pattern has an alpha node of its own and each rule a left-deep chain of two-input nodes in the order of its
patterns. Nodes are not shared between rules or patterns, so that a node, its histories and its sizes belong to one
pattern of one rule; D's *node reuse* is an optimisation of the network (`sharing`). Equal conditions are shared.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import cast

from parte.semantics.events.domain import Predicates, require_predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.events.match import Match, emitted_id, production_source
from parte.semantics.partelang.expressions import (
    Condition,
    Evaluate,
    NoValue,
    compile_assigned,
    compile_conditions,
    compile_expression,
    compile_timestamp,
    conjunction,
    later,
    once,
    remembering,
)
from parte.semantics.partelang.network import (
    LEFT_SLOT,
    RIGHT_SLOT,
    AlphaNode,
    Criteria,
    EntryNode,
    Gathering,
    Network,
    Node,
    Once,
    Past,
    ProductionNode,
    Side,
    Successor,
    TerminalNode,
    TwoInputNode,
    suppresses,
)
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.summaries import aggregates_of, instant_of, instants_in, is_upward, summarizer
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.endless import is_endless
from parte.semantics.partelang.syntax.temporal import Interval, closure, negated_bounds
from parte.semantics.partelang.tokens import PartialMatch
from parte.semantics.rulebook.running import UnsupportedRun

NOBODY = "nobody"
"""The only source of a template without sources: it promises at once that no event will come."""

EMITTED = "emitted"
"""The variable of an alpha node that takes the events that the cases of a rule emit."""

Sources = Mapping[str, Sequence[str]]
"""The external sources of each template."""


def compile_program(
    program: core.Program,
    predicates: Predicates,
    sources: Sources,
    family: Family = Family.FEATHERWEIGHT,
    *,
    reuse: bool = False,
) -> Network:
    """Return the network of a program. MissingPredicate if a declared predicate is not in `predicates`.

    With `reuse`, rules whose patterns and constraints are equal have one chain of nodes, the first of them, unless
    bounds may decide about a match: part of what `sharing` does, without compiling the others.
    """
    require_predicates(program, predicates)
    builder = _Builder(program, predicates, sources, family)
    builder.reuse = reuse and not any(map(_decided_by_bounds, program.rules))
    for template in sorted(program.templates, key=lambda template: dict(program.strata)[template.name]):
        if family is Family.FEATHERWEIGHT:
            builder.add_entry(template.name)
    for rules in program.rules_by_stratum():
        for cases in core.cases_of(rules):
            for rule in cases:
                builder.add_rule(rule, alone=len(cases) == 1)
            if len(cases) > 1:
                builder.add_suppressions(cases[0])
    return builder.network()


@dataclass(slots=True)
class _Draft:
    """A node under construction and the keys by which it is sorted."""

    node: Node
    rank: tuple[int, int]


class _Builder:
    """Collects nodes and edges by name; the only mutable state of the compiler."""

    def __init__(self, program: core.Program, predicates: Predicates, sources: Sources, family: Family) -> None:
        self.program = program
        self.predicates = predicates
        self.sources = sources
        self.family = family
        self.conditions: dict[Hashable, Condition] = {}
        self.drafts: dict[str, _Draft] = {}
        self.edges: list[tuple[str, str, Side, int]] = []
        self.strata = dict(program.strata)
        self._variables: dict[int, frozenset[str]] = {}
        self._strata: dict[str, int] = {}
        self._places: dict[str, Mapping[str, int]] = {}
        self.reuse = False
        self._chains: dict[Hashable, str] = {}

    def add(self, node: Node, stratum: int) -> str:
        self.drafts[node.name] = _Draft(node, (stratum, len(self.drafts)))
        return node.name

    # --- 1. Event templates (D §5.5.1) ------------------------------------------------------------------------------

    def add_entry(self, template: str) -> None:
        """Add the entry node of a template, with all its sources: external ones first, then productions."""
        productions = tuple(
            dict.fromkeys(
                self.source(rule, position)
                for rule in self.program.rules
                for position, emission in enumerate(rule.emissions, 1)
                if emission.template == template
            )
        )
        external = tuple(self.sources.get(template, ()))
        if not external and not productions:
            external = (NOBODY,)
        node = EntryNode(f"entry:{template}", template, external + productions, tuple(range(len(external))))
        self.add(node, self.strata[template])

    # --- 2. Event patterns (D §5.5.2) -------------------------------------------------------------------------------

    def add_alpha(self, rule: core.Rule, pattern: core.Pattern) -> str:
        """Add the alpha node of a pattern, with the conditions that mention no other variable."""
        own = tuple(c for c in pattern.conditions if self.variables_of(c) <= {pattern.variable})
        condition = self.own_condition(pattern.variable, own)
        name = f"alpha:{rule.name}.{pattern.variable}"
        criteria = Criteria(self.predicates, own)
        node = AlphaNode(name, rule.name, pattern.template, pattern.variable, condition, _fixed(own), criteria=criteria)
        self.add(node, self.stratum(rule))
        if self.family is Family.FEATHERWEIGHT:
            self.edges.append((f"entry:{pattern.template}", name, Side.TOP, 0))
        return name

    def stratum(self, rule: core.Rule) -> int:
        """Return the stratum of a rule."""
        if (stratum := self._strata.get(rule.reported)) is None:
            stratum = self._strata[rule.reported] = self.program.stratum(rule)
        return stratum

    def variables_of(self, condition: core.Expression) -> frozenset[str]:
        """Return the variables of a condition of the program, which several nodes ask for."""
        if (variables := self._variables.get(id(condition))) is None:
            variables = self._variables[id(condition)] = core.variables_of(condition)
        return variables

    def own_condition(self, variable: str, own: tuple[core.Expression, ...]) -> Condition:
        """Return the conditions of an alpha node; equal conditions on an event are tested once for all patterns.

        So is a predicate among several conditions.
        """
        alike = tuple(core.likeness(condition, {variable: ""}) for condition in own)
        if alike not in self.conditions:
            compiled = conjunction([self.part(variable, part, len(own)) for part in own])
            self.conditions[alike] = remembering(compiled) if own else compiled
        return self.conditions[alike]

    def part(self, variable: str, condition: core.Expression, among: int) -> Evaluate:
        """Return one of `among` conditions of an alpha node."""
        if among > 1 and isinstance(condition, core.PredicateCall):
            return self.own_condition(variable, (condition,))
        return compile_expression(condition, {variable: 0}, self.predicates)

    # --- 3. The join network (D §5.5.3) -----------------------------------------------------------------------------

    def add_rule(self, rule: core.Rule, *, alone: bool) -> None:
        """Add alpha nodes, the left-deep chain of two-input nodes, and the reaction; `alone` if it is the only case."""
        if self.reuse and (last := self._chains.get(chain := _chain(rule))) is not None:
            variables = tuple(pattern.variable for pattern in rule.patterns)
            self.add_reaction(rule, variables, last, alone=alone)
            return
        windows = windows_of(rule)
        first, *others = (*(p for p in rule.patterns if not p.collected), *rule.collected)
        last = self.add_alpha(rule, first)
        bound: tuple[str, ...] = (first.variable,)
        for pattern in others:
            right = self.add_alpha(rule, pattern)
            node = self.two_input(rule, bound, pattern, windows[pattern.variable])
            if pattern.collected:
                node = self.set_node(rule, node, pattern)
            self.add(node, self.stratum(rule))
            self.edges.append((last, node.name, Side.LEFT, LEFT_SLOT))
            self.edges.append((right, node.name, Side.RIGHT, RIGHT_SLOT))
            last = node.name
            if not pattern.negated:  # a set-node adds a summary
                bound = (*bound, pattern.variable)
        if self.reuse:
            self._chains[chain] = last
        self.add_reaction(rule, bound, last, alone=alone)

    def two_input(
        self, rule: core.Rule, left: tuple[str, ...], pattern: core.Pattern, windows: Mapping[str, Interval]
    ) -> TwoInputNode:
        """Return the node that joins a pattern to those before it, with the conditions on more than its event."""
        right = pattern.variable
        positions = {variable: index for index, variable in enumerate((*left, right))}
        beta = tuple(c for c in pattern.conditions if not self.variables_of(c) <= {right})
        sets = {pattern.variable for pattern in rule.collected}
        intervals = [windows.get(variable, EMPTY) for variable in left if variable not in sets]
        equalities = {condition: sides for condition in beta if (sides := _equality(condition, right)) is not None}
        left_parts = [theirs for theirs, _ in equalities.values()]
        right_parts = [ours for _, ours in equalities.values()]
        rest = tuple(condition for condition in beta if condition not in equalities)
        return TwoInputNode(
            name=f"{'not' if pattern.negated else 'join'}:{rule.name}.{right}",
            rule=rule.name,
            left=left,
            right=right,
            negated=pattern.negated,
            condition=compile_conditions(rest, positions, self.predicates),
            minima=tuple(lower for lower, _ in intervals),
            maxima=tuple(upper for _, upper in intervals),
            left_key=self.key(left_parts, positions),
            right_key=self.key(right_parts, {right: 0}),
            past=_past(right_parts) if is_endless(rule, right) else None,
            criteria=Criteria(self.predicates, rest, tuple(left_parts), tuple(right_parts)),
        )

    def set_node(self, rule: core.Rule, node: TwoInputNode, pattern: core.Pattern) -> TwoInputNode:
        """Return a node as a set-node, with the conditions of `having` whose last set it has."""
        if self.family is Family.RUDIMENTARY:
            raise UnsupportedRun(
                f"rule {rule.name} has a set, which needs bounds to know that it is complete; the model rudimentary "
                "has none"
            )
        variable = pattern.variable
        later = {pattern.variable for pattern in rule.collected} - {*node.left, variable}
        having = [c for c in rule.having if variable in core.variables_of(c) and not later & core.variables_of(c)]
        positions = {name: index for index, name in enumerate((*node.left, variable))}
        summaries = summarizer(pattern, aggregates_of(rule, variable))
        gathering = Gathering(
            summaries.summary,
            compile_conditions(having, positions, self.predicates),
            is_upward(rule, variable),
        )
        past = None if node.past is None else replace(node.past, merge=summaries.digest, at_once=False)
        return replace(node, name=f"set:{rule.name}.{variable}", collects=True, gathering=gathering, past=past)

    def key(self, parts: Sequence[core.Expression], positions: Mapping[str, int]) -> Callable[[PartialMatch], Hashable]:
        """Return a function to the values of one side of the equality conditions; without value, a key of its own."""
        if not parts:
            return no_key
        compiled = tuple(compile_expression(part, positions, self.predicates) for part in parts)
        read, nothing = _together(compiled), object()

        def key(events: PartialMatch) -> Hashable:
            try:
                return read(events)
            except NoValue:
                return nothing  # no key of the other side equals it

        return key

    # --- 4. The reaction (D §5.5.4) ---------------------------------------------------------------------------------

    def add_reaction(self, rule: core.Rule, variables: tuple[str, ...], last: str, *, alone: bool) -> None:
        """Add the terminal node of a rule and a production node for each of its emissions.

        The events of an emission with `once` go on to their entry node, except those of a case, which come together
        with those of the other cases first.
        """
        generators = tuple(
            once(later(partial(_generator, rule, position, self.predicates)))
            for position in range(1, len(rule.emissions) + 1)
        )
        named = variables[: len(rule.positive)]

        def to_match(events: PartialMatch) -> Match:
            bindings = tuple((variable, event.id) for variable, event in zip(named, events, strict=False))
            emitted = (generate(events) for generate in generators)
            return Match(rule.reported, bindings, tuple(event for event in emitted if event is not None))

        stratum = self.stratum(rule)
        positions = {variable: index for index, variable in enumerate(variables)}
        terminal = self.add(TerminalNode(f"terminal:{rule.name}", rule.name, to_match), stratum)
        self.edges.append((last, terminal, Side.TOP, 0))
        for position, (emission, generate) in enumerate(zip(rule.emissions, generators, strict=True), 1):
            bound = later(partial(compile_timestamp, emission.at, positions, of_events=False))
            name = f"production:{rule.name}#{position}"
            suppressed = None if emission.once is None else self.suppression(rule, emission.once)
            self.add(ProductionNode(name, rule.name, position, generate, bound, suppressed if alone else None), stratum)
            self.edges.append((last, name, Side.TOP, 0))
            if alone or suppressed is None:
                self.produce(name, f"entry:{emission.template}", self.source(rule, position))

    @staticmethod
    def source(rule: core.Rule, position: int) -> str:
        """Return the name of a slot of an entry node: each case has its own, except behind a common suppression."""
        together = rule.emissions[position - 1].once is not None
        return production_source(rule.reported if together else rule.name, position)

    def produce(self, production: str, name: str, source: str) -> None:
        """Lead a production node to its slot of an entry node."""
        if self.family is Family.FEATHERWEIGHT:
            entry = self.drafts[name].node
            assert isinstance(entry, EntryNode)
            if name not in self._places:
                self._places[name] = {source: place for place, source in enumerate(entry.sources)}
            self.edges.append((production, name, Side.TOP, self._places[name][source]))

    def add_suppressions(self, rule: core.Rule) -> None:
        """Add, for each emission with `once` of a rule with cases, the node that suppresses the events of all of them.

        An entry node merges these events, as it merges those of a template, and an alpha node takes all of them.
        """
        stratum, name = self.stratum(rule), rule.reported
        cases = [case.name for case in self.program.rules if case.reported == name]
        for position, emission in enumerate(rule.emissions, 1):
            if emission.once is None:
                continue
            once, source = self.suppression(rule, emission.once), production_source(name, position)
            sources = tuple(production_source(case, position) for case in cases)
            entry = self.add(EntryNode(f"merge:{name}#{position}", emission.template, sources, (), name), stratum)
            for case, of_case in zip(cases, sources, strict=True):
                self.produce(f"production:{case}#{position}", entry, of_case)
            alpha = AlphaNode(f"alpha:{name}#{position}", name, emission.template, EMITTED, _any, merged=True)
            production = ProductionNode(
                f"production:{name}#{position}", name, position, itemgetter(0), itemgetter(0), once
            )
            self.edges.append((entry, self.add(alpha, stratum), Side.TOP, 0))
            self.edges.append((alpha.name, self.add(production, stratum), Side.TOP, 0))
            self.produce(production.name, f"entry:{emission.template}", source)

    def suppression(self, rule: core.Rule, once: core.Suppression) -> Once:
        """Return the suppression of an emission."""
        if self.family is Family.RUDIMENTARY:
            raise UnsupportedRun(
                f"rule {rule.name} has `once`, which needs bounds to know that no earlier event comes; the model "
                "rudimentary has none"
            )
        return Once(lambda event: tuple([event.attributes.get(key) for key in once.keys]), once.milliseconds)

    # --- The whole --------------------------------------------------------------------------------------------------

    def network(self) -> Network:
        """Return the nodes in topological order: stratum by stratum, entry nodes first, each rule top to bottom."""
        if self.family is Family.RUDIMENTARY:
            # D §5.2 has no entry nodes: every alpha node gets every event.
            alphas = [name for name, draft in self.drafts.items() if isinstance(draft.node, AlphaNode)]
            for name, draft in self.drafts.items():
                if isinstance(draft.node, ProductionNode):
                    self.edges.extend((name, alpha, Side.TOP, 0) for alpha in alphas)
        names = sorted(self.drafts, key=lambda name: self.drafts[name].rank)
        index = {name: position for position, name in enumerate(names)}
        nodes = tuple(self.drafts[name].node for name in names)
        successors: list[list[Successor]] = [[] for _ in nodes]
        for origin, target, side, slot in self.edges:
            successors[index[origin]].append(Successor(index[target], side, slot))
        return Network(self.family, nodes, tuple(map(tuple, successors)), _informs(nodes, successors))


def _generator(rule: core.Rule, position: int, predicates: Predicates) -> Callable[[PartialMatch], Event | None]:
    """Return the event generator expression g-e of an emission."""
    emission = rule.emissions[position - 1]
    variables = [pattern.variable for pattern in rule.positive]
    sets = [pattern.variable for pattern in rule.collected]
    positions = {variable: index for index, variable in enumerate((*variables, *sets))}
    instants = instants_in(emission.at)
    places = {instant_of(instant): len(positions) + index for index, instant in enumerate(instants)}
    at = compile_timestamp(emission.at, positions | places, of_events=True)
    beside = tuple(compile_expression(instant, positions, predicates) for instant in instants)
    values = tuple(
        (assignment.attribute, compile_assigned(assignment, positions, predicates))
        for assignment in emission.assignments
    )
    source = production_source(rule.reported, position)
    number = position if len(rule.emissions) > 1 else None

    def generate(events: PartialMatch) -> Event | None:
        try:
            timestamp = at([event.timestamp for event in events] + [cast(int, value(events)) for value in beside])
            assigned = [(attribute, value(events)) for attribute, value in values]
        except NoValue:
            return None
        attributes = {attribute: value for attribute, value in assigned if value is not None}
        identity = emitted_id(rule.reported, number, zip(variables, events, strict=False))
        return Event(identity, emission.template, timestamp, attributes, source)

    return generate


def _decided_by_bounds(rule: core.Rule) -> bool:
    return len(rule.positive) < len(rule.patterns) or any(emission.once is not None for emission in rule.emissions)


def _chain(rule: core.Rule) -> Hashable:
    """Return a value that rules of positive patterns share if their chains of nodes do the same."""
    numbers = {pattern.variable: str(number) for number, pattern in enumerate(rule.patterns)}
    windows = tuple((numbers[c.subject], numbers[c.reference], c.lower, c.upper) for c in rule.constraints)
    return windows, *[(p.template, *[core.likeness(c, numbers) for c in p.conditions]) for p in rule.patterns]


def _informs(nodes: Sequence[Node], successors: Sequence[Sequence[Successor]]) -> tuple[bool, ...]:
    informs = [isinstance(node, TwoInputNode) or suppresses(node) for node in nodes]
    changed = True
    while changed:
        changed = False
        for index in range(len(nodes) - 1, -1, -1):
            if not informs[index] and any(informs[successor.node] for successor in successors[index]):
                informs[index] = changed = True
    return tuple(informs)


def _together(parts: Sequence[Evaluate]) -> Callable[[PartialMatch], Hashable]:
    """Return a function to the values of one or more expressions; a faster one for the common one or two."""
    first, second = parts[0], parts[-1]
    if len(parts) == 1:
        return first
    if len(parts) == 2:
        return lambda events: (first(events), second(events))
    return lambda events: tuple([part(events) for part in parts])


def no_key(_: PartialMatch) -> None:
    """Return the key of a partial match without equality conditions."""


def _equality(condition: core.Expression, right: str) -> tuple[core.Expression, core.Expression] | None:
    """Return both sides of a condition that equates a term of the right event with a term of others, else None."""
    if isinstance(condition, core.Comparison) and condition.operator == "=":
        for ours, theirs in ((condition.left, condition.right), (condition.right, condition.left)):
            if core.variables_of(ours) == {right} and right not in core.variables_of(theirs):
                return theirs, ours
    return None


def _past(keys: Sequence[core.Expression]) -> Past:
    """Return the past of a negated pattern: the earliest event of a key defeats whatever a later one does."""
    attributes = tuple(part.attribute if isinstance(part, core.AttributeOf) else None for part in keys)
    return Past(lambda events: min(events, key=attrgetter("timestamp")), True, attributes)


def _any(_: Sequence[Event]) -> bool:
    return True


def _fixed(own: Sequence[core.Expression]) -> tuple[str, Value] | None:
    """Return the first attribute that a condition of an alpha node equates with a constant, and that constant."""
    for condition in own:
        if isinstance(condition, core.Comparison) and condition.operator == "=":
            for left, right in ((condition.left, condition.right), (condition.right, condition.left)):
                if isinstance(left, core.AttributeOf) and isinstance(right, core.Constant):
                    return left.attribute, right.value
    return None


EMPTY: Interval = (0, -1)
"""The window between two variables of a rule whose constraints contradict each other: the rule never matches."""


def windows_of(rule: core.Rule) -> dict[str, dict[str, Interval]]:
    """Return, for each variable of a rule, its distances to the positive variables, from the closure of `when`."""
    variables = [pattern.variable for pattern in rule.positive]
    distances = closure(variables, rule.constraints)
    windows = {}
    for pattern in rule.patterns:
        if not pattern.positive:
            windows[pattern.variable] = negated_bounds(distances, pattern.variable, rule.constraints)
        else:
            known = ((reference, distances.between(pattern.variable, reference)) for reference in variables)
            windows[pattern.variable] = {reference: interval for reference, interval in known if interval is not None}
    return windows
