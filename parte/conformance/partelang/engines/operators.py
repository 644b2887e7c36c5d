"""The operators of PARTElang as Python's, for engines whose values or expressions define these operators."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
