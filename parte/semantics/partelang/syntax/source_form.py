"""The source tree of an elaborated program: a tree whose elaboration is the program.

A program that comes as JSON is as untrusted as a text. It is accepted if its source tree, printed and parsed, is the
same program; so the same code checks it by the rules for texts.
"""

from __future__ import annotations

from parte.semantics.events.duration import Unit
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.declarations import LIST


def source_of(program: core.Program) -> ast.SourceProgram:
    """Return a source tree for the program, without spans, and with a variable before every attribute."""
    return ast.SourceProgram(
        (
            *(ast.Template(item.name, tuple(map(_slot, item.attributes))) for item in program.templates),
            *(ast.Predicate(item.name, tuple(map(_type, item.parameters))) for item in program.predicates),
            *map(_rule, program.rules),
        ),
        program.level,
    )


def _slot(attribute: core.Attribute) -> ast.Slot:
    return ast.Slot(attribute.name, _type(attribute.type))


def _type(type_: core.Type) -> ast.TypeExpression:
    if isinstance(type_, core.ListOf):
        return ast.ListTypeExpression(ast.NamedType(type_.element.value), type_.capacity)
    return ast.NamedType(type_.value)


def _rule(rule: core.Rule) -> ast.Rule:
    return ast.Rule(
        rule.name,
        tuple(
            ast.Pattern(pattern.negated, pattern.variable, pattern.template, tuple(map(written, pattern.conditions)))
            for pattern in rule.patterns
        ),
        tuple(
            ast.Constraint(c.negated, c.subject, c.reference, _lasting(c.lower), _lasting(c.upper))
            for c in rule.constraints
        ),
        tuple(
            ast.Emission(
                emission.template,
                _timestamp(emission.at),
                tuple(ast.Assignment(target.attribute, written(target.value)) for target in emission.assignments),
            )
            for emission in rule.emissions
        ),
    )


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
        case core.PredicateCall(name, arguments) | core.FunctionCall(name, arguments):
            return ast.Call(name, tuple(written(part, own) for part in arguments))
        case core.PatternTest(name, operand, pattern):
            return ast.Call(name, (written(operand, own), ast.Literal(pattern)))
        case core.ListExpression(items):
            return ast.Call(LIST, tuple(written(part, own) for part in items))


def _timestamp(expression: core.TimestampExpression) -> ast.Expression:
    match expression:
        case core.TimestampOf(variable):
            return ast.Reference(variable, "timestamp")
        case core.Shift(operand, milliseconds):
            return ast.Binary(ast.BinaryOperator.ADD, _timestamp(operand), _lasting(milliseconds))
        case core.Combination(function, operands):
            return ast.Call(function, tuple(map(_timestamp, operands)))
