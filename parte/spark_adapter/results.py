"""The columns of results, whichever command finds them: those of `match` and of `stream` are the same.

`MATCH` are the columns of a match, `FAILURE` those of an emission without a value. `stream` has all of them in one
table, and `match` has a table for each; a column that is not about a row is null there.
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
}
"""By column its type: `emits` are the ids of the events that a match emitted; `emission` is the position of an emission
in its rule, from 1, and `without_value` are the parts of it that have none, `timestamp` or attributes; null where the
engine does not say."""

MATCH: Final = ("rule", "bindings", "emits")
FAILURE: Final = ("rule", "bindings", "emission", "without_value")


def schema(*names: str) -> str:
    """Columns with their types, as Spark takes them."""
    return ", ".join(f"{name} {COLUMNS[name]}" for name in names)
