"""Keys for comparing reports of matches, whatever the notation of their numbers; and matches as lines.

Attributes are read as the program declares them, so `1` is as good as `1.0` for a Float, and 0.0 equals -0.0 as it does
in PARTElang.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from parte.semantics.events.differences import Key, as_written
from parte.semantics.events.values import Converter, Unfit, converter
from parte.semantics.partelang.syntax import core

Json = Any
_EVENT = ("id", "template", "timestamp", "attributes")
Declared = Mapping[str, Mapping[str, Converter]]
"""The attributes of each template, with the converters of their values."""


def declared_in(program: core.Program) -> Declared:
    """Return the converters for the attributes of a program's events."""
    return {
        template.name: {attribute.name: converter(attribute.type) for attribute in template.attributes}
        for template in program.templates
    }


def key_in(program: core.Program) -> Key:
    """Return the function that compares matches of a program."""
    return partial(key_of, declared=declared_in(program))


def key_of(match: Json, declared: Declared) -> str:
    """Return a value that is equal for two reports if and only if they report the same match."""
    if type(match) is not dict:
        return repr(match)
    normal = dict(match)
    if type(normal.get("emits", [])) is list:
        emits = [_normal_event(event, declared) for event in normal.get("emits", [])]
        normal["emits"] = sorted(emits, key=as_written)
    return as_written(normal)


def _normal_event(event: Json, declared: Declared) -> Json:
    if type(event) is not dict or type(event.get("attributes", {})) is not dict:
        return event
    readers = declared.get(str(event.get("template")), {})
    attributes = {
        name: _normal_value(readers[name], value) if name in readers else value
        for name, value in event.get("attributes", {}).items()
    }
    return event | {"attributes": attributes}


def _normal_value(read: Converter, value: Json) -> Json:
    try:
        converted = read(value)
    except Unfit:
        return {"unfit": value}
    return [_unsigned(item) for item in converted] if isinstance(converted, tuple) else _unsigned(converted)


def _unsigned(value: Json) -> Json:
    return 0.0 if type(value) is float and value == 0.0 else value


def match_lines(matches: Iterable[Json]) -> list[str]:
    """Return matches in canonical order, a line each (specification: canonical-output)."""
    return sorted(map(_line, matches))


def _line(match: Json) -> str:
    emits = [{name: event[name] for name in _EVENT} for event in match["emits"]]
    record = {"rule": match["rule"], "bindings": match["bindings"], "emits": emits}
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
