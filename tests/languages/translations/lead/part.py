"""LEAD in the tests of all translations."""

from __future__ import annotations

import random
from collections.abc import Sequence

from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.syntax import lexis
from parte.languages.lead.semantics.syntax.matches import Occurrence
from parte.languages.lead.semantics.syntax.parser import parse as parse_lead
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.translations.lead.to_lead import to_lead
from parte.languages.translations.lead.to_parte import to_parte
from parte.languages.translations.table import Given, translations
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.languages.translations.lead.campaign import (
    LeadTranslations,
    Rule,
    drawn_events,
    drawn_program,
    drawn_sequence,
)
from tests.languages.translations.names import ROLES, matches_of, tell_of, trace
from tests.languages.translations.part import Bindings, Part


def _same(program: core.Program, events: Sequence[Event], expected: Bindings) -> None:
    (rule,) = program.rules
    translation = to_lead(program, rule)
    names = {new: own for own, new in translation.variables.items()}
    assert in_lead(print_rule(translation.rule), events, names) == expected


def in_lead(text: str, events: Sequence[Event], names: dict[str, str]) -> Bindings:
    """What a rule of LEAD binds to events with names."""
    rule = parse_lead(text)
    return {
        frozenset((names[n], b.event.id) for n, b in match.bindings if isinstance(b, Occurrence) and n in names)
        for match in evaluate(rule, occurrences(rule, events))
    }


def _back(word: str, role: str) -> str:
    attribute, template, variable = (word if role == kind else own for kind, own in zip(ROLES, "kAv", strict=False))
    streams = ", ".join(dict.fromkeys((template, "B", "N")))
    text = (
        f"FROM {streams} MATCH all({template} AS {variable} FILTER ({variable}.{attribute} > 1) -> not N -> "
        f"B within 5 ms) PARTITION BY {template}.{attribute}"
    )
    try:
        rule = parse_lead(text)
    except ProgramError:
        return "no program"
    try:
        translated = translations()["LEAD", "PARTElang"](Given(text))
    except ProgramError as error:
        if attribute != "event_time":  # which is no attribute of LEAD's either, but a time
            tell_of(word, error)
        return "refused"
    events = trace((template, "B", "N"), attribute)
    translation = to_parte(rule, text)
    assert parse(translated) == translation.program
    expected = in_lead(text, events, dict(translation.variables))
    assert matches_of(translated, events) == expected
    assert len(expected) == 1
    return "same"


def drawn_rule(source: random.Random) -> Rule:
    """A program of PARTElang with a trace."""
    return Rule("PARTElang", drawn_program(source), drawn_events(source))


PART = Part(
    "LEAD",
    LeadTranslations(),
    drawn_rule,
    drawn_sequence,
    frozenset(word.lower() for word in (*lexis.KEYWORDS, *lexis.SYNONYMS, *lexis.UNITS)),
    "    no n : N {{ {a} = w.{a} }},\nwhen w in {v} [1 ms, 5 ms], no n in w [-2 ms, 2 ms],",
    _same,
    _back,
    without="rule",
    simple="FROM A MATCH all(A FILTER (A.k > 1))",
    printer="parte.languages.translations.lead.texts.print_rule",
    wrong_text="FROM Other MATCH all(Other)",
)
