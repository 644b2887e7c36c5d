"""Comparing matches that an engine reports with those expected, whatever their order and the looks of their numbers.

Attributes are read as the program declares them, so `1` is as good as `1.0` for a Float, and 0.0 equals -0.0 as it does
in PARTElang. A match that is reported twice is spurious once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from semantics.events.values import Converter, Unfit, converter
from semantics.syntax import core

Json = Any
Declared = Mapping[str, Mapping[str, Converter]]
"""The attributes of each template, with what reads their values."""


def declared_in(program: core.Program) -> Declared:
    """How the attributes of a program's events are read."""
    return {
        template.name: {attribute.name: converter(attribute.type) for attribute in template.attributes}
        for template in program.templates
    }


def differences(
    expected: Iterable[Json], found: Iterable[Json], declared: Declared
) -> tuple[tuple[Json, ...], tuple[Json, ...]]:
    """The matches that are missing and those that are spurious, each as often as it is."""
    wanted, given = list(expected), list(found)
    wanted_keys, given_keys = [key_of(match, declared) for match in wanted], [key_of(m, declared) for m in given]
    return _less(wanted, wanted_keys, given_keys), _less(given, given_keys, wanted_keys)


def _less(matches: list[Json], keys: list[str], others: list[str]) -> tuple[Json, ...]:
    left = Counter(others)
    kept = []
    for match, key in zip(matches, keys, strict=True):
        if left[key] > 0:
            left[key] -= 1
        else:
            kept.append(match)
    return tuple(kept)


def key_of(match: Json, declared: Declared) -> str:
    """What two reports of one match have in common, and no two matches."""
    if type(match) is not dict:
        return repr(match)
    normal = dict(match)
    if type(normal.get("emits", [])) is list:
        emits = [_normal_event(event, declared) for event in normal.get("emits", [])]
        normal["emits"] = sorted(emits, key=_text)
    return _text(normal)


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
        given = read(value)
    except Unfit:
        return {"unfit": value}
    return [_unsigned(item) for item in given] if isinstance(given, tuple) else _unsigned(given)


def _unsigned(value: Json) -> Json:
    return 0.0 if type(value) is float and value == 0.0 else value


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=repr)
