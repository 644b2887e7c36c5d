"""PAIRS, a toy language: `pair A B` finds each A that a B follows directly. Its syntax, definition and machine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from parte.semantics.events.differences import as_written
from parte.semantics.rulebook.registry import Rule, Rulebook
from parte.semantics.source.diagnostics import Diagnostic, ProgramError, Severity
from parte.semantics.source.spans import Position, Span
from parte.semantics.source.text import Text

Json = Any


@dataclass(frozen=True, slots=True)
class Program:
    """The templates of the two events."""

    first: str
    then: str


def parse(text: str) -> Program:
    """ProgramError if a text is no pair."""
    words = re.fullmatch(r"pair +(\w+) +(\w+)\n?", text)
    if words is None:
        line = text.split("\n")[0]
        span = Span(Position(1, 1), Position(1, len(line) + 1))
        raise ProgramError((Diagnostic("no-pair", Severity.ERROR, "this is no pair", "write pair A B", span, line),))
    return Program(*words.groups())


def printed(program: Program) -> str:
    """The text of a program."""
    return f"pair {program.first} {program.then}\n"


TEXT_OF_PAIRS = Text(
    parse=parse,
    source=parse,
    layout=printed,
    warnings=lambda _: (),
    tree=asdict,
    schema=lambda: {"required": ["first", "then"]},
    key=lambda _: as_written,
    match_lines=lambda matches: sorted(
        json.dumps({name: match[name] for name in ("first", "then")}) for match in matches
    ),
    codes=("no-pair",),
)


def definition(program: Program, events: Sequence[Json]) -> list[Json]:
    """What a program means: pairs of neighbours."""
    wanted = (program.first, program.then)
    return [
        {"first": first["id"], "then": second["id"]}
        for first, second in pairwise(events)
        if (first["template"], second["template"]) == wanted
    ]


RULES = Rulebook[Rule]("PAIRS")


def match(program: Program, last: Json, event: Json) -> Json | None:
    """PAIRS/MATCH: the last event was of the first template, and this one is of the other."""
    if last is not None and last["template"] == program.first and event["template"] == program.then:
        return {"first": last["id"], "then": event["id"]}
    return None


def remember(event: Json) -> Json:
    """PAIRS/REMEMBER: an event is the last one from now on."""
    return event


for rule, name in ((match, "match"), (remember, "remember")):
    RULES.add(Rule(f"PAIRS/{name.upper()}", name, "1", ("sound",), rule))


def machine(program: Program, events: Sequence[Json], fired: Callable[[str], object] = str) -> list[Json]:
    """What a machine finds that sees one event after the other, and which rules fire."""
    last, pairs = None, []
    for event in events:
        pair = match(program, last, event)
        if pair is not None:
            fired("PAIRS/MATCH")
            pairs.append(pair)
        fired("PAIRS/REMEMBER")
        last = remember(event)
    return pairs
