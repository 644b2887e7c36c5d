"""A program as JSON, for engines that do not read the text (`program.schema.json`; specification: etalis-text)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import Number, Value, value_from_json, value_to_json
from parte.semantics.events.codec import Codec, Json, Tagged

FORMAT: Literal["etalis-program"] = "etalis-program"
VERSION: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class _Program:
    """A program. A number that is not whole is a string such as "3/2"."""

    format: Literal["etalis-program"]
    version: Literal[1]
    rules: tuple[tree.Rule, ...]


_TERMS: dict[type, str] = {
    tree.Variable: "variable",
    tree.Constant: "value",
    tree.Calculation: "calculation",
    tree.Comparison: "comparison",
}
_PATTERNS: dict[type, str] = {
    tree.EventPattern: "event",
    tree.Moment: "moment",
    tree.Lasting: "lasting",
    tree.Where: "where",
    tree.Joined: "joined",
    tree.Negation: "not",
}

CODEC: Codec[_Program] = Codec(
    _Program,
    Tagged("term", _TERMS),
    Tagged("pattern", _PATTERNS),
    forms={
        Value: (int | str | bool, value_to_json, value_from_json),
        Number: (int | str, value_to_json, value_from_json),
    },
)


def schema() -> dict[str, Any]:
    """The JSON Schema of programs."""
    return CODEC.schema("https://parte.example/schemas/etalis-program-1.json", "An ETALIS program")


def program_to_json(program: tree.Program) -> dict[str, Json]:
    """The program as a tree that the standard `json` module can write."""
    return cast(dict[str, Json], CODEC.encode(_Program(FORMAT, VERSION, program.rules)))
