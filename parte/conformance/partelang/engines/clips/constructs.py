"""A program as constructs of CLIPS: deftemplates for events, domain rows and matches, a defrule for each rule.

Own slots begin with a slash, which no name of PARTElang contains. Strata are saliences: CLIPS fires no rule as long
as one of a lower stratum can fire.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.clips.expressions import (
    FLOOR_DIV,
    MISSING,
    QUERIED,
    attribute_of,
    comparison,
    guards,
    guards_of_time,
    holds,
    joined_by,
    named,
    timestamp_of,
    value,
    written,
)
from parte.conformance.partelang.engines.clips.joins import Joined, is_row, joined
from parte.conformance.partelang.engines.clips.level_2 import LIKE, OF_SETS, aggregated
from parte.conformance.partelang.engines.two_truths import with_two_truths
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.partelang.summaries import aggregates_of
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import LEVEL_1, Construct, undeclared

IDENTITY, COMPONENT, TIMESTAMP, CAUSE, POSITION = "/id", "/component", "/timestamp", "/cause", "/position"
"""The own slots of an event: its id, its component in composed ids, its time, the match that emitted it, and the
position of the emission."""

MATCH, RULE, BINDINGS = "match", "rule", "bindings"

SHORTENED = "shortened"
"""The function that shortens long ids; the adapter defines it."""


def event_template(name: str) -> str:
    """Return the deftemplate of a template."""
    return f"event.{name}"


def domain_template(name: str) -> str:
    """Return the deftemplate of the rows of a domain table."""
    return f"domain.{name}"


def constructs(program: core.Program, domain: Predicates) -> Iterator[str]:
    """Yield the constructs of a program, in the order in which CLIPS needs them."""
    yield FLOOR_DIV
    used = {construct for construct, _ in undeclared(program, LEVEL_1)}
    if Construct.STRINGS in used:
        yield LIKE
    if Construct.SETS in used:
        yield from OF_SETS
    yield f"(deftemplate {MATCH} (slot {RULE}) (multislot {BINDINGS}))"
    for template in program.templates:
        slots = [f"(slot {name})" for name in (IDENTITY, COMPONENT, TIMESTAMP, CAUSE, POSITION)]
        for attribute in template.attributes:
            kind = "multislot" if isinstance(attribute.type, core.ListOf) else "slot"
            slots.append(f"({kind} {attribute.name})")
        yield f"(deftemplate {event_template(template.name)} {' '.join(slots)})"
    for predicate in program.predicates:
        yield from _predicate(predicate, domain)
    for stratum, rules in enumerate(program.rules_by_stratum()):
        for rule in rules:
            yield _rule(rule, -stratum, domain)


def _predicate(predicate: core.Predicate, domain: Predicates) -> Iterator[str]:
    """Yield the constructs of a predicate: a template for the rows of its table, which are asserted before any event,
    and a query over them."""
    table = domain[predicate.name]
    if not isinstance(table, DomainTable):
        raise Inexpressible(f"predicate {predicate.name} is a Python callable, which the generated rules cannot call")
    member, non_member = ("TRUE", "FALSE") if table.member_means else ("FALSE", "TRUE")
    name, columns = domain_template(predicate.name), range(1, len(predicate.parameters) + 1)
    if not columns:
        yield f"(deffunction holds.{predicate.name} () {member if table.rows else non_member})"
        return
    slots = " ".join(f"(slot c{number})" for number in columns)
    parameters = " ".join(f"?p{number}" for number in columns)
    equal = " ".join(
        comparison("=", f"?row:c{number}", f"?p{number}", of) for number, of in enumerate(predicate.parameters, 1)
    )
    yield f"(deftemplate {name} {slots})"
    yield (
        f"(deffunction holds.{predicate.name} ({parameters})"
        f" (if (any-factp ((?row {name})) (and TRUE {equal})) then {member} else {non_member}))"
    )


def _rule(rule: core.Rule, salience: int, domain: Predicates) -> str:
    shared = joined(rule)
    rule = shared.rule
    lines = [f"(defrule rule.{rule.name} (declare (salience {salience}))"]
    bound: set[str] = set()
    for pattern in rule.patterns:
        if pattern.collected:
            continue
        if not pattern.negated:
            bound.add(pattern.variable)
        tests = [holds(condition) for condition in pattern.conditions if not is_row(condition)]
        for constraint in rule.constraints:
            ends = {constraint.subject, constraint.reference}
            if pattern.variable in ends and (pattern.negated or (not constraint.negated and ends <= bound)):
                tests += _window(constraint)
        elements = [_pattern(shared, pattern), *map(_test, tests)]
        elements += [_row(call, domain) for call in pattern.conditions if is_row(call)]
        text = " ".join(elements)
        lines.append(f"  (not (and {text}))" if pattern.negated else f"  {text}")
    return "\n".join([*lines, "  =>", *_reaction(rule)]) + ")"


def _pattern(shared: Joined, pattern: core.Pattern) -> str:
    """Return the pattern of a variable: it binds the values that other parts of the rule may mention."""
    variable, slots = pattern.variable, []
    if not pattern.negated:
        slots += [f"({IDENTITY} {_own(variable, IDENTITY)})", f"({COMPONENT} {_own(variable, COMPONENT)})"]
    slots.append(f"({TIMESTAMP} {timestamp_of(variable)})")
    for name, of in sorted(_mentioned(shared, variable).items()):
        mark = "$" if isinstance(of, core.ListOf) else ""
        slots.append(f"({name} {mark}{attribute_of(variable, name)})")
    slots += [f"({name} {value(key)})" for name, key in sorted(shared.keys_of(variable).items())]
    return f"({event_template(pattern.template)} {' '.join(slots)})"


def _row(call: core.PredicateCall, domain: Predicates) -> str:
    """Return the pattern for a row of a domain table, present or absent. Rows are distinct, so at most one matches."""
    table = domain[call.predicate]
    assert isinstance(table, DomainTable)  # _predicate has rejected others
    columns = " ".join(f"(c{number} {value(argument)})" for number, argument in enumerate(call.arguments, 1))
    row = f"({domain_template(call.predicate)} {columns})"
    return row if table.member_means else f"(not {row})"


def _own(variable: str, slot: str) -> str:
    return f"?{named(variable)}{slot}"


def _test(condition: str) -> str:
    return f"(test {condition})"


def _window(constraint: core.Constraint) -> list[str]:
    subject, reference = timestamp_of(constraint.subject), timestamp_of(constraint.reference)
    ends = [f"(<= {subject} (+ {reference} {constraint.upper}))"]
    return ends if constraint.lower is None else [f"(<= (+ {reference} {constraint.lower}) {subject})", *ends]


def _reaction(rule: core.Rule) -> Iterator[str]:
    """Yield the actions of a rule. Its sets are queries over the facts there, as CLIPS makes a `test` when it asserts a
    fact, and not again."""
    for pattern in rule.collected:
        yield from _set(rule, pattern)
    variables = [pattern.variable for pattern in rule.positive]
    bindings = " ".join(_own(variable, IDENTITY) for variable in variables)
    if rule.having:
        yield f"  (if {joined_by('and', [holds(condition) for condition in rule.having])} then"
    yield f"  (bind ?match (assert ({MATCH} ({RULE} {written(rule.name)}) ({BINDINGS} {bindings}))))"
    for position, emission in enumerate(rule.emissions, 1):
        number = f"#{position}" if len(rule.emissions) > 1 else ""
        parts = []
        for variable in variables:
            before = f"{rule.name}{number}(" if variable == variables[0] else ","
            parts += [written(f"{before}{variable}="), _own(variable, COMPONENT)]
        slots = [
            f"({IDENTITY} ?id)",
            f"({COMPONENT} ?id)",
            f"({TIMESTAMP} {value(emission.at)})",
            f"({CAUSE} (fact-index ?match))",
            f"({POSITION} {position})",
            *(f"({assignment.attribute} {_assigned(assignment)})" for assignment in emission.assignments),
        ]
        yield f"  (bind ?id ({SHORTENED} (str-cat {' '.join(parts)} {written(')')})))"
        asserted = f"(assert ({event_template(emission.template)} {' '.join(slots)}))"
        needed = guards_of_time(emission.at)
        needed += (test for item in emission.assignments if not item.optional for test in guards(item.value))
        yield f"  (if {joined_by('and', needed)} then {asserted})" if needed else f"  {asserted}"
    if rule.having:
        yield "  )"


def _assigned(assignment: core.Assignment) -> str:
    needed = guards(assignment.value) if assignment.optional else []
    assigned = value(with_two_truths(assignment.value))
    return f"(if {joined_by('and', needed)} then {assigned} else {MISSING})" if needed else assigned


def _set(rule: core.Rule, pattern: core.Pattern) -> Iterator[str]:
    """Yield the actions that find the events of a set, and its aggregates."""
    variable, queried = pattern.variable, f"{pattern.variable}{QUERIED}"
    tests = [holds(core.renamed(condition, {variable: queried})) for condition in pattern.conditions]
    for constraint in rule.constraints:
        if constraint.subject == variable:
            tests += _window(replace(constraint, subject=queried))
    facts = f"?{variable}/set"
    query = f"((?{variable} {event_template(pattern.template)})) {joined_by('and', tests)}"
    yield f"  (bind {facts} (find-all-facts {query}))"
    for aggregate in aggregates_of(rule, variable):
        yield f"  (bind {value(aggregate)} {aggregated(aggregate, facts)})"


def _mentioned(shared: Joined, variable: str) -> dict[str, core.Type]:
    """Return the attributes of a variable that the rule mentions anywhere, also as keys, with their types."""
    types: dict[str, core.Type] = {}

    def look(expression: core.Expression) -> None:
        for part in core.EXPRESSIONS.within(expression):
            if isinstance(part, core.AttributeOf) and part.variable == variable:
                types[part.attribute] = part.type

    for key in shared.keys.values():
        look(key)
    for pattern in shared.rule.patterns:
        for condition in pattern.conditions:
            look(condition)
    for condition in shared.rule.having:
        look(condition)
    for emission in shared.rule.emissions:
        for assignment in emission.assignments:
            look(assignment.value)
    return types
