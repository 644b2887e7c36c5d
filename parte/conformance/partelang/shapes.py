"""The JSON Schemas of traces, tables and matches of PARTElang in cases (`fixture.schema.json`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from parte.conformance.exchange import Shapes, reference
from parte.conformance.trace_shapes import ITEM, Attributes, Scalar, definitions
from parte.semantics.events.bounds import Positive, Text


@dataclass(frozen=True, slots=True)
class _Emitted:
    id: Text
    template: Text
    timestamp: int
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class _Match:
    """The ids bound to the positive variables, and the emitted events. The order of matches has no meaning."""

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
class _Suppressed:
    """An emission (numbered from 1 in its rule) that `once` suppressed, and the id of the event that passed before
    it."""

    rule: Text
    emission: Positive
    bindings: Mapping[str, Text]
    passed: Text


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows for which a predicate is true, or those for which it is false."""

    true_for: tuple[list[Scalar], ...] = ()
    false_for: tuple[list[Scalar], ...] = ()


def _definitions() -> dict[str, Any]:
    schemas = definitions(_Match, _Failure, _Suppressed, _Table)
    schemas["Table"] |= {"minProperties": 1, "maxProperties": 1}
    return schemas


SHAPES = Shapes(
    "fixture-2",
    ITEM,
    reference("Match"),
    reference("Failure"),
    reference("Suppressed"),
    reference("Table"),
    _definitions(),
)
