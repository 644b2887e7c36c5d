"""Cases as JSON (`fixture.schema.json`): what `parte suite export` gives to engines, and editions of traces hold.

What is read here is checked for its shape only; `parte.conformance.lint` checks what it means.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from parte.conformance.fixtures import Expected, Fixture, FixtureError, Json, Place, Repeated, check_size
from parte.semantics.events.bounds import Positive, Text
from parte.semantics.events.codec import Codec, FormatError, Tagged

FORMAT, VERSION = "parte-fixture", 2

_FIXTURE = Tagged("case", {Fixture: FORMAT}, key="format", shown={"version": (Literal[2], lambda _: VERSION)})
_FORM: dict[str, Any] = {
    "sparse": {
        Fixture: {"sources": (), "domain": {}, "disorder": 0},
        Expected: ["rejected", "warnings", "failures"],
        Place: ["column"],
    },
    "renamed": {Fixture: {"expected": "expect"}, Repeated: {"text": "repeat"}},
}
_CODEC: Codec[Fixture] = Codec(Fixture, _FIXTURE, **_FORM, lenient=[Fixture], bounded=False)


def fixture_from_json(data: Mapping[str, Json]) -> Fixture:
    """The case that an object writes. FixtureError if its shape is wrong."""
    try:
        case = _CODEC.decode(data)
    except FormatError as error:
        raise FixtureError(str(error)) from None
    check_size(case.program)
    return case


def fixture_to_json(case: Fixture) -> dict[str, Json]:
    """The object that writes a case; what has its default is left out."""
    written = cast(dict[str, Json], _CODEC.encode(case))
    if case.expected.rejected is not None:
        del written["expect"]["matches"]
    return written


def fixture_text(case: Fixture, **more: Json) -> str:
    """The file of a case, with further keys."""
    return json.dumps(fixture_to_json(case) | more, indent=1) + "\n"


# --- Schema -----------------------------------------------------------------------------------------------------------

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


def schema() -> dict[str, Any]:
    """The JSON Schema of a case, with what the suite asks of it: only a case that is rejected may hold any trace."""
    identifier, title = "https://parte.example/schemas/fixture-2.json", "A case of the PARTE conformance suite"
    whole = Codec(Fixture, _FIXTURE, **_FORM, optional={Expected: ["matches"]}).schema(identifier, title)
    definitions = whole["$defs"]
    for part in (_Event, _Progress, _Match, _Failure, _Table):
        definitions |= Codec(part).schema("", "")["$defs"]
    definitions["Table"] |= {"minProperties": 1, "maxProperties": 1}
    expected = definitions["Expected"]["properties"]
    expected["matches"]["items"], expected["failures"]["items"] = _reference("Match"), _reference("Failure")
    definitions["Expected"]["oneOf"] = [
        {"required": ["matches"], "properties": {"rejected": False}},
        {"required": ["rejected"], "maxProperties": 1},
    ]
    case = definitions["case.parte-fixture"]
    for name in ("clauses", "rules"):
        case["properties"][name]["uniqueItems"] = True
    case["properties"]["ast"] = {
        "description": "The elaborated tree of the program, as in the message load; null if it must be rejected.",
        "type": ["object", "null"],
    }
    rejects = {"expect": {"required": ["rejected"]}, "rules": {"maxItems": 0}}
    others = {
        "trace": {"items": {"anyOf": [_reference("Event"), _reference("Progress")]}},
        "domain": {"additionalProperties": _reference("Table")},
        "expect": {"required": ["matches"]},
    }
    condition = {"properties": {"profile": {"const": "rejects"}}}
    return whole | {"if": condition, "then": {"properties": rejects}, "else": {"properties": others}}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}
