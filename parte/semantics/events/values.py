"""The Python values for the values of PARTElang's types (specification: scalar-types)."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from parte.semantics.events.bounds import GREATEST_INTEGER as GREATEST_INTEGER
from parte.semantics.events.bounds import LEAST_INTEGER as LEAST_INTEGER
from parte.semantics.events.event import Value
from parte.semantics.events.strictjson import MalformedJson, check_text, quoted
from parte.semantics.events.types import Attribute, ListOf, Scalar, Type


def fits_integer(value: int) -> bool:
    """Return whether an Integer, a timestamp or a duration in milliseconds is within signed 64 bit."""
    return LEAST_INTEGER <= value <= GREATEST_INTEGER


def fits_float(value: float) -> bool:
    """Return whether a Float is finite."""
    return isfinite(value)


ScalarValue = int | float | str | bool
Converter = Callable[[object], Value]


class Unfit(ValueError):
    """A value that is not of the type; the message has the expected and the actual value."""


def type_name(type_: Type) -> str:
    """Return the name of the type in PARTElang."""
    return f"[{type_.element.value}; {type_.capacity}]" if isinstance(type_, ListOf) else type_.value


def slot_text(slot: Attribute) -> str:
    """Return the declaration of an attribute in PARTElang."""
    return f"{slot.name}: {type_name(slot.type)}{'?' * slot.optional}"


def describe(value: object) -> str:
    """Return a description of a value for messages: its kind, and the value if it is short."""
    match value:
        case None:
            return "null"
        case bool():
            return f"the Boolean {'true' if value else 'false'}"
        case int():
            # Thousands of digits are useless, and the interpreter may refuse to print them.
            return f"the integer {value}" if abs(value) < 10**30 else "an integer of more than 30 digits"
        case float():
            return f"the number {value!r}"
        case str():
            return f"the string {quoted(value)}"
        case list() | tuple():
            return f"a list of {len(value)}"
        case dict():
            return "an object"
        case _:
            return f"a Python value of type {type(value).__name__}"


def to_integer(value: object) -> int:
    """Return an Integer. Unfit for any float: the notation 120.0 means that fractions are possible."""
    if type(value) is not int:
        raise Unfit(f"expected Integer, found {describe(value)}")
    if not LEAST_INTEGER <= value <= GREATEST_INTEGER:
        raise Unfit(f"expected Integer, found {describe(value)}, which lies outside the signed 64-bit range")
    return value


def to_float(value: object) -> float:
    """Return a Float; an Integer is converted to the nearest one."""
    if type(value) is float:
        if not isfinite(value):
            raise Unfit(f"expected a finite Float, found {describe(value)}")
        return value
    if type(value) is int:
        if not LEAST_INTEGER <= value <= GREATEST_INTEGER:
            raise Unfit(f"expected Float, found {describe(value)}, which lies outside the signed 64-bit range")
        return float(value)
    raise Unfit(f"expected Float, found {describe(value)}")


def to_string(value: object) -> str:
    """Return a String: any that can be encoded as UTF-8."""
    if type(value) is not str:
        raise Unfit(f"expected String, found {describe(value)}")
    if not value.isascii():
        try:
            check_text(value)
        except MalformedJson as error:
            raise Unfit(f"expected String, found one that is not Unicode text: {error.message}") from None
    return value


def to_boolean(value: object) -> bool:
    """Return a Boolean."""
    if type(value) is not bool:
        raise Unfit(f"expected Boolean, found {describe(value)}")
    return value


_SCALARS: dict[Scalar, Callable[[object], ScalarValue]] = {
    Scalar.INTEGER: to_integer,
    Scalar.FLOAT: to_float,
    Scalar.STRING: to_string,
    Scalar.BOOLEAN: to_boolean,
}


def scalar_converter(scalar: Scalar) -> Callable[[object], ScalarValue]:
    """Return the function that converts a value to the type, or raises Unfit."""
    return _SCALARS[scalar]


def converter(type_: Type) -> Converter:
    """Return the same for any type: a list or tuple becomes a tuple."""
    if isinstance(type_, Scalar):
        return scalar_converter(type_)
    return _list_converter(type_)


def _list_converter(list_of: ListOf) -> Converter:
    element = scalar_converter(list_of.element)

    def convert(value: object) -> Value:
        if not isinstance(value, list | tuple):
            raise Unfit(f"expected {type_name(list_of)}, found {describe(value)}")
        if len(value) > list_of.capacity:
            raise Unfit(f"expected {type_name(list_of)}: at most {list_of.capacity} values, found {len(value)}")
        converted = []
        for position, item in enumerate(value, 1):
            try:
                converted.append(element(item))
            except Unfit as error:
                raise Unfit(f"value {position} of {type_name(list_of)}: {error}") from None
        return tuple(converted)

    return convert
