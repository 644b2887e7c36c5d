"""The columns of results, which `match` and `stream` share.

`MATCH` are the columns of a match, `FAILURE` those of an emission without a value, `SUPPRESSED` those of an event that
`once` suppressed. `stream` has all of them in one table, and `match` has a table for each; a column that does not apply
to a row is null there.
"""

from __future__ import annotations

from typing import Final

BINDINGS: Final = "array<struct<variable: string, event: string>>"
"""The events of a match by variable, in the order of the patterns."""

COLUMNS: Final = {
    "rule": "string",
    "bindings": BINDINGS,
    "emits": "array<string>",
    "emission": "int",
    "without_value": "array<string>",
    "event": "string",
    "passed": "string",
}
"""The type of each column: `emits` are the ids of the events that a match emitted; `emission` is the position of an
emission in its rule, from 1, and `without_value` are its parts without a value, `timestamp` or attributes; null if the
engine does not report them. `event` is the id of a suppressed event, and `passed` that of the event that passed before
it."""

MATCH: Final = ("rule", "bindings", "emits")
FAILURE: Final = ("rule", "bindings", "emission", "without_value")
SUPPRESSED: Final = ("rule", "bindings", "emission", "event", "passed")


def schema(*names: str) -> str:
    """Return columns with their types, as a schema for Spark."""
    return ", ".join(f"{name} {COLUMNS[name]}" for name in names)
