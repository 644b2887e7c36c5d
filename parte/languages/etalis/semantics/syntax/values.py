"""The values of the language and of its streams: exact numbers, strings and Booleans (specification: etalis-data).

Whole numbers are Python integers and others fractions, so that equal numbers are equal values. Booleans are no Python
ones, since those are equal to 0 and 1.
"""

from __future__ import annotations

import re
from enum import Enum
from fractions import Fraction


class Truth(Enum):
    """A Boolean."""

    FALSE = False
    TRUE = True


Number = int | Fraction
Value = int | Fraction | str | Truth

FRACTION = re.compile(r"-?[0-9]+/[0-9]+")
"""What stands for a number in a string of JSON, so that no string value looks like this."""

MAX_BITS = 4096
"""Of the numerator and of the denominator of a number: a sum that recursion squares grows without end."""


class NumberTooLarge(ValueError):
    """A run has made a number that is too large to go on with."""


def number(value: Number) -> Number:
    """A number in the form that stands for it. NumberTooLarge if it is that."""
    if isinstance(value, Fraction) and value.denominator == 1:
        value = value.numerator
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise NumberTooLarge(f"a number of more than {MAX_BITS} bits")
    return value


def truth(value: bool) -> Truth:
    """The Boolean."""
    return Truth.TRUE if value else Truth.FALSE


def rank(value: Value) -> tuple[int, Number, str]:
    """A key that orders values: numbers, then strings, then Booleans."""
    match value:
        case str():
            return 1, 0, value
        case Truth():
            return 2, int(value.value), ""
        case _:
            return 0, value, ""


def value_to_json(value: Value) -> int | str | bool:
    """A value as traces and results hold it: a number that is not whole as "3/2"."""
    match value:
        case Truth():
            return value.value
        case Fraction():
            return f"{value.numerator}/{value.denominator}"
        case _:
            return value


def value_from_json(given: int | str | bool) -> Value:
    """The value that JSON holds. NumberTooLarge; ZeroDivisionError for a number that is divided by 0."""
    if isinstance(given, bool):
        return truth(given)
    if isinstance(given, str):
        return number(Fraction(given)) if FRACTION.fullmatch(given) else given
    return number(given)


def text_of(value: Value) -> str:
    """A value as programs write it."""
    match value:
        case Truth():
            return "true" if value is Truth.TRUE else "false"
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
            return f'"{escaped}"'
        case _:
            return _decimal(value)


def _decimal(value: Number) -> str:
    """A number, as a decimal if it has a short one."""
    places = next((count for count in range(10) if 10**count % value.denominator == 0), None)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    if places == 0:
        return str(value.numerator)
    whole, part = divmod(abs(value.numerator) * 10**places // value.denominator, 10**places)
    return f"{'-' if value < 0 else ''}{whole}.{part:0{places}d}"
