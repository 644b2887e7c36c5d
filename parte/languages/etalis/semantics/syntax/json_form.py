"""A program as JSON, for engines that do not read the text (`program.schema.json`; specification: etalis-text)."""

from __future__ import annotations

from functools import partial

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import Number, Value, value_from_json, value_to_json
from parte.semantics.events.codec import Codec, Tagged

CODEC: Codec[tree.Program] = Codec(
    tree.Program,
    Tagged.of("term", tree.Term, Constant="value"),
    Tagged.of("pattern", tree.Pattern, EventPattern="event", Negation="not"),
    forms={
        Value: (int | str | bool, value_to_json, value_from_json),
        Number: (int | str, value_to_json, value_from_json),
    },
    header=("etalis-program", 1),
)
program_to_json = CODEC.encode
schema = partial(CODEC.schema, "https://parte.example/schemas/etalis-program-1.json", "An ETALIS program")
