"""ETALIS, as the machinery sees it that knows no language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from parte.conformance.engines.registry import Engines, Listed
from parte.conformance.exchange import Shapes
from parte.conformance.fuzz.cases import Generation
from parte.conformance.language import Example, Language, Listing, Measures, Syntax
from parte.conformance.mutants import Mutant
from parte.conformance.protocol import Engine
from parte.languages.etalis.conformance.engine import NAME, EtalisEngine
from parte.languages.etalis.conformance.generation import Case
from parte.languages.etalis.conformance.notation import NOTATION
from parte.languages.etalis.semantics.syntax.parser import Source
from parte.semantics.rulebook.registry import Rule

if TYPE_CHECKING:
    from parte.checker.report.contents import Report
    from parte.proofs.controls import Subject
    from parte.proofs.lemma import Catalogue

MODELS = ("definition", "algebra", "sound", "published")


def _syntax() -> Syntax[Source]:
    from parte.languages.etalis.conformance.engine import parsed
    from parte.languages.etalis.conformance.notation import shown
    from parte.languages.etalis.semantics.syntax.codes import CODES
    from parte.languages.etalis.semantics.syntax.json_form import program_to_json, schema
    from parte.languages.etalis.semantics.syntax.parser import parse_source
    from parte.languages.etalis.semantics.syntax.printer import print_source
    from parte.semantics.events.differences import as_written

    return Syntax(
        parse=parsed,
        source=parse_source,
        layout=print_source,
        warnings=lambda source: source.warnings,
        tree=lambda source: program_to_json(source.program),
        schema=schema,
        key=lambda _: as_written,
        shown=shown,
        # No file that is UTF-8 holds half a character; a text that a program hands over may.
        codes=tuple(code for code in CODES if code != "lone-surrogate"),
    )


def _shapes() -> Shapes:
    from parte.languages.etalis.conformance.notation import SHAPES

    return SHAPES


def _engines() -> Engines:
    own = {name: Listed(partial(EtalisEngine, name)) for name in MODELS}
    return own | {"etalis-swi": Listed(_swi, "etalis-swi", look=_installation)}


def _swi() -> Engine:
    from parte.languages.etalis.conformance.engines.swi import engine

    return engine()


def _installation() -> object:
    from parte.languages.etalis.conformance.engines.swi import installation

    return installation()


def _confirming(again: bool) -> Iterable[tuple[str, Engine]]:
    from parte.languages.etalis.conformance.measure import confirming

    return confirming(again)


def _rules() -> Mapping[str, Rule]:
    from parte.languages.etalis.semantics.rules import RULES

    return RULES


def _listing() -> Listing:
    from parte.languages.etalis.semantics.published.repairs import DESCRIPTIONS
    from parte.semantics.rulebook.figures import of_function

    headings = {
        "what happens (E §2, §5)": ("EVENT", "TIME", "TRIGGER", "UNIQUE", "EACH"),
        "one operand (E §4, §5)": ("COPY", "OR-", "WHERE", "LASTING"),
        "two operands (E §5, algorithms 5.1–5.3, rules (10)–(15))": (
            *("SEQ-", "AND-", "PAR-", "DURING-", "STARTS-", "EQUALS-", "MEETS-", "FINISHES-"),
        ),
        "negation (E §5, algorithm 5.4)": ("NOT-",),
        "consumption policies (E §6)": ("SELECT",),
    }
    rules = _rules()
    found = {
        heading: [rule.id for rule in rules.values() if rule.local.startswith(beginnings)]
        for heading, beginnings in headings.items()
    }
    return Listing(
        found,
        lambda identity: [(rules[identity].models, of_function(rules[identity].function))],
        DESCRIPTIONS,
    )


def _check(text: str, timeout: float) -> Report:
    from parte.languages.etalis.checker.check import check

    return check(text, timeout)


def _lemmas() -> Catalogue:
    from parte.languages.etalis.proofs.catalogue import CATALOGUE

    return CATALOGUE


def _controls() -> Subject:
    from parte.languages.etalis.proofs.controls import SUBJECT

    return SUBJECT


def _measures() -> Measures:
    from parte.languages.etalis.conformance.measure import contradicted, rules_fired, traits

    return Measures(rules_fired, traits, contradicted)


def _mutants() -> Sequence[Mutant]:
    from parte.languages.etalis.conformance.mutants import mutants

    return mutants()


def _published() -> Mutant:
    from parte.languages.etalis.conformance.mutants import AS_PUBLISHED

    return AS_PUBLISHED


def _generation() -> Generation[Case]:
    from parte.languages.etalis.conformance.generation import GENERATION

    return GENERATION


ETALIS: Language[Source, Case] = Language(
    name=NAME,
    ending=".etalis",
    source="E",
    suite=Path(__file__).parents[1] / "suite" / "etalis",
    notation=NOTATION,
    shapes=_shapes,
    drawn=("breadth",),
    profiles=(
        *("core", "data", "intervals", "lasting", "moments", "negation", "recursion", "policies", "readings"),
        "rejects",
    ),
    precedence=(
        *("rejects", "readings", "policies", "recursion", "negation", "moments", "lasting", "intervals", "data"),
        "core",
    ),
    example=Example(
        "e <- a SEQ b.\n",
        ({"template": "a", "timestamp": 1}, {"template": "b", "timestamp": 2}),
        {"event": "e", "arguments": [], "start": 1, "end": 2},
        "e <- a SEK b.\n",
    ),
    syntax=_syntax,
    engines=_engines,
    recorded=Path(__file__).parent,
    definition="definition",
    confirming=_confirming,
    rules=_rules,
    unreachable={},
    listing=_listing,
    check=_check,
    lemmas=_lemmas,
    measures=_measures,
    mutants=_mutants,
    killers=Path(__file__).parent / "mutants",
    published=_published,
    generation=_generation,
    commands="parte.languages.etalis.commands",
    controls=_controls,
)
