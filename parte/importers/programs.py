"""Parts of programs that importers write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_LONGEST: Final = 400


def comment(text: str) -> str:
    """Return a text of another tool as a comment of one line; what would act on a terminal is escaped."""
    line = " ".join(text.split())
    line = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in line
    )
    return f"// {line if len(line) <= _LONGEST else line[: _LONGEST - 3] + '...'}"


def template_text(name: str, attributes: Sequence[str]) -> str:
    """Return the declaration of a template."""
    return f"template {name} {{ {', '.join(attributes)} }}"
