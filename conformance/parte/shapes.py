"""What traces, tables and matches of PARTElang look like in the JSON of cases (`fixture.schema.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parte.conformance.exchange import Shapes, reference
from parte.semantics.events.bounds import Positive, Text
from parte.semantics.events.codec import Codec

Scalar = str | int | float | bool
Attributes = dict[str, str | int | float | bool | list[Scalar]]


@dataclass(frozen=True, slots=True)
class _Event:
    """An event. The id defaults to e and the number of the line, the source to default. The timestamp is milliseconds
    since 1970-01-01T00:00:00Z, or an ISO-8601 time with offset."""

    template: Text
    timestamp: int | str
    id: Text = ""
    source: Text = ""
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Progress:
    """A promise: every later event of this source and template has a timestamp of at least this."""

    template: Text
    progress: int | str
    source: Text = ""


@dataclass(frozen=True, slots=True)
class _Emitted:
    id: Text
    template: Text
    timestamp: int
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class _Match:
    """The ids bound to the positive variables, and the events emitted. The order of matches means nothing."""

    rule: Text
    bindings: Mapping[str, Text]
    emits: tuple[_Emitted, ...]


@dataclass(frozen=True, slots=True)
class _Failure:
    """An emission (numbered from 1 in its rule) that emitted nothing, since an expression in it has no value."""

    rule: Text
    emission: Positive
    bindings: Mapping[str, Text]


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows for which a predicate is true, or those for which it is false."""

    true_for: tuple[list[Scalar], ...] = ()
    false_for: tuple[list[Scalar], ...] = ()


def _definitions() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in (_Event, _Progress, _Match, _Failure, _Table):
        found |= Codec(part).schema("", "")["$defs"]
    found["Table"] |= {"minProperties": 1, "maxProperties": 1}
    return found


SHAPES = Shapes(
    "fixture-2",
    {"anyOf": [reference("Event"), reference("Progress")]},
    reference("Match"),
    reference("Failure"),
    reference("Table"),
    _definitions(),
)
