"""Programs with a word as a name of some kind, and what tests of names have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from parte.algebra.partelang.programs import run
from parte.languages.translations.table import Given, translations
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.languages.translations.part import Bindings

ROLES = ("attribute", "template", "variable", "rule")
SLOTS = "kAvR"
"""What a name of each role is otherwise."""


def tell_of(word: str, error: ProgramError) -> None:
    """A refusal has the name."""
    assert any(word in diagnostic.message for diagnostic in error.diagnostics), str(error)


def matches_of(text: str, events: Sequence[Event]) -> Bindings:
    """What a program of PARTElang finds."""
    program = parse(text)
    known = {template.name for template in program.templates}
    return {frozenset(match.bindings) for match in run(program, [e for e in events if e.template in known]).matches}


def written(word: str, role: str, condition: str) -> str:
    """A rule of PARTElang with a word as a name of one kind: two events, and a condition on the first."""
    attribute, template, variable, rule = (
        word if role == kind else own for kind, own in zip(ROLES, SLOTS, strict=True)
    )
    slots = f"{attribute} : Integer" + (", mark : Integer" if attribute != "mark" else "")
    return (
        "".join(f"template {name} {{ {slots} }}\n" for name in dict.fromkeys((template, "B", "N")))
        + f"rule {rule} where\n    {variable} : {template} {{ {attribute} > 1, {condition.format(a=attribute)} }},\n"
        + f"    w : B {{ {attribute} = {variable}.{attribute} }},\n"
    )


def trace(templates: Iterable[str], attribute: str) -> list[Event]:
    """Events at 1, 2, …: a match, one that N rules out, and one that lacks its condition."""
    first, second, absent = templates
    lines = [
        (first, 1, 2),
        (second, 2, 2),
        (first, 20, 3),
        (absent, 21, 3),
        (second, 22, 3),
        (first, 40, 1),
        (second, 41, 1),
    ]
    return [
        Event(f"i{number}", name, time, {"mark": 0, attribute: value})
        for number, (name, time, value) in enumerate(lines)
    ]


def refusal(way: tuple[str, str], text: str, templates: str | None = None) -> str:
    with pytest.raises(ProgramError) as caught:
        translations()[way](Given(text, templates=templates))
    return str(caught.value)
