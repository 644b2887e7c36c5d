"""Bindings as users write them: `a=e1,b=e2`."""

from __future__ import annotations

import re

_BINDING = re.compile(r"\s*([\w.]+)\s*=\s*")  # the part before an id


def read_bindings(text: str) -> list[tuple[str, str]]:
    """Return variables with the ids of events. A comma in parentheses or in a JSON string belongs to an id.

    ValueError if a part is not a binding.
    """
    bindings = []
    for part in _parts(text):
        name = _BINDING.match(part)
        if name is None or name.end() == len(part):
            raise ValueError(f"expected variable=id, such as a=e1,b=e2, found {part!r}")
        bindings.append((name[1], part[name.end() :].rstrip()))
    return bindings


def _parts(text: str) -> list[str]:
    parts, depth, quoted, escaped = [""], 0, False, False
    for character in text:
        if character == "," and depth == 0 and not quoted:
            parts.append("")
            continue
        parts[-1] += character
        if character == '"' and not escaped:
            quoted = not quoted
        escaped = character == "\\" and not escaped
        if not quoted:
            depth += {"(": 1, ")": -1}.get(character, 0)
    return parts
