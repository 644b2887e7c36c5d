"""The source tree of an elaborated program: the text that an author would write for it.

A program in JSON may be as hostile as a text. It is valid if its source tree, printed and parsed, is the program
again; so the same code checks the same requirements as for a text.
"""

from __future__ import annotations

from parte.semantics.events.duration import Unit
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.declarations import LIST


def source_of(program: core.Program) -> ast.SourceProgram:
    """Return a source tree of the program, without spans, and with a variable before every attribute."""
    return ast.SourceProgram(
        (
            *(ast.Template(item.name, tuple(map(_slot, item.attributes))) for item in program.templates),
            *(ast.Predicate(item.name, tuple(map(_type, item.parameters))) for item in program.predicates),
            *map(_rule, program.rules),
        )
    )


def _slot(attribute: core.Attribute) -> ast.Slot:
    return ast.Slot(attribute.name, _type(attribute.type))


def _type(given: core.Type) -> ast.TypeExpression:
    if isinstance(given, core.ListOf):
        return ast.ListTypeExpression(ast.NamedType(given.element.value), given.capacity)
    return ast.NamedType(given.value)


def _rule(rule: core.Rule) -> ast.Rule:
    return ast.Rule(
        rule.name,
        tuple(
            ast.Pattern(each.negated, each.variable, each.template, tuple(map(written, each.conditions)))
            for each in rule.patterns
        ),
        tuple(
            ast.Constraint(each.negated, each.subject, each.reference, _lasting(each.lower), _lasting(each.upper))
            for each in rule.constraints
        ),
        tuple(
            ast.Emission(
                each.template,
                _timestamp(each.at),
                tuple(ast.Assignment(given.attribute, written(given.value)) for given in each.assignments),
            )
            for each in rule.emissions
        ),
    )


def _lasting(milliseconds: int) -> ast.Duration:
    return ast.Duration(milliseconds, Unit.MILLISECONDS)


def written(expression: core.Expression, own: str = "") -> ast.Expression:
    """An expression as it may have been written: without conversions, attributes of the variable `own` bare."""
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
        case core.PredicateCall(name, arguments) | core.FunctionCall(name, arguments):
            return ast.Call(name, tuple(written(each, own) for each in arguments))
        case core.ListExpression(items):
            return ast.Call(LIST, tuple(written(each, own) for each in items))


def _timestamp(expression: core.TimestampExpression) -> ast.Expression:
    match expression:
        case core.TimestampOf(variable):
            return ast.Reference(variable, "timestamp")
        case core.Shift(operand, milliseconds):
            return ast.Binary(ast.BinaryOperator.ADD, _timestamp(operand), _lasting(milliseconds))
        case core.Combination(function, operands):
            return ast.Call(function, tuple(map(_timestamp, operands)))
