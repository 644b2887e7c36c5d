"""The operations on values: 64-bit Integers, finite binary64 Floats, or no value (specification: no-value-integers).

No value is `NO_VALUE`. The callers ensure that every operand has a value.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from parte.algebra.matching.addresses import is_in_network
from parte.algebra.matching.position_sets import is_match
from parte.algebra.matching.wildcards import is_like
from parte.semantics.events.event import Value
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax.functions import LONGEST_STRING, lookup
from parte.semantics.partelang.syntax.implementations import Implementations, MissingFunction
from parte.semantics.source.wildcards import segments

NO_VALUE: Final = None
"""The result of an expression without value. No attribute of an event is None."""


Operation = Callable[..., Value | None]
"""An operation on values, whose result may be no value."""

ANY: Final = "any"
"""Any text, in a pattern; no code point."""

LEAST_INTEGER: Final = -(2**63)
GREATEST_INTEGER: Final = 2**63 - 1


def integer(exact: int) -> int | None:
    """Return an exact integer as an Integer or timestamp: no value outside the signed 64 bits."""
    return exact if LEAST_INTEGER <= exact <= GREATEST_INTEGER else NO_VALUE


def real(rounded: float) -> float | None:
    """Return a binary64 number as a Float: no value for infinities and NaN."""
    return rounded if math.isfinite(rounded) else NO_VALUE


def connected(connective: str, truths: Iterable[Value | None]) -> Value | None:
    """Return conditions joined by `and` or `or`: one operand may decide although another has no value."""
    decisive = connective == "or"
    result: bool | None = not decisive
    for truth in truths:
        if truth is decisive:
            return decisive
        if truth is NO_VALUE:
            result = NO_VALUE
    return result


def divide(left: float, right: float) -> float | None:
    """Return `left / right`: no value if `right` is zero, of either sign."""
    return real(left / right) if right != 0.0 else NO_VALUE


ARITHMETIC: Mapping[tuple[str, Scalar], Operation] = {
    ("+", Scalar.INTEGER): lambda left, right: integer(left + right),
    ("-", Scalar.INTEGER): lambda left, right: integer(left - right),
    ("*", Scalar.INTEGER): lambda left, right: integer(left * right),
    ("+", Scalar.FLOAT): lambda left, right: real(left + right),
    ("-", Scalar.FLOAT): lambda left, right: real(left - right),
    ("*", Scalar.FLOAT): lambda left, right: real(left * right),
    ("/", Scalar.FLOAT): divide,
}

NEGATION: Mapping[Scalar, Operation] = {
    Scalar.INTEGER: lambda operand: integer(-operand),
    Scalar.FLOAT: operator.neg,
}

COMPARISON: Mapping[str, Callable[[Value, Value], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""Both operands have one type, so Python's comparisons are right: strings by code point, -0.0 equal to 0.0.

Specification: comparison-strings, comparison-numbers.
"""


def _sum_of_integers(first: int, *others: int) -> int | None:
    total: int | None = first
    for summand in others:
        if total is NO_VALUE:
            return NO_VALUE
        total = integer(total + summand)
    return total


def _sum_of_floats(first: float, *others: float) -> float | None:
    total = first  # an infinity or a NaN on the way stays one, so one test at the end is enough
    for summand in others:
        total += summand
    return real(total)


def _average(*arguments: float) -> float | None:
    total = _sum_of_floats(*arguments)
    return NO_VALUE if total is NO_VALUE else real(total / len(arguments))


def _least(*arguments: float) -> float:
    return min(arguments)  # the first among equals, which distinguishes 0.0 from -0.0


def _greatest(*arguments: float) -> float:
    return max(arguments)


def _concatenation(*texts: str) -> str | None:
    return "".join(texts) if sum(map(len, texts)) <= LONGEST_STRING else NO_VALUE


def _in_lower_case(text: str) -> str:
    return "".join(character.lower() if "A" <= character <= "Z" else character for character in text)


def _in_upper_case(text: str) -> str:
    return "".join(character.upper() if "a" <= character <= "z" else character for character in text)


def _is_like(text: str, pattern: str) -> bool:
    return is_like(text, segments(pattern))


lacking: Final = partial(MissingFunction, "the algebra")

FUNCTIONS: Implementations[Mapping[Scalar, Operation]] = Implementations(
    {
        "min": {Scalar.INTEGER: _least, Scalar.FLOAT: _least},
        "max": {Scalar.INTEGER: _greatest, Scalar.FLOAT: _greatest},
        "avg": {Scalar.FLOAT: _average},
        "sum": {Scalar.INTEGER: _sum_of_integers, Scalar.FLOAT: _sum_of_floats},
        "abs": {Scalar.INTEGER: lambda operand: integer(abs(operand)), Scalar.FLOAT: abs},
        "starts_with": {Scalar.BOOLEAN: lambda text, part: text[: len(part)] == part},
        "ends_with": {Scalar.BOOLEAN: lambda text, part: text[max(0, len(text) - len(part)) :] == part},
        "contains": {Scalar.BOOLEAN: lambda text, part: text.find(part) >= 0},
        "length": {Scalar.INTEGER: len},
        "concat": {Scalar.STRING: _concatenation},
        "lower": {Scalar.STRING: _in_lower_case},
        "upper": {Scalar.STRING: _in_upper_case},
        "like": {Scalar.BOOLEAN: _is_like},
        "matches": {Scalar.BOOLEAN: is_match},
        "in_network": {Scalar.BOOLEAN: is_in_network},
    },
    lacking,
)
"""The built-in functions, by the type of their results."""


def function(name: str, result: Scalar) -> Operation:
    """Return the function called `name` with a result of type `result`. Raise MissingFunction if there is none."""
    registered = lookup(name)
    if registered is None or registered.implementation is None:
        return FUNCTIONS[name][result]
    implementation = registered.implementation
    return lambda *arguments: _checked(implementation(*arguments), result)


def _checked(result: object, expected: Scalar) -> Value | None:
    """Return the result of a registered function if it has the expected type, else no value.

    Specification: function-registry.
    """
    match expected, result:
        case Scalar.BOOLEAN, bool():
            return result
        case Scalar.INTEGER, int() if not isinstance(result, bool):
            return integer(result)
        case Scalar.FLOAT, float():
            return real(result)
        case Scalar.STRING, str():
            return result
    return NO_VALUE
