"""JSON Schemas of msgspec, refined: tags decide unions, each union is defined once, and titles are useful."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_INNERMOST = re.compile(r"[\[{]\s[^\[\]{}]*[\]}]")

ALONE = "_"
"""Ends the name of a struct that is the only alternative of a union in some place."""


def refined(made: dict[str, Any], unions: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    """The schema with its definitions; `unions` names those that have all of some tags."""
    shared: dict[str, Any] = {}

    def walked(node: Any) -> Any:
        if isinstance(node, str):
            return node.removesuffix(ALONE) if node.startswith("#/$defs/") else node
        if isinstance(node, list):
            return [walked(part) for part in node]
        if not isinstance(node, dict):
            return node
        if "discriminator" not in node:
            return {key: walked(part) for key, part in node.items()}
        tags = node["discriminator"]["mapping"]
        union = _by_tag(node["discriminator"]["propertyName"], tags)
        name = unions.get(tuple(tags))
        if name is None:
            return union
        shared[name] = union
        return {"$ref": f"#/$defs/{name}"}

    whole = walked({key: part for key, part in made.items() if key != "$defs"})
    defined = {name.removesuffix(ALONE): walked(part) for name, part in made.get("$defs", {}).items()}
    for definition in defined.values():
        definition.pop("title", None)  # it would say the name of the definition again
    return {**whole, "$defs": shared | defined}


def _by_tag(key: str, mapping: Mapping[str, str]) -> dict[str, Any]:
    """A tagged union, so that a validator looks at one alternative: trying all takes exponential time if they nest."""
    cases = [
        {"if": {"properties": {key: {"const": tag}}}, "then": {"$ref": reference}} for tag, reference in mapping.items()
    ]
    tags = {key: {"enum": list(mapping)}}
    return {"type": "object", "required": [key], "properties": tags, "allOf": cases}


def written(schema: Mapping[str, Any]) -> str:
    """The file of a schema: indented, but for innermost lists and objects that are short."""
    return _INNERMOST.sub(_on_one_line, json.dumps(schema, indent=2, ensure_ascii=False)) + "\n"


def _on_one_line(found: re.Match[str]) -> str:
    line = " ".join(found[0].split())
    return f"{line[0]}{line[2:-2]}{line[-1]}" if len(line) < 100 else found[0]
