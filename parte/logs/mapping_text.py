"""The text of a mapping, as `parte.logs.mapping` reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from parte.logs.mapping import ISO, Mapping, Slot


def mapping_text(mapping: Mapping) -> str:
    """Return a mapping as TOML. Raise ValueError if a text in it has halves of characters."""
    return "".join(f"{line}\n" for line in _lines(mapping)).lstrip("\n")


def _lines(mapping: Mapping) -> Iterator[str]:
    for key, path in (("id", mapping.id), ("source", mapping.source)):
        if path is not None:
            yield f"{key} = {quoted(path)}"
    time = mapping.timestamp
    yield "\n[timestamp]"
    yield f"path = {quoted(time.path)}"
    if tuple(time.forms) != (ISO,):
        yield f"forms = [{', '.join(map(quoted, time.forms))}]"
    if time.zone is not None:
        yield f"zone = {quoted(time.zone)}"
    for template in mapping.templates:
        yield "\n[[template]]"
        yield f"name = {quoted(template.name)}"
        if template.when:
            pairs = (f"{bare_key(path)} = {_value(wanted)}" for path, wanted in template.when.items())
            yield f"when = {{ {', '.join(pairs)} }}"
        if template.slots:
            yield "[template.attributes]"
            yield from (f"{name} = {_slot(name, slot)}" for name, slot in template.slots.items())


def _slot(name: str, slot: Slot) -> str:
    parts = [f"type = {quoted(slot.type.value)}"]
    if slot.path is not None and slot.path != name:
        parts.insert(0, f"path = {quoted(slot.path)}")
    for key, value in (("constant", slot.constant), ("default", slot.default)):
        if value is not None:
            parts.append(f"{key} = {_value(value)}")
    if slot.optional:
        parts.append("optional = true")
    return f"{{ {', '.join(parts)} }}"


def _value(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def bare_key(path: str) -> str:
    """Return a path as a key of TOML."""
    return path if re.fullmatch(r"[A-Za-z0-9_-]+", path) else quoted(path)


def quoted(value: str) -> str:
    """Return a text as TOML. Raise ValueError if it has halves of characters."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    text.encode("utf-8")
    return text
