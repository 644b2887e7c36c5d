"""The source tree of an elaborated program: a tree whose elaboration is the program.

A program that comes as JSON is as untrusted as a text. It is accepted if its source tree, printed and parsed, is the
same program; so the same code checks it by the rules for texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from parte.semantics.events.duration import Unit
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.declarations import LIST
from parte.semantics.partelang.syntax.zones import UTC


def source_of(program: core.Program) -> ast.SourceProgram:
    """Return a source tree for the program, without spans, and with a variable before every attribute."""
    return ast.SourceProgram(
        (
            *(ast.Template(item.name, tuple(map(_slot, item.attributes))) for item in program.templates),
            *(ast.Predicate(item.name, tuple(map(_type, item.parameters))) for item in program.predicates),
            *map(_rule, core.cases_of(program.rules)),
        ),
        program.level,
    )


def _slot(attribute: core.Attribute) -> ast.Slot:
    return ast.Slot(attribute.name, _type(attribute.type), attribute.optional)


def _type(type_: core.Type) -> ast.TypeExpression:
    if isinstance(type_, core.ListOf):
        return ast.ListTypeExpression(ast.NamedType(type_.element.value), type_.capacity)
    return ast.NamedType(type_.value)


def _rule(cases: Sequence[core.Rule]) -> ast.Rule:
    """Return the source of a rule with these cases, which differ in patterns with alternatives only."""
    selections, behind = cases[0].selections, cases[0].conditions_behind
    rule, *others = (case.written for case in cases)
    sets = {pattern.variable for pattern in rule.collected}
    return ast.Rule(
        rule.reported,
        tuple(
            ast.Pattern(
                pattern.negated,
                pattern.variable,
                pattern.template,
                tuple(map(written, pattern.conditions[: len(pattern.conditions) - len(behind(pattern))])),
                pattern.collected,
                ast.Selection(chosen.event) if (chosen := selections.get(pattern.variable)) else None,
                tuple(_alternatives(pattern, [case.patterns[place] for case in others])),
            )
            for place, pattern in enumerate(rule.patterns)
        ),
        tuple(
            ast.Constraint(
                c.negated and c.subject not in sets,
                c.subject,
                c.reference,
                ast.Ever(True) if c.lower is None else _lasting(c.lower),
                _lasting(c.upper),
            )
            for c in rule.constraints
        ),
        tuple(
            ast.Emission(
                emission.template,
                _timestamp(emission.at),
                tuple(ast.Assignment(target.attribute, written(target.value)) for target in emission.assignments),
                None if emission.once is None else _suppression(emission.once),
            )
            for emission in rule.emissions
        ),
        tuple(map(written, (*(c for pattern in rule.patterns for c in behind(pattern)), *rule.having))),
    )


def _alternatives(first: core.Pattern, others: Iterable[core.Pattern]) -> Iterator[ast.Alternative]:
    """Yield the alternatives behind the first, given the patterns in its place in the other cases."""
    by_template = {pattern.template: pattern for pattern in others}
    for template, pattern in by_template.items():
        if template != first.template:
            yield ast.Alternative(template, tuple(map(written, pattern.conditions)))


def _suppression(once: core.Suppression) -> ast.Suppression:
    keys = tuple(ast.Reference(None, key) for key in once.keys)
    return ast.Suppression(keys, _lasting(once.milliseconds))


def _lasting(milliseconds: int) -> ast.Duration:
    return ast.Duration(milliseconds, Unit.MILLISECONDS)


def written(expression: core.Expression, own: str = "") -> ast.Expression:
    """Return a possible source of an expression: without conversions, attributes of `own` without the variable."""
    match expression:
        case core.Constant(value):
            return ast.Literal(value)
        case core.AttributeOf(variable, attribute):
            return ast.Reference(None if variable == own else variable, attribute)
        case core.TimestampOf(variable):
            return ast.Reference(variable, "timestamp")
        case core.TimeConstant(milliseconds, quantity):
            return ast.Timestamp(milliseconds) if quantity == "timestamp" else _lasting(milliseconds)
        case core.ClockReading(name, variable, zone):
            of = ast.Reference(None, variable)
            return ast.Call(name, (of,) if zone == UTC else (of, ast.Literal(zone)))
        case core.ToFloat(operand):
            return written(operand, own)
        case core.Negation(operand):
            return ast.Negate(written(operand, own))
        case core.Arithmetic(operator, left, right) | core.Comparison(operator, left, right):
            return ast.Binary(ast.BinaryOperator(operator), written(left, own), written(right, own))
        case core.Compound(connective, operands):
            return ast.Compound(ast.Connective(connective), tuple(written(part, own) for part in operands))
        case core.Not(operand):
            return ast.Not(written(operand, own))
        case core.Presence(operand, present):
            return ast.Presence(written(operand, own), present)
        case core.PredicateCall(name, arguments) | core.FunctionCall(name, arguments):
            return ast.Call(name, tuple(written(part, own) for part in arguments))
        case core.Aggregate():
            return _aggregate(expression)
        case core.PatternTest(name, operand, pattern):
            return ast.Call(name, (written(operand, own), ast.Literal(pattern)))
        case core.ListExpression(items):
            return ast.Call(LIST, tuple(written(part, own) for part in items))


def _aggregate(expression: core.Aggregate) -> ast.Expression:
    argument = ast.Reference(None, expression.variable)
    if expression.attribute is not None:
        argument = ast.Reference(expression.variable, expression.attribute)
    return ast.Call(expression.function, (argument,), expression.distinct)


def _timestamp(expression: core.TimestampExpression) -> ast.Expression:
    match expression:
        case core.TimestampOf(variable):
            return ast.Reference(variable, "timestamp")
        case core.Shift(operand, milliseconds):
            return ast.Binary(ast.BinaryOperator.ADD, _timestamp(operand), _lasting(milliseconds))
        case core.Aggregate():
            return _aggregate(expression)
        case core.Combination(function, operands):
            return ast.Call(function, tuple(map(_timestamp, operands)))
