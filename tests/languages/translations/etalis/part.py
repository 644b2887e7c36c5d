"""ETALIS in the tests of all translations."""

from __future__ import annotations

from collections.abc import Sequence

from parte.algebra.partelang.programs import run
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.semantics.syntax.lexis import WORDS
from parte.languages.etalis.semantics.syntax.parser import parse as parse_etalis
from parte.languages.etalis.semantics.syntax.printer import print_program
from parte.languages.etalis.semantics.syntax.streams import Instant
from parte.languages.translations.etalis.to_etalis import to_etalis
from parte.languages.translations.etalis.to_parte import to_parte
from parte.languages.translations.table import Given, translations
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.languages.translations.etalis.campaign import EtalisTranslations, drawn_rules, drawn_typed
from tests.languages.translations.names import ROLES, tell_of
from tests.languages.translations.part import Bindings, Part


def _same(program: core.Program, events: Sequence[Event], expected: Bindings) -> None:
    in_etalis = to_etalis(program, program.rules)
    bindings = in_etalis.bindings(evaluate(in_etalis.program, in_etalis.stream(events)))
    assert {frozenset(bound) for _, bound in bindings} == expected


def _back(word: str, role: str) -> str:
    template, variable, rule = (word if role == kind else own for kind, own in zip(ROLES[1:], "aVh", strict=True))
    variable = variable[0].upper() + variable[1:]
    template, rule = (name[0].lower() + name[1:] for name in (template, rule))
    text = f"{rule}({variable}) <- {template}({variable}) SEQ (b({variable}) AND 5) WHERE {variable} > 1.\n"
    try:
        program = parse_etalis(text)
    except ProgramError:
        return "no program"
    try:
        translated = translations()["ETALIS", "PARTElang"](Given(text))
    except ProgramError as error:
        tell_of(template if role == "template" else rule, error)
        return "refused"
    instants = [Instant(2, frozenset({(template, (2,))})), Instant(4, frozenset({("b", (2,)), ("b", (3,))}))]
    translation = to_parte(program, text)
    assert parse(translated) == translation.program
    expected = set(evaluate(program, instants))
    assert translation.results(run(translation.program, translation.events(instants)).matches, instants) == expected
    assert expected or template == "b"
    return "same"


PART = Part(
    "ETALIS",
    EtalisTranslations(),
    drawn_rules,
    lambda source: print_program(drawn_typed(source).program),
    frozenset(WORDS),
    "    no n : N {{ {a} = w.{a} }},\nwhen w in {v} [1 ms, 5 ms], no n in {v} [1 ms, 4 ms], no n in w [-4 ms, -1 ms],",
    _same,
    _back,
    without="attribute",
    simple="e(X) <- a(X) WHERE X > 1.",
    printer="parte.languages.translations.etalis.texts.print_clauses",
    wrong_text="other <- a.",
)
