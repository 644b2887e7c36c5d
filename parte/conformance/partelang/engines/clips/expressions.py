"""Expressions of PARTElang in CLIPS, with the operators of CLIPS.

Their meaning is that of CLIPS, without adjustment: integers wrap around at 64 bit, floats reach infinity, a division by
zero is an error. Where there is no value (specification: no-value-strict), CLIPS may differ, and the kit shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.adapters import unreached
from parte.conformance.partelang.engines.clips.level_2 import STRINGS, like
from parte.conformance.partelang.engines.two_truths import holding, presences
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.summaries import instants_in, place_of
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.functions import LONGEST_STRING
from parte.semantics.partelang.syntax.implementations import Implementations, untranslated

FLOOR_DIV = """(deffunction floor-div (?sum ?count)
  (bind ?quotient (div ?sum ?count))
  (if (and (< ?sum 0) (<> (* ?quotient ?count) ?sum)) then (- ?quotient 1) else ?quotient))"""
"""The mean of timestamps is rounded towards minus infinity, `div` rounds towards zero."""

MISSING = "nil"
"""The symbol in the slot of a missing attribute; a String has another type."""

QUERIED = ":"
"""The end of a variable of a query over facts, which mentions slots."""


def timestamp_of(variable: str) -> str:
    """Return the CLIPS variable of a timestamp. No name of PARTElang contains a slash."""
    return f"?{named(variable)}/timestamp"


def attribute_of(variable: str, attribute: str) -> str:
    """Return the CLIPS variable of an attribute, or its slot if the variable is that of a query."""
    return f"?{named(variable)}{'' if variable.endswith(QUERIED) else '.'}{attribute}"


def named(variable: str) -> str:
    """Return the name of a variable in CLIPS. That of a hidden pattern contains a space, as in `first b`."""
    return variable.replace(" ", "/")


def written(text: str) -> str:
    """Return a string literal of CLIPS. Inexpressible if it contains U+0000, where CLIPS would end it."""
    if "\0" in text:
        raise Inexpressible("a string with U+0000: CLIPS's strings end there")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def joined_by(connective: str, tests: Sequence[str]) -> str:
    """Return tests joined by `and` or `or`, which take two or more."""
    return tests[0] if len(tests) == 1 else f"({connective} {' '.join(tests)})"


def holds(condition: core.Expression) -> str:
    """Return the test that a condition is true. A `test` is a call."""
    test = value(holding(condition))
    return f"(not {'FALSE' if test == 'TRUE' else 'TRUE'})" if test in ("TRUE", "FALSE") else test


def guards(expression: core.Expression) -> list[str]:
    """Return the tests that together mean that an expression has a value, with what CLIPS has for values."""
    return list(map(value, presences(expression)))


def guards_of_time(expression: core.TimestampExpression) -> list[str]:
    """Return the tests that together mean that the times of sets in `at` have a value."""
    return [test for part in instants_in(expression) for test in guards(part)]


def value(expression: core.Expression | core.TimestampExpression) -> str:
    """Return an expression with two truths as a CLIPS expression, for what its `guards` allow."""
    match expression:
        case core.Constant(value=bool(truth)):
            return "TRUE" if truth else "FALSE"
        case core.Constant(value=str(text)):
            return written(text)
        case core.Constant(value=number):
            return repr(number)
        case core.TimeConstant(milliseconds=milliseconds):
            return repr(milliseconds)
        case core.AttributeOf(variable=variable, attribute=attribute):
            return attribute_of(variable, attribute)
        case core.TimestampOf(variable=variable):
            return timestamp_of(variable)
        case core.Aggregate(variable=variable):
            return f"?{variable}/{'/'.join(place_of(expression).split())}"
        case core.ToFloat(operand=operand):
            return f"(float {value(operand)})"
        case core.Negation(operand=operand, type=of):
            # 0.0 - 0.0 would be 0.0, and CLIPS has no unary minus.
            return f"(* -1.0 {value(operand)})" if of is Scalar.FLOAT else f"(- 0 {value(operand)})"
        case core.Arithmetic(operator=operator, left=left, right=right):
            return f"({operator} {value(left)} {value(right)})"
        case core.Comparison(operator=operator, left=left, right=right):
            return comparison(operator, value(left), value(right), core.type_of(left))
        case core.Compound(connective=connective, operands=operands):
            return joined_by(connective, list(map(value, operands)))
        case core.Not(operand=operand):
            return f"(not {value(operand)})"
        case core.Presence(operand=core.FunctionCall() as call):
            return f"(<= (str-length {value(call)}) {LONGEST_STRING})"
        case core.Presence(operand=operand):
            return f"(neq {value(operand)} {MISSING})"
        case core.PatternTest(function="like", operand=operand, pattern=pattern):
            return like(value(operand), pattern, written)
        case core.PredicateCall(predicate=name, arguments=arguments):
            return " ".join([f"(holds.{name}", *map(value, arguments)]) + ")"
        case core.FunctionCall(function=name, arguments=arguments):
            return FUNCTIONS[name]([value(argument) for argument in arguments])
        case core.ListExpression(items=items):
            return " ".join(["(create$", *map(value, items)]) + ")"
        case core.Shift(operand=moved, milliseconds=milliseconds):
            return f"(+ {value(moved)} {milliseconds})"
        case core.Combination(function=name, operands=operands):
            return TIMESTAMP_FUNCTIONS[name]([value(operand) for operand in operands])
        case core.ClockReading() | core.PatternTest():
            raise unreached(expression)
        case _:
            assert_never(expression)


def comparison(operator: str, left: str, right: str, of: core.Type) -> str:
    """Return a comparison of two values of one type. Strings are ordered by the bytes of UTF-8, that is, by code
    point."""
    if of in (Scalar.INTEGER, Scalar.FLOAT):
        return f"({'<>' if operator == '!=' else operator} {left} {right})"
    if operator in ("=", "!="):
        return f"({'eq' if operator == '=' else 'neq'} {left} {right})"
    return f"({operator} (str-compare {left} {right}) 0)"


def _sum(arguments: list[str]) -> str:
    return f"(+ {' '.join(arguments)})" if len(arguments) > 1 else arguments[0]


def _least(arguments: list[str]) -> str:
    return f"(min {' '.join(arguments)})"


def _greatest(arguments: list[str]) -> str:
    return f"(max {' '.join(arguments)})"


def _mean(timestamps: list[str]) -> str:
    return f"(floor-div {_sum(timestamps)} {len(timestamps)})"


def _inexpressible(function: str) -> Inexpressible:
    return Inexpressible(untranslated(function, "CLIPS", "the generated rules cannot call"))


FUNCTIONS: Implementations[Callable[[list[str]], str]] = Implementations(
    {
        "min": _least,
        "max": _greatest,
        "avg": lambda arguments: f"(/ {_sum(arguments)} {len(arguments)}.0)",
        "sum": _sum,
        "abs": lambda arguments: f"(abs {arguments[0]})",
        **STRINGS,
    },
    _inexpressible,
)
TIMESTAMP_FUNCTIONS: Implementations[Callable[[list[str]], str]] = Implementations(
    {"min": _least, "max": _greatest, "avg": _mean}, _inexpressible, of_timestamps=True
)
"""The built-in functions, and those by which `at` combines timestamps."""
