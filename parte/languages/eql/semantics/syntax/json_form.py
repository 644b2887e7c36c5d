"""A query as JSON, for engines that do not read the text (`query.schema.json`; specification: eql-text)."""

from __future__ import annotations

from functools import partial

from parte.languages.eql.semantics.syntax import tree
from parte.semantics.events.codec import Codec, Tagged


def _unit(name: str) -> tree.Unit:
    return tree.Unit[name.upper()]


CODEC: Codec[tree.Query] = Codec(
    tree.Query,
    Tagged.of("query", tree.Query, Single="event"),
    Tagged.of("expression", tree.Expression, Literal="value"),
    forms={tree.Unit: (str, lambda unit: unit.name.lower(), _unit)},
)
query_to_json = CODEC.encode
schema = partial(CODEC.schema, "https://parte.example/schemas/eql-query-1.json", "An EQL query")
