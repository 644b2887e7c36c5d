"""Level 2 in SQLite's SQL: functions on Strings, and aggregates of sets.

Functions of SQLite end a String at U+0000: the adapter takes no String with it into a program that calls one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.functions import LONGEST_STRING
from parte.semantics.source.wildcards import ONE, segments


def text(value: str) -> str:
    """Return a string literal. U+0000 would end the statement, so it is written as a function call."""
    parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\0")]
    return parts[0] if len(parts) == 1 else f"({' || char(0) || '.join(parts)})"


def like(operand: str, pattern: str) -> str:
    """Return the test of a String by a pattern: by GLOB, as LIKE of SQLite does not distinguish a from A."""
    parts = ["".join("?" if item is ONE else _escaped(item) for item in segment) for segment in segments(pattern)]
    return f"({operand} GLOB {text('*'.join(parts))})"


def _escaped(character: str) -> str:
    return f"[{character}]" if character in "*?[" else character


def _joined(parts: Sequence[str]) -> str:
    """Return Strings joined in pairs, as SQLite limits the depth of an expression."""
    middle = len(parts) // 2
    return parts[0] if len(parts) == 1 else f"({_joined(parts[:middle])} || {_joined(parts[middle:])})"


def _concatenated(arguments: Sequence[str]) -> str:
    joined = _joined(arguments)
    return f"(CASE WHEN length({joined}) <= {LONGEST_STRING} THEN {joined} END)"


STRINGS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "starts_with": lambda arguments: f"(substr({arguments[0]}, 1, length({arguments[1]})) = {arguments[1]})",
    "ends_with": lambda arguments: (
        f"(length({arguments[0]}) >= length({arguments[1]})"
        f" AND substr({arguments[0]}, length({arguments[0]}) - length({arguments[1]}) + 1) = {arguments[1]})"
    ),
    "contains": lambda arguments: f"(instr({arguments[0]}, {arguments[1]}) > 0)",
    "length": lambda arguments: f"length({arguments[0]})",
    "concat": _concatenated,
    "lower": lambda arguments: f"lower({arguments[0]})",
    "upper": lambda arguments: f"upper({arguments[0]})",
}
"""The functions on Strings; `lower` and `upper` of SQLite change the letters of ASCII only."""


def folded(aggregate: core.Aggregate, value: str, events: str, timestamp: str) -> str:
    """Return an aggregate of a set as a subquery; `value` is the attribute, `events` is `FROM … WHERE …`."""
    match aggregate.function:
        case "exists":
            return f"EXISTS (SELECT 1 {events})"
        case "count" if aggregate.attribute is None:
            return f"(SELECT count(*) {events})"
        case "count":
            return f"(SELECT count({'DISTINCT ' if aggregate.distinct else ''}{value}) {events})"
        case "sum":
            return f"(SELECT {_sum(value)} {events})"
        case "first" | "last" as end:
            down = " DESC" if end == "last" else ""
            order = f"ORDER BY {timestamp}{down}, {value}{down} LIMIT 1"
            return f"(SELECT {value} {events} AND {value} IS NOT NULL {order})"
        case function:
            assert aggregate.type is not Scalar.BOOLEAN
            return f"(SELECT {function}({value}) {events})"


def _sum(value: str) -> str:
    """Return the exact sum of integers, NULL beyond 64 bit: `sum` of SQLite would stop the query. The upper 32 bits are
    added apart from the lower ones, so that neither sum leaves 64 bit."""
    low = f"sum({value} & 4294967295)"
    high = f"(sum({value} >> 32) + ({low} >> 32))"
    whole = f"(({high} << 32) | ({low} & 4294967295))"
    return f"CASE WHEN count({value}) = 0 THEN 0 WHEN {high} BETWEEN -2147483648 AND 2147483647 THEN {whole} END"
