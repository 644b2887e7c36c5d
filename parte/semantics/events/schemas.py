"""Refine the JSON Schemas that msgspec makes: unions are decided by their tags and defined once, titles are useful."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_INNERMOST = re.compile(r"[\[{]\s[^\[\]{}]*[\]}]")

ALONE = "_"
"""Suffix of the name of a struct that is the only alternative of a union in some place."""


def refined(schema: dict[str, Any], unions: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    """Return the schema with its definitions; `unions` maps tuples of tags to the names of their unions."""
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

    whole = walked({key: part for key, part in schema.items() if key != "$defs"})
    defined = {name.removesuffix(ALONE): walked(part) for name, part in schema.get("$defs", {}).items()}
    for definition in defined.values():
        definition.pop("title", None)  # it would repeat the name of the definition
    return {**whole, "$defs": shared | defined}


def _by_tag(key: str, mapping: Mapping[str, str]) -> dict[str, Any]:
    """Return a tagged union of which a validator tries one case: trying all takes exponential time if they nest."""
    cases = [
        {"if": {"properties": {key: {"const": tag}}}, "then": {"$ref": reference}} for tag, reference in mapping.items()
    ]
    tags = {key: {"enum": list(mapping)}}
    return {"type": "object", "required": [key], "properties": tags, "allOf": cases}


def written(schema: Mapping[str, Any]) -> str:
    """Return the text of a schema: indented, but short innermost lists and objects are on one line."""
    return _INNERMOST.sub(_on_one_line, json.dumps(schema, indent=2, ensure_ascii=False)) + "\n"


def _on_one_line(match: re.Match[str]) -> str:
    line = " ".join(match[0].split())
    return f"{line[0]}{line[2:-2]}{line[-1]}" if len(line) < 100 else match[0]
