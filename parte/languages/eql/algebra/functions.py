"""The meaning of functions and arithmetic (specification: eql-functions). Null is None; no argument is null here."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from typing import Any

from parte.languages.eql.semantics.syntax.folding import folded
from parte.languages.eql.semantics.syntax.functions import LONGEST_STRING
from parte.semantics.events.values import fits_integer

Plain = int | float | str | bool | None


def calculated(sign: str, left: Any, right: Any) -> Plain:
    """Return the result of an operator on two numbers; null beyond 64 bit or the finite numbers, and by zero."""
    if any(isinstance(side, bool) or not isinstance(side, int | float) for side in (left, right)):
        return None
    if sign in "/%" and right == 0:
        return None
    whole = isinstance(left, int) and isinstance(right, int)
    try:
        match sign:
            case "+":
                return _number(left + right)
            case "-":
                return _number(left - right)
            case "*":
                return _number(left * right)
            case "/":
                return _number(left // right if whole else left / right)
            case _:
                return _number(left % right)
    except OverflowError:
        return None


def _number(value: int | float) -> Plain:
    if isinstance(value, int):
        return value if fits_integer(value) else None
    return value if isfinite(value) else None


def _texts(count: int, function: Callable[..., Plain]) -> Callable[..., Plain]:
    """Return a function whose first arguments are strings, folded if it is written with `~`; else it is null."""

    def applied(folds: bool, *arguments: Any) -> Plain:
        texts, others = arguments[:count], arguments[count:]
        if not all(isinstance(text, str) for text in texts):
            return None
        return function(*(folded(text) if folds else text for text in texts), *others)

    return applied


def _between(folds: bool, source: Any, left: Any, right: Any, greedy: Any = False) -> Plain:
    if not all(isinstance(text, str) for text in (source, left, right)) or not isinstance(greedy, bool):
        return None
    shape, before, after = (folded(text) if folds else text for text in (source, left, right))
    start = shape.find(before)
    if start < 0:
        return ""
    start += len(before)
    end = shape.rfind(after, start) if greedy else shape.find(after, start)
    return str(source[start:end]) if end >= 0 else ""


def _index_of(source: str, part: str, start: Any = 0) -> Plain:
    if isinstance(start, bool) or not isinstance(start, int):
        return None
    place = source.find(part, max(0, start))
    return place if place >= 0 else None


def _substring(_: bool, source: Any, *bounds: Any) -> Plain:
    if not isinstance(source, str) or any(isinstance(bound, bool) or not isinstance(bound, int) for bound in bounds):
        return None
    return source[bounds[0] : bounds[1] if len(bounds) > 1 else None]


def _concat(_: bool, *arguments: Plain) -> Plain:
    whole = "".join(str(_string(False, argument)) for argument in arguments)
    return whole if len(whole) <= LONGEST_STRING else None


def _string(_: bool, value: Plain) -> Plain:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def _number_of(_: bool, text: Any, base: Any = None) -> Plain:
    if not isinstance(text, str) or len(text) > 100 or not text.isascii():
        return None
    if base is None and re.fullmatch(r"[+-]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][+-]?[0-9]+)?", text):
        return _number(int(text) if re.fullmatch("[+-]?[0-9]+", text) else float(text))
    if base is not None and (isinstance(base, bool) or not isinstance(base, int) or not 2 <= base <= 36):
        return None
    prefix = {None: "0[xX]", 16: "(?:0[xX])?"}.get(base, "")
    digits = re.fullmatch(rf"([+-]?){prefix}([0-9A-Za-z]+)", text)
    if digits is None:
        return None
    try:
        return _number(int(digits[1] + digits[2], base or 16))
    except ValueError:
        return None


FUNCTIONS: dict[str, Callable[..., Plain]] = {
    "add": lambda _, left, right: calculated("+", left, right),
    "between": _between,
    "concat": _concat,
    "divide": lambda _, left, right: calculated("/", left, right),
    "endsWith": _texts(2, lambda text, end: text[max(0, len(text) - len(end)) :] == end),
    "indexOf": _texts(2, _index_of),
    "length": lambda _, text: len(text) if isinstance(text, str) else None,
    "modulo": lambda _, left, right: calculated("%", left, right),
    "multiply": lambda _, left, right: calculated("*", left, right),
    "number": _number_of,
    "startsWith": _texts(2, lambda text, start: text[: len(start)] == start),
    "string": _string,
    "stringContains": _texts(2, lambda text, part: text.find(part) >= 0),
    "substring": _substring,
    "subtract": lambda _, left, right: calculated("-", left, right),
}
"""The functions by name; the first argument is the mark `~`."""
