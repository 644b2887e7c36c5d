"""LEAD, as the machinery sees it that knows no language."""

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
from parte.languages.lead.conformance.engine import NAME, RULE, LeadEngine
from parte.languages.lead.conformance.generation import Case
from parte.languages.lead.conformance.notation import NOTATION
from parte.languages.lead.semantics.syntax.parser import Source
from parte.semantics.rulebook.registry import Rule

if TYPE_CHECKING:
    from parte.checker.report.contents import Report
    from parte.proofs.controls import Subject
    from parte.proofs.lemma import Catalogue

MODELS = ("definition", "algebra", "sound", "published")


def _syntax() -> Syntax[Source]:
    from parte.languages.lead.conformance.engine import parsed
    from parte.languages.lead.conformance.notation import shown
    from parte.languages.lead.semantics.syntax.codes import CODES
    from parte.languages.lead.semantics.syntax.json_form import rule_to_json, schema
    from parte.languages.lead.semantics.syntax.parser import parse_source
    from parte.languages.lead.semantics.syntax.printer import print_source
    from parte.semantics.events.differences import as_written

    return Syntax(
        parse=parsed,
        source=parse_source,
        layout=print_source,
        warnings=lambda source: source.warnings,
        tree=lambda source: rule_to_json(source.rule),
        schema=schema,
        key=lambda _: as_written,
        shown=shown,
        # No file that is UTF-8 holds half a character; a text that a program hands over may.
        codes=tuple(code for code in CODES if code != "lone-surrogate"),
    )


def _shapes() -> Shapes:
    from parte.languages.lead.conformance.notation import SHAPES

    return SHAPES


def _engines() -> Engines:
    return {name: Listed(partial(LeadEngine, name)) for name in MODELS}


def _confirming(again: bool) -> Iterable[tuple[str, Engine]]:
    from parte.languages.lead.conformance.measure import confirming

    return confirming(again)


def _rules() -> Mapping[str, Rule]:
    from parte.languages.lead.semantics.rules import RULES

    return RULES


def _listing() -> Listing:
    from parte.languages.lead.semantics.repairs import DESCRIPTIONS
    from parte.semantics.rulebook.figures import Figure

    headings = {
        "running (L §5)": ("STEP", "GC", "SINK", "ENABLE", "DEFAULT"),
        "core operators (L §3.3.1)": ("SOURCE", "FILTER", "AND", "OR", "SEQ", "UNTIL", "COLLECT", "SUB"),
        "time (L §3.3.2)": ("WITHIN", "NOT", "WAIT"),
        "policies (L §3.3.3)": ("FIRST", "LAST", "ADJ", "EVERY", "CONSUME", "PICK"),
    }
    rules = _rules()
    found = {
        heading: [rule.id for rule in rules.values() if rule.local.startswith(beginnings)]
        for heading, beginnings in headings.items()
    }
    return Listing(
        found,
        lambda identity: [(rules[identity].models, Figure((rules[identity].summary,), (rules[identity].name,)))],
        DESCRIPTIONS,
    )


def _check(text: str, timeout: float) -> Report:
    from parte.languages.lead.checker.check import check

    return check(text, timeout)


def _lemmas() -> Catalogue:
    from parte.languages.lead.proofs.catalogue import CATALOGUE

    return CATALOGUE


def _controls() -> Subject:
    from parte.languages.lead.proofs.controls import SUBJECT

    return SUBJECT


def _measures() -> Measures:
    from parte.languages.lead.conformance.measure import contradicted, rules_fired, traits

    return Measures(rules_fired, traits, contradicted)


def _mutants() -> Sequence[Mutant]:
    from parte.languages.lead.conformance.mutants import mutants

    return mutants()


def _published() -> Mutant:
    from parte.languages.lead.conformance.mutants import AS_PUBLISHED

    return AS_PUBLISHED


def _generation() -> Generation[Case]:
    from parte.languages.lead.conformance.generation import GENERATION

    return GENERATION


LEAD: Language[Source, Case] = Language(
    name=NAME,
    ending=".lead",
    source="L",
    suite=Path(__file__).parents[1] / "suite" / "lead",
    notation=NOTATION,
    shapes=_shapes,
    drawn=("breadth",),
    profiles=(
        "core",
        "conditions",
        "policies",
        "absence",
        "time",
        "lists",
        "contexts",
        "partition",
        "actions",
        "readings",
        "rejects",
    ),
    precedence=(
        "rejects",
        "readings",
        "actions",
        "partition",
        "contexts",
        "lists",
        "time",
        "absence",
        "policies",
        "conditions",
        "core",
    ),
    example=Example(
        "FROM A, B MATCH A -> B\n",
        tuple({"id": each.lower(), "template": each, "timestamp": 0} for each in "ACB"),
        {"rule": RULE, "bindings": {"A": "a", "B": "b"}, "end": 0, "emits": []},
        "FROM A, B MATCH A -> -> B\n",
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
    commands="parte.languages.lead.commands",
    controls=_controls,
)
