"""The JSON Schema of traces of events in cases, for every language that has events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from parte.conformance.exchange import reference
from parte.semantics.events.bounds import Text
from parte.semantics.events.codec import Codec

Scalar = str | int | float | bool
Attributes = dict[str, str | int | float | bool | list[Scalar]]


@dataclass(frozen=True, slots=True)
class _Event:
    """An event. The id defaults to e and the number of the line, the source to default. The timestamp is milliseconds
    since 1970-01-01T00:00:00Z, or an ISO-8601 time with offset. Null stands for an optional attribute that is missing,
    in a language that has such attributes."""

    template: Text
    timestamp: int | str
    id: Text = ""
    source: Text = ""
    attributes: dict[str, str | int | float | bool | list[Scalar] | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Progress:
    """A promise: every later event of this source and template has a timestamp of at least this."""

    template: Text
    progress: int | str
    source: Text = ""


ITEM = {"anyOf": [reference("Event"), reference("Progress")]}
"""The schema of a line of a trace; it refers to `definitions`."""


def definitions(*parts: type) -> dict[str, Any]:
    """Return the schemas of a line of a trace, and of further parts of cases."""
    schemas: dict[str, Any] = {}
    for part in (_Event, _Progress, *parts):
        schemas |= Codec(part).schema("", "")["$defs"]
    return schemas
