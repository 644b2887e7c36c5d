"""Cases as JSON (`fixture.schema.json`), the form in which `parte suite export` and editions of traces store them.

This module checks the shape of a case only; `parte.conformance.lint` checks its meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from parte.conformance.fixtures import Expected, Fixture, FixtureError, Json, Place, Repeated, check_size
from parte.semantics.events.codec import Codec, FormatError, Tagged

FORMAT, VERSION = "parte-fixture", 2

_FIXTURE = Tagged("case", {Fixture: FORMAT}, key="format", computed={"version": (Literal[2], lambda _: VERSION)})
_FORM: dict[str, Any] = {
    "sparse": {
        Fixture: {"sources": (), "domain": {}, "disorder": 0, "options": {}, "shares": ()},
        Expected: ["rejected", "warnings", "failures", "suppressed"],
        Place: ["column"],
    },
    "renamed": {Fixture: {"expected": "expect"}, Repeated: {"text": "repeat"}},
}
_CODEC: Codec[Fixture] = Codec(Fixture, _FIXTURE, **_FORM, lenient=[Fixture], bounded=False)


def fixture_from_json(data: Mapping[str, Json]) -> Fixture:
    """Return the case that an object describes. FixtureError if its shape is wrong."""
    try:
        case = _CODEC.decode(data)
    except FormatError as error:
        raise FixtureError(str(error)) from None
    check_size(case.program)
    return case


def fixture_to_json(case: Fixture) -> dict[str, Json]:
    """Return a case as a JSON object, without the keys that have their default."""
    written = cast(dict[str, Json], _CODEC.encode(case))
    if case.expected.rejected is not None:
        del written["expect"]["matches"]
    return written


def fixture_text(case: Fixture, **more: Json) -> str:
    """Return the text of the file of a case, with further keys."""
    return json.dumps(fixture_to_json(case) | more, indent=1) + "\n"


# --- Schema -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shapes:
    """The JSON Schemas of the parts of a case that each language defines.

    `item` is a line of a trace, `match` a match, `failure` and `suppressed` are other reported items; `table` is the
    value of a name of the domain. False means that the language has no such part. The schemas may refer to
    `definitions`. `name` is the name of the whole schema in its address.
    """

    name: str
    item: Json
    match: Json
    failure: Json = False
    suppressed: Json = False
    table: Json = False
    definitions: Mapping[str, Json] = field(default_factory=dict)


def reference(name: str) -> dict[str, str]:
    """Return a reference to the schema that is defined by a name."""
    return {"$ref": f"#/$defs/{name}"}


def schema(shapes: Shapes) -> dict[str, Any]:
    """Return the JSON Schema of a case, with the rule of the suite that only a rejected case may have an arbitrary
    trace."""
    identifier = f"https://parte.example/schemas/{shapes.name}.json"
    whole = Codec(Fixture, _FIXTURE, **_FORM, optional={Expected: ["matches"]}).schema(
        identifier, "A case of the PARTE conformance suite"
    )
    definitions = whole["$defs"]
    definitions |= shapes.definitions
    expected = definitions["Expected"]["properties"]
    expected["matches"]["items"], expected["failures"]["items"] = shapes.match, shapes.failure
    expected["suppressed"]["items"] = shapes.suppressed
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
    rejects = {"rules": {"maxItems": 0}}
    accepted = {
        "profile": {"not": {"const": "rejects"}},
        "trace": {"items": shapes.item},
        "domain": {"additionalProperties": shapes.table},
    }
    condition = {"properties": {"expect": {"required": ["rejected"]}}}
    return whole | {"if": condition, "then": {"properties": rejects}, "else": {"properties": accepted}}
