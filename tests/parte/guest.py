"""What tests of the command ask of a guest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.guests import modules

ALIKE = '{"template":"A","timestamp":0}\n{"template":"B","timestamp":1}\n'


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest: a program and a trace, a program with a place for a name, `{name}`, two programs of which neither is a
    layout of the other, and, if it imports rules, a format, a rule in it with the ending of its file, and the ending of
    the imported program."""

    language: str
    program: str
    named: str
    different: tuple[str, str]
    trace: str = ALIKE
    imported: tuple[str, str, str, str] | None = None


GUESTS: Mapping[str, Guest] = {module.GUEST.language: module.GUEST for module in modules("guest")}
