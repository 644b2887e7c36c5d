"""Functions and arithmetic of the machine (specification: eql-functions). Null is None; no argument is null here."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import inf
from typing import Any

from parte.languages.eql.semantics.syntax.folding import folded
from parte.languages.eql.semantics.syntax.functions import LONGEST_STRING
from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER

Plain = int | float | str | bool | None
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_LONGEST_NUMBER = 100


def kind_of(value: Plain) -> str:
    """Return the kind of a value; "" for null. Values of different kinds are not compared."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else ""


def _in_range(value: int | float) -> Plain:
    if isinstance(value, float):
        return value if -inf < value < inf else None
    return value if LEAST_INTEGER <= value <= GREATEST_INTEGER else None


def _numeric(function: Callable[[Any, Any], int | float]) -> Callable[[Plain, Plain], Plain]:
    def calculate(left: Plain, right: Plain) -> Plain:
        if kind_of(left) != "number" or kind_of(right) != "number":
            return None
        try:
            return _in_range(function(left, right))
        except (ZeroDivisionError, OverflowError):
            return None

    return calculate


def _divide(left: int | float, right: int | float) -> int | float:
    if isinstance(left, int) and isinstance(right, int):
        return divmod(left, right)[0]
    return left / right


ARITHMETIC: dict[str, Callable[[Plain, Plain], Plain]] = {
    "+": _numeric(operator.add),
    "-": _numeric(operator.sub),
    "*": _numeric(operator.mul),
    "/": _numeric(_divide),
    "%": _numeric(operator.mod),
}


def _is_whole(value: Plain) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _on_strings(function: Callable[[Any, Any], Plain]) -> Callable[[bool], Callable[..., Plain]]:
    def compiled(folds: bool) -> Callable[..., Plain]:
        def apply(first: Plain, second: Plain, *others: Plain) -> Plain:
            if not (isinstance(first, str) and isinstance(second, str)):
                return None
            if folds:
                first, second = folded(first), folded(second)
            return function(first, second, *others)

        return apply

    return compiled


def _find(text: str, part: str, start: Plain = 0) -> Plain:
    if not isinstance(start, int) or not _is_whole(start):
        return None
    try:
        return text.index(part, start if start > 0 else 0)
    except ValueError:
        return None


def _between(folds: bool) -> Callable[..., Plain]:
    def between(source: Plain, left: Plain, right: Plain, greedy: Plain = False) -> Plain:
        if not (isinstance(source, str) and isinstance(left, str) and isinstance(right, str)):
            return None
        if kind_of(greedy) != "boolean":
            return None
        seen, first, last = (folded(source), folded(left), folded(right)) if folds else (source, left, right)
        head, mark, rest = seen.partition(first) if first else ("", "x", seen)
        if not mark:
            return ""
        if last:
            inner, end, _ = rest.rpartition(last) if greedy else rest.partition(last)
            if not end:
                return ""
        else:
            inner = rest if greedy else ""
        start = len(head) + len(first)
        return source[start : start + len(inner)]

    return between


def _string(value: Plain) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def _concat(*values: Plain) -> Plain:
    parts = [*map(_string, values)]
    return "".join(parts) if sum(map(len, parts)) <= LONGEST_STRING else None


def _substring(text: Plain, start: Plain, end: Plain = GREATEST_INTEGER) -> Plain:
    if not (isinstance(text, str) and isinstance(start, int) and isinstance(end, int)):
        return None
    if not (_is_whole(start) and _is_whole(end)):
        return None
    first, last = (max(0, place + len(text)) if place < 0 else place for place in (start, end))
    return "".join(sign for place, sign in enumerate(text) if first <= place < last)


def _number(text: Plain, base: Plain = None) -> Plain:
    """Return the number that a text writes; without a base in tens, behind `0x` in sixteens, or with a fraction."""
    if not isinstance(text, str) or len(text) > _LONGEST_NUMBER or not (base is None or _is_whole(base)):
        return None
    sign, digits = (-1 if text[:1] == "-" else 1), text[1:] if text[:1] in ("-", "+") else text
    if digits[:2] in ("0x", "0X") and base in (None, 16):
        return _in_base(sign, digits[2:], 16)
    if base is not None:
        return _in_base(sign, digits, base) if isinstance(base, int) and 2 <= base <= 36 else None
    whole = _in_base(sign, digits, 10)
    if whole is not None or digits.isdigit():
        return whole
    mantissa, mark, exponent = digits.lower().partition("e")
    before, dot, after = mantissa.partition(".")
    scale = exponent[1:] if exponent[:1] in ("-", "+") else exponent
    written = text.isascii() and (before + after).isdigit() and scale.isdigit() is bool(mark)
    return _in_range(float(text)) if written and (dot or mark) else None


def _in_base(sign: int, digits: str, base: int) -> Plain:
    number = 0
    for digit in digits.lower():
        place = _DIGITS.find(digit)
        if not 0 <= place < base:
            return None
        number = number * base + place
    return _in_range(sign * number) if digits else None


COMPILED: dict[str, Callable[[bool], Callable[..., Plain]]] = {
    "add": lambda _: ARITHMETIC["+"],
    "between": _between,
    "concat": lambda _: _concat,
    "divide": lambda _: ARITHMETIC["/"],
    "endsWith": _on_strings(str.endswith),
    "indexOf": _on_strings(_find),
    "length": lambda _: lambda text: len(text) if isinstance(text, str) else None,
    "modulo": lambda _: ARITHMETIC["%"],
    "multiply": lambda _: ARITHMETIC["*"],
    "number": lambda _: _number,
    "startsWith": _on_strings(str.startswith),
    "string": lambda _: _string,
    "stringContains": _on_strings(str.__contains__),
    "substring": lambda _: _substring,
    "subtract": lambda _: ARITHMETIC["-"],
}
"""The functions by name; the argument is the mark `~`."""
