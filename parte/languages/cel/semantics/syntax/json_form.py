"""A query as JSON, for engines that do not read the text (`query.schema.json`; specification: cel-text)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.codec import Codec, Json, Tagged

FORMAT: Literal["cel-query"] = "cel-query"
VERSION: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class _Window:
    """How many positions after its start, or milliseconds, a result may end."""

    length: int
    unit: Literal["events", "ms"]


@dataclass(frozen=True, slots=True)
class _Query:
    """A query. `selected` is null for `*`; `streams` and `attributes` are empty without their clauses."""

    format: Literal["cel-query"]
    version: Literal[1]
    strategy: tree.Strategy
    selected: tuple[str, ...] | None
    streams: tuple[str, ...]
    formula: tree.Formula
    attributes: tuple[str, ...]
    window: _Window | None
    consumption: tree.Consumption


_KINDS: dict[type, str] = {
    tree.EventType: "type",
    tree.Named: "as",
    tree.Filtered: "filter",
    tree.Or: "or",
    tree.Sequence: "sequence",
    tree.Iteration: "iteration",
    tree.Projection: "projection",
}
_CONDITIONS: dict[type, str] = {tree.Holds: "holds", tree.Link: "link", tree.Both: "and", tree.Either: "or"}
_PREDICATES: dict[type, str] = {tree.Comparison: "comparison", tree.Not: "not", tree.Every: "and", tree.Some: "or"}
_OPERANDS: dict[type, str] = {tree.Attribute: "attribute", tree.Literal: "value"}

CODEC: Codec[_Query] = Codec(
    _Query,
    Tagged("formula", _KINDS),
    Tagged("condition", _CONDITIONS),
    Tagged("predicate", _PREDICATES),
    Tagged("operand", _OPERANDS),
)


def schema() -> dict[str, Any]:
    """The JSON Schema of queries."""
    return CODEC.schema("https://parte.example/schemas/cel-query-1.json", "A CEL query")


def query_to_json(query: tree.Query) -> dict[str, Json]:
    """The query as a tree that the standard `json` module can write."""
    window = None
    if isinstance(query.window, tree.EventWindow):
        window = _Window(query.window.events, "events")
    elif query.window is not None:
        window = _Window(query.window.milliseconds, "ms")
    form = _Query(
        FORMAT,
        VERSION,
        query.strategy,
        query.selected,
        query.streams,
        query.formula,
        query.attributes,
        window,
        query.consumption,
    )
    return cast(dict[str, Json], CODEC.encode(form))
