"""A query as JSON, for engines that do not read the text (`query.schema.json`; specification: cel-text)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.codec import Codec, Json, Tagged


@dataclass(frozen=True, slots=True)
class _Window:
    """The greatest distance from the start to the end of a result, in positions or milliseconds."""

    length: int
    unit: Literal["events", "ms"]


def _written(window: tree.Window | None) -> Json:
    match window:
        case None:
            return None
        case tree.EventWindow(events=length):
            return {"length": length, "unit": "events"}
        case tree.TimeWindow():
            return {"length": window.milliseconds, "unit": "ms"}


def _read(form: _Window | None) -> tree.Window | None:
    if form is None:
        return None
    return tree.EventWindow(form.length) if form.unit == "events" else tree.TimeWindow(((form.length, tree.Unit.MS),))


CODEC: Codec[tree.Query] = Codec(
    tree.Query,
    Tagged.of("formula", tree.Formula, EventType="type", Named="as", Filtered="filter"),
    Tagged.of("condition", tree.Condition, Both="and", Either="or"),
    Tagged.of("predicate", tree.Predicate, Every="and", Some="or"),
    Tagged.of("operand", tree.Operand, Literal="value"),
    forms={tree.Window | None: (_Window | None, _written, _read)},
    header=("cel-query", 1),
)
query_to_json = CODEC.encode
schema = partial(CODEC.schema, "https://parte.example/schemas/cel-query-1.json", "A CEL query")
