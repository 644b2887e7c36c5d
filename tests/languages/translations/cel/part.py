"""CEL in the tests of all translations."""

from __future__ import annotations

from collections.abc import Sequence

from parte.algebra.partelang.programs import run
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.semantics.syntax import lexis
from parte.languages.cel.semantics.syntax.parser import parse_source
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.languages.translations.cel import to_parte
from parte.languages.translations.cel.to_cel import to_cel
from parte.languages.translations.table import Given, translations
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.languages.translations.cel.campaign import Translations, compare_in_cel, drawn_rule, drawn_typed
from tests.languages.translations.names import ROLES, tell_of, trace
from tests.languages.translations.part import Bindings, Part


def _same(program: core.Program, events: Sequence[Event], expected: Bindings) -> None:
    (rule,) = program.rules
    compare_in_cel(to_cel(program, rule), events, {tuple(sorted(bindings)) for bindings in expected})


def _back(word: str, role: str) -> str:
    attribute, template, variable = (word if role == kind else own for kind, own in zip(ROLES, "kAv", strict=False))
    name = f"[{attribute}]"
    text = (
        f"SELECT * WHERE {template} AS {variable}; B AS w FILTER {variable}[{name} > 1] AND w[{name}] = "
        f"{variable}[{name}] WITHIN 5 MS"
    )
    try:
        source = parse_source(text)
    except ProgramError:
        return "no program"
    try:
        translated = translations()["CEL", "PARTElang"](Given(text))
    except ProgramError as error:
        tell_of(word, error)
        return "refused"
    assert parse(translated) == to_parte.to_parte(source, text)
    events = trace((template, "B", "N"), attribute)
    seen = [event for event in events if event.template in (template, "B")]
    complex_events = to_parte.results(run(parse(translated), seen).matches, events)
    expected = evaluate(source.query, events)
    assert complex_events == expected
    assert expected or template == "B"
    return "same"


PART = Part(
    "CEL",
    Translations(),
    drawn_rule,
    lambda source: print_query(drawn_typed(source).query),
    frozenset(word.lower() for word in (*lexis.KEYWORDS, *lexis.UNITS, *lexis.EVENTS)),
    "when w in {v} [1 ms, 5 ms],",
    _same,
    _back,
    without="rule",
    simple="SELECT * WHERE A FILTER A[k > 1]",
    printer="parte.languages.translations.cel.texts.print_query",
    wrong_text="SELECT * WHERE Other",
)
