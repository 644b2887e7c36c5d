"""Cases as JSON (`fixture.schema.json`): what `parte suite export` gives to engines, and editions of traces hold.

What is read here is checked for its shape only; `parte.conformance.lint` checks what it means.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from parte.conformance.fixtures import Expected, Fixture, FixtureError, Json, Place, Repeated, check_size
from parte.semantics.events.codec import Codec, FormatError, Tagged

FORMAT, VERSION = "parte-fixture", 2

_FIXTURE = Tagged("case", {Fixture: FORMAT}, key="format", shown={"version": (Literal[2], lambda _: VERSION)})
_FORM: dict[str, Any] = {
    "sparse": {
        Fixture: {"sources": (), "domain": {}, "disorder": 0, "options": {}, "shares": ()},
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


@dataclass(frozen=True, slots=True)
class Shapes:
    """What the parts of a case look like that are for its language to say, as JSON Schemas.

    `item` is a line of a trace, `match` a match and `failure` something else that is reported; `table` is what a name
    of the domain stands for. False is what there is not. They may refer to `definitions`. `name` is what the whole
    schema is called, for its address.
    """

    name: str
    item: Json
    match: Json
    failure: Json = False
    table: Json = False
    definitions: Mapping[str, Json] = field(default_factory=dict)


def reference(name: str) -> dict[str, str]:
    """The schema that is defined by a name."""
    return {"$ref": f"#/$defs/{name}"}


def schema(shapes: Shapes) -> dict[str, Any]:
    """The JSON Schema of a case, with what the suite asks of it: only a case that is rejected may hold any trace."""
    identifier = f"https://parte.example/schemas/{shapes.name}.json"
    whole = Codec(Fixture, _FIXTURE, **_FORM, optional={Expected: ["matches"]}).schema(
        identifier, "A case of the PARTE conformance suite"
    )
    definitions = whole["$defs"]
    definitions |= shapes.definitions
    expected = definitions["Expected"]["properties"]
    expected["matches"]["items"], expected["failures"]["items"] = shapes.match, shapes.failure
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
        "trace": {"items": shapes.item},
        "domain": {"additionalProperties": shapes.table},
        "expect": {"required": ["matches"]},
    }
    condition = {"properties": {"profile": {"const": "rejects"}}}
    return whole | {"if": condition, "then": {"properties": rejects}, "else": {"properties": others}}
