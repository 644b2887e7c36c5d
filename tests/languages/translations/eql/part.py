"""EQL in the tests of all translations."""

from __future__ import annotations

import random
from collections.abc import Sequence

from parte.conformance.fuzz.draw import Seeded
from parte.languages.eql.semantics.syntax import lexis
from parte.languages.eql.semantics.syntax.parser import parse as parse_eql
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.translations.eql.to_eql import to_eql
from parte.languages.translations.eql.to_parte import to_parte
from parte.languages.translations.table import Given, translations
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.languages.translations.eql.campaign import EqlTranslations, Rule, drawn_query, drawn_rule, in_parte, results
from tests.languages.translations.names import ROLES, tell_of, trace
from tests.languages.translations.part import Bindings, Part


def _same(program: core.Program, events: Sequence[Event], expected: Bindings) -> None:
    (rule,) = program.rules
    names = [pattern.variable for pattern in rule.positive]
    chains = results(to_eql(program, rule), events)
    assert {frozenset(zip(names, chain, strict=True)) for chain in chains} == expected


def _back(word: str, role: str) -> str:
    attribute, template = (word if role == kind else own for kind, own in zip(ROLES, "kA", strict=False))
    stages = f"[`{template}` where `{attribute}` > 1] ![N where true] [B where true]"
    text = f"sequence by `{attribute}` with maxspan=5ms {stages}"
    try:
        query = parse_eql(text)
    except ProgramError:
        return "no program"
    try:
        translated = translations()["EQL", "PARTElang"](Given(text))
    except ProgramError as error:
        tell_of(word, error)
        return "refused"
    assert parse(translated) == to_parte(query, text).program
    events = trace((template, "B", "N"), attribute)
    expected = results(query, events)
    assert sorted(in_parte(query, events, None)) == sorted(expected)
    assert len(expected) == 1 or template in ("B", "N")
    return "same"


def _drawn_rule(source: random.Random) -> Rule:
    return drawn_rule(Seeded(source))


PART = Part(
    "EQL",
    EqlTranslations(),
    _drawn_rule,
    lambda source: print_query(drawn_query(Seeded(source)).query),
    frozenset(lexis.KINDS),
    "".join(
        f"    no {name} : {template} {{{{ {condition}{{a}} = {{v}}.{{a}} }}}},\n"
        for name, template, condition in (("x", "{t}", "{a} > 1, mark != 7, "), ("y", "B", ""), ("n", "N", ""))
    )
    + "when w in {v} [1 ms, 5 ms], "
    + "".join(f"no {name} in {{v}} [1 ms, 5 ms], no {name} in w [-5 ms, -1 ms], " for name in "xyn"),
    _same,
    _back,
    without="variable",
    simple="A where k > 1",
    printer="parte.languages.translations.eql.texts.print_query",
    wrong_text="Other where true",
    condition="mark != 7",
)
