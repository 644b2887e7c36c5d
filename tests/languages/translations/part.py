"""What tests of all translations ask of those of one language."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from tests.campaigns.running import Campaign

Bindings = set[frozenset[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Part:
    """A language that PARTElang is translated into, and back.

    `campaign` compares what programs of both mean; `drawn_rule` draws a case of it with a program of PARTElang, and
    `translatable` a program of the language most of whose like have a translation.

    `words` mean something in the language. `windows` end a rule of PARTElang (`names.written`); `same` is given that
    program, events, and what it finds on them, and sees that its translation finds the same. `back(word, role)` puts a
    word as a name of that role into a program of the language, and says how it went; programs of the language have
    names of all roles but `without`.

    `condition` is one of the first pattern of that program, on the attribute `a` and on `mark`.

    `simple` is a program, `printer` the place of the printer, `wrong_text` another program that a printer may print.
    """

    language: str
    campaign: Campaign[Any]
    drawn_rule: Callable[[random.Random], Any]
    translatable: Callable[[random.Random], str]
    words: frozenset[str]
    windows: str
    same: Callable[[core.Program, Sequence[Event], Bindings], None]
    back: Callable[[str, str], str]
    without: str
    simple: str
    printer: str
    wrong_text: str
    condition: str = "{a} != mark"
