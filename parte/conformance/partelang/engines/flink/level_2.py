"""Level 2 in Flink SQL: functions on Strings, patterns as regular expressions of Java, clocks, and aggregates of sets.

Each is exact on the values that it gets. A clock shows UTC only: the zones of Java are another table than PARTElang's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import ascii_lowercase, ascii_uppercase

from parte.conformance.engines.foreign import Inexpressible
from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.functions import LONGEST_STRING
from parte.semantics.partelang.syntax.zones import UTC
from parte.semantics.source.wildcards import ONE, segments

_DAY = 86_400_000
_FIRST_DATE, _LAST_DATE = -62_135_596_800_000, 253_402_300_799_999
"""The first and the last millisecond of the years 1 to 9999."""
_SPECIAL = frozenset("\\.[](){}|*+?^$")


def text(value: str) -> str:
    """Return a string literal."""
    return "'" + value.replace("'", "''") + "'"


def pattern_test(function: str, operand: str, pattern: str) -> str:
    """Return `like` or `matches` as REGEXP, which is true if any part fits: so the expression has both ends.

    A pattern of `matches` means the same in Java, in the mode in which `.` is any code point; in LIKE of Flink `_` is
    no line break.
    """
    if function == "like":
        parts = ["".join("." if item is ONE else _escaped(item) for item in segment) for segment in segments(pattern)]
        pattern = ".*".join(parts)
    whole = rf"(?s)\A(?:{pattern})\z"
    return f"REGEXP({operand}, {text(whole)})"


def _escaped(character: str) -> str:
    return f"\\{character}" if character in _SPECIAL else character


def _concatenated(arguments: list[str]) -> str:
    joined = f"CONCAT({', '.join(arguments)})"
    return f"(CASE WHEN CHAR_LENGTH({joined}) <= {LONGEST_STRING} THEN {joined} END)"


STRINGS: Mapping[str, Callable[[list[str]], str]] = {
    "starts_with": lambda arguments: f"STARTSWITH({', '.join(arguments)})",
    "ends_with": lambda arguments: f"ENDSWITH({', '.join(arguments)})",
    "contains": lambda arguments: f"(POSITION({arguments[1]} IN {arguments[0]}) > 0)",
    "length": lambda arguments: f"CAST(CHAR_LENGTH({arguments[0]}) AS BIGINT)",
    "concat": _concatenated,
    "lower": lambda arguments: f"TRANSLATE({arguments[0]}, '{ascii_uppercase}', '{ascii_lowercase}')",
    "upper": lambda arguments: f"TRANSLATE({arguments[0]}, '{ascii_lowercase}', '{ascii_uppercase}')",
}
"""The functions on Strings. LOWER and UPPER of Flink change the letters of all alphabets."""


def clock(reading: core.ClockReading, timestamp: str) -> str:
    """Return the reading of a clock at a timestamp in ms. Inexpressible if the clock does not show UTC."""
    if reading.zone != UTC:
        raise Inexpressible("a clock of a zone: Flink has the zones of Java, which is another table")
    passed = f"MOD(MOD({timestamp}, {_DAY}) + {_DAY}, {_DAY})"
    match reading.function:
        case "time_of_day":
            displayed = f"CAST({passed} AS BIGINT)"
        case "weekday":
            # The days since 1970-01-01, a Thursday; -719162 is that of 0001-01-01, a Monday.
            displayed = f"(MOD(({timestamp} - {passed}) / {_DAY} + 719162, 7) + CAST('1' AS BIGINT))"
        case _:
            displayed = f"DATE_FORMAT(TO_TIMESTAMP_LTZ({timestamp}, 3), 'yyyy-MM-dd')"
    dated = " AND ".join(
        f"{timestamp} {comparison} CAST('{end}' AS BIGINT)"
        for comparison, end in ((">=", _FIRST_DATE), ("<=", _LAST_DATE))
    )
    return f"(CASE WHEN {dated} THEN {displayed} END)"


def aggregate_name(aggregate: core.Aggregate) -> str:
    """Return the column of an aggregate of a set."""
    of = "" if aggregate.attribute is None else f" {'distinct ' if aggregate.distinct else ''}{aggregate.attribute}"
    return f"{aggregate.function}{of}"


def folded(aggregate: core.Aggregate, value: str) -> str:
    """Return an aggregate of a group of rows, one for each event of a set; a group without events has one row, whose
    `value` is NULL. `value` is the attribute, or the id of the event. First and last values are no such aggregates."""
    match aggregate.function:
        case "exists":
            return f"(COUNT({value}) > 0)"
        case "count":
            return f"COUNT({'DISTINCT ' if aggregate.distinct else ''}{value})"
        case "sum":
            total = f"SUM(CAST({value} AS DECIMAL(38, 0)))"
            least, most = (f"CAST('{end}' AS DECIMAL(38, 0))" for end in (LEAST_INTEGER, GREATEST_INTEGER))
            within = f"WHEN {total} BETWEEN {least} AND {most} THEN CAST({total} AS BIGINT)"
            return f"(CASE WHEN COUNT({value}) = 0 THEN CAST('0' AS BIGINT) {within} END)"
        case function:
            assert aggregate.type is not Scalar.BOOLEAN
            return f"{function.upper()}({value})"
