"""The text of a program: names, patterns, windows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from parte.importers.names import identifier
from parte.importers.programs import comment, template_text


class Names:
    """Names of one name space: each is given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, wish: str) -> str:
        """Return a name like `wish` that is neither a word of the language nor taken."""
        name = identifier(wish, self._taken)
        self._taken.add(name)
        return name


def capitalized(name: str) -> str:
    """Return a name as a template or a rule has it: `bid_history` becomes `BidHistory`."""
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", name) if part]
    text = "".join(part[0].upper() + part[1:] for part in parts)
    return text if text[:1].isalpha() else f"T{text}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of a rule; `kind` is "", "no" or "all". The comment stands before it."""

    kind: str
    variable: str
    conditions: Sequence[str]
    comment: str = ""


@dataclass(slots=True)
class Body:
    """A rule under construction."""

    template: str
    patterns: list[Pattern] = field(default_factory=list)
    windows: list[str] = field(default_factory=list)
    having: list[str] = field(default_factory=list)

    def text(self, name: str, emission: Sequence[str] = ()) -> str:
        """Return the text of the rule."""
        lines = [f"rule {name} where"]
        for pattern in self.patterns:
            lines += [comment(pattern.comment)] if pattern.comment else []
            block = f" {{ {', '.join(pattern.conditions)} }}" if pattern.conditions else ""
            lines.append(f"{pattern.kind} {pattern.variable} : {self.template}{block},")
        if self.windows:
            lines += ["when", ",\n".join(self.windows)]
        if self.having:
            lines += ["having", ",\n".join(self.having)]
        return "\n".join([*lines, *emission])


def declaration(name: str, attributes: Iterable[tuple[str, str, bool]]) -> str:
    """Return the declaration of a template; attributes are names, types, and whether an event may lack them."""
    return template_text(name, [f"{attribute} : {of}{'?' * optional}" for attribute, of, optional in attributes])
