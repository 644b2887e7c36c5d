"""Error messages for JSON that is not of a format: the place, the expected value and the actual value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parte.semantics.events.strictjson import quoted
from parte.semantics.events.values import describe

_PLACED = re.compile(r"(.*?)(?: - at `(.*)`)?", re.DOTALL)
_MISMATCH = re.compile(r"Expected (.*?)(?:, got `\w+`)?")
_KEY = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
_WORDS = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "a Boolean",
    "null": "null",
    "array": "a list",
    "object": "an object",
}


def explained(message: str, data: Any, schema: Callable[[], Any]) -> str:
    """Return a message of msgspec in the form `$.rules[0].name: expected a string, found the integer 7`.

    `schema` returns the library's schema of the type, for the values of an enumeration, which the message lacks.
    """
    placed = _PLACED.fullmatch(message)
    assert placed is not None
    problem, path = placed[1], placed[2] or "$"
    if key := _KEY.fullmatch(problem):
        return f"{path}: the key {quoted(key[2])} is {'missing' if key[1].startswith('missing') else 'unknown'}"
    steps = [name or int(number) for name, number in _STEP.findall(path)]
    if mismatch := _MISMATCH.fullmatch(problem):
        wanted = re.sub("`([a-z |]*)`", lambda kinds: _either(map(_word, kinds[1].split(" | "))), mismatch[1])
    elif problem.startswith("Invalid") and "[...]" not in path:
        wanted = _either(map(json.dumps, _choices(schema(), steps, data)))
    else:
        return f"{path}: {problem[:1].lower()}{problem[1:]}"
    try:
        for step in steps:
            data = data[step]
    except (KeyError, IndexError, TypeError):  # the library does not name the keys of mappings
        return f"{path}: expected {wanted}"
    return f"{path}: expected {wanted}" + ("" if "[...]" in path else f", found {describe(data)}")


def _word(name: str) -> str:
    return _WORDS.get(name, name)


def _either(words: Any) -> str:
    return " or ".join(words)


def _choices(schema: Mapping[str, Any], steps: Sequence[str | int], data: Any) -> list[Any]:
    """Return the values that are allowed at a place of data, by the schema of the whole."""

    def resolved(node: Any, value: Any) -> Any:
        if "discriminator" in node:
            key, tags = node["discriminator"]["propertyName"], node["discriminator"]["mapping"]
            tagged = value.get(key)
            node = {"$ref": tags[tagged]} if tagged in tags else {"properties": {key: {"enum": [*tags]}}}
        elif "anyOf" in node:
            node = next(part for part in node["anyOf"] if part != {"type": "null"})
        return schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node

    node: Any = schema
    for step in steps:
        node = resolved(node, data)
        node = node["items"] if isinstance(step, int) else node["properties"][step]
        data = data[step]
    return [*resolved(node, data)["enum"]]
