"""The values of the language and of its streams: exact numbers, strings and Booleans (specification: etalis-data).

Whole numbers are Python integers and others fractions, so that equal numbers are equal values. Booleans are not
Python's, because those are equal to 0 and 1.
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
"""The form of a fraction in a string of JSON; so no string value may have this form."""

MAX_BITS = 4096
"""The greatest size of the numerator and of the denominator of a number: squaring in recursion grows without bound."""


class NumberTooLarge(ValueError):
    """A run computed a number that is too large to continue."""


def number(value: Number) -> Number:
    """Return a number in its canonical form. Raise NumberTooLarge if it is too large."""
    if isinstance(value, Fraction) and value.denominator == 1:
        value = value.numerator
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise NumberTooLarge(f"a number of more than {MAX_BITS} bits")
    return value


def truth(value: bool) -> Truth:
    """Return a Python Boolean as a Boolean of the language."""
    return Truth.TRUE if value else Truth.FALSE


def rank(value: Value) -> tuple[int, Number, str]:
    """Return a key that orders values: numbers, then strings, then Booleans."""
    match value:
        case str():
            return 1, 0, value
        case Truth():
            return 2, int(value.value), ""
        case _:
            return 0, value, ""


def value_to_json(value: Value) -> int | str | bool:
    """Return a value in the form of traces and results: a number that is not whole as "3/2"."""
    match value:
        case Truth():
            return value.value
        case Fraction():
            return f"{value.numerator}/{value.denominator}"
        case _:
            return value


def value_from_json(json_value: int | str | bool) -> Value:
    """Return the value of a JSON value. Raise NumberTooLarge; ZeroDivisionError for a denominator of 0."""
    if isinstance(json_value, bool):
        return truth(json_value)
    if isinstance(json_value, str):
        return number(Fraction(json_value)) if FRACTION.fullmatch(json_value) else json_value
    return number(json_value)


def text_of(value: Value) -> str:
    """Return a value in the syntax of programs."""
    match value:
        case Truth():
            return "true" if value is Truth.TRUE else "false"
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
            return f'"{escaped}"'
        case _:
            return _decimal(value)


def _decimal(value: Number) -> str:
    """Return the text of a number, as a decimal if it has a short one."""
    places = next((count for count in range(10) if 10**count % value.denominator == 0), None)
    if places is None:
        return f"{value.numerator}/{value.denominator}"
    if places == 0:
        return str(value.numerator)
    whole, part = divmod(abs(value.numerator) * 10**places // value.denominator, 10**places)
    return f"{'-' if value < 0 else ''}{whole}.{part:0{places}d}"
