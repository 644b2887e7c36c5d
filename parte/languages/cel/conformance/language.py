"""CEL, as the machinery sees it that knows no language."""

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
from parte.languages.cel.conformance.engine import NAME, CelEngine
from parte.languages.cel.conformance.generation import Case
from parte.languages.cel.conformance.notation import NOTATION
from parte.languages.cel.semantics.syntax.parser import Source
from parte.semantics.rulebook.registry import Rule

if TYPE_CHECKING:
    from parte.checker.report.contents import Report
    from parte.proofs.controls import Subject
    from parte.proofs.lemma import Catalogue

MODELS = ("definition", "algebra", "sound", "published")


def _syntax() -> Syntax[Source]:
    from parte.languages.cel.conformance.engine import parsed
    from parte.languages.cel.conformance.notation import shown
    from parte.languages.cel.semantics.syntax.codes import CODES
    from parte.languages.cel.semantics.syntax.json_form import query_to_json, schema
    from parte.languages.cel.semantics.syntax.parser import parse_source
    from parte.languages.cel.semantics.syntax.printer import print_source
    from parte.semantics.events.differences import as_written

    return Syntax(
        parse=parsed,
        source=parse_source,
        layout=print_source,
        warnings=lambda source: source.warnings,
        tree=lambda source: query_to_json(source.query),
        schema=schema,
        key=lambda _: as_written,
        shown=shown,
        # No file that is UTF-8 holds half a character; a text that a program hands over may.
        codes=tuple(code for code in CODES if code != "lone-surrogate"),
    )


def _shapes() -> Shapes:
    from parte.languages.cel.conformance.notation import SHAPES

    return SHAPES


def _engines() -> Engines:
    own = {name: Listed(partial(CelEngine, name)) for name in MODELS}
    return own | {"core2": Listed(_core2, "core2", look=_jar)}


def _core2() -> Engine:
    from parte.languages.cel.conformance.core2.adapter import core2

    return core2()


def _jar() -> object:
    from parte.languages.cel.conformance.core2.adapter import installation

    return installation()


def _confirming(again: bool) -> Iterable[tuple[str, Engine]]:
    from parte.languages.cel.conformance.measure import confirming

    return confirming(again)


def _rules() -> Mapping[str, Rule]:
    from parte.languages.cel.semantics.rules import RULES

    return RULES


def _listing() -> Listing:
    from parte.languages.cel.semantics.repairs import DESCRIPTIONS
    from parte.semantics.rulebook.figures import of_function

    headings = {
        "automata (T §3.3, §3.4)": ("CEA-", "DET"),
        "the compact set (T §5.1, §5.2)": ("TECS-", "ULIST-"),
        "evaluation and enumeration (T §5.3, §5.4)": ("EVAL-", "KEYS", "FORGET", "ROOT", "ENUM-", "SHARE"),
        "queries (T §3.2, §4.1)": ("Q-", "REWRITE", "REFINE"),
        "distribution by a master (T §4.2)": ("DCERE", "MCEE"),
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
    from parte.languages.cel.checker.check import check

    return check(text, timeout)


def _lemmas() -> Catalogue:
    from parte.languages.cel.proofs.catalogue import CATALOGUE

    return CATALOGUE


def _controls() -> Subject:
    from parte.languages.cel.proofs.controls import SUBJECT

    return SUBJECT


def _measures() -> Measures:
    from parte.languages.cel.conformance.measure import contradicted, rules_fired, traits

    return Measures(rules_fired, traits, contradicted)


def _mutants() -> Sequence[Mutant]:
    from parte.languages.cel.conformance.mutants import mutants

    return mutants()


def _published() -> Mutant:
    from parte.languages.cel.conformance.mutants import AS_PUBLISHED

    return AS_PUBLISHED


def _generation() -> Generation[Case]:
    from parte.languages.cel.conformance.generation import GENERATION

    return GENERATION


CEL: Language[Source, Case] = Language(
    name=NAME,
    ending=".ceql",
    source="T",
    suite=Path(__file__).parents[1] / "suite" / "cel",
    notation=NOTATION,
    shapes=_shapes,
    drawn=("breadth",),
    profiles=(
        "core",
        "conditions",
        "projection",
        "contiguous",
        "windows",
        "streams",
        "partition",
        "strategies",
        "consumption",
        "links",
        "shares",
        "rejects",
    ),
    precedence=(
        "rejects",
        "shares",
        "links",
        "consumption",
        "strategies",
        "partition",
        "streams",
        "windows",
        "contiguous",
        "projection",
        "conditions",
        "core",
    ),
    example=Example(
        "SELECT * WHERE A; B\n",
        tuple({"id": each.lower(), "template": each, "timestamp": 0} for each in "ACB"),
        {"start": 0, "end": 2, "events": ["a", "b"]},
        "SELECT * WHERE A; ; B\n",
    ),
    syntax=_syntax,
    engines=_engines,
    recorded=Path(__file__).parent,
    definition="definition",
    confirming=_confirming,
    rules=_rules,
    unreachable={
        "CORE/DCERE": "which worker is sent what is no result of a query; tests/languages/cel/semantics/test_distribution.py",
        "CORE/MCEE": "which worker is sent what is no result of a query; tests/languages/cel/semantics/test_distribution.py",
    },
    listing=_listing,
    check=_check,
    lemmas=_lemmas,
    measures=_measures,
    mutants=_mutants,
    killers=Path(__file__).parent / "mutants",
    published=_published,
    generation=_generation,
    commands="parte.languages.cel.commands",
    controls=_controls,
)
