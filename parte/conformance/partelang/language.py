"""PARTElang, as the machinery sees it that knows no language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from parte.conformance.engines.registry import Engines
from parte.conformance.exchange import Shapes
from parte.conformance.fuzz.cases import Generation
from parte.conformance.language import Example, Language, Listing, Measures, Syntax
from parte.conformance.mutants import Mutant
from parte.conformance.partelang.fuzz.cases import Case
from parte.conformance.partelang.notation import NOTATION
from parte.conformance.protocol import DEFAULT_LANGUAGE, Engine
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.registry import Rule

if TYPE_CHECKING:
    from parte.checker.report.contents import Report
    from parte.proofs.controls import Subject
    from parte.proofs.lemma import Catalogue


def _syntax() -> Syntax[core.Program]:
    from parte.conformance.partelang.engines.reading import parsed
    from parte.conformance.partelang.matching import key_in, shown
    from parte.conformance.partelang.own_ids import renaming
    from parte.semantics.partelang.syntax.codes import CODES
    from parte.semantics.partelang.syntax.json_form import program_to_json, schema
    from parte.semantics.partelang.syntax.parser import parse_source
    from parte.semantics.partelang.syntax.printer import print_program

    return Syntax(
        parse=parsed,
        source=parse_source,
        layout=print_program,
        warnings=lambda program: program.warnings,
        tree=program_to_json,
        schema=schema,
        key=key_in,
        shown=shown,
        codes=tuple(CODES),
        renaming=renaming,
    )


def _shapes() -> Shapes:
    from parte.conformance.partelang.shapes import SHAPES

    return SHAPES


def _listing() -> Listing:
    from parte.semantics.partelang.repairs import DESCRIPTIONS, Family
    from parte.semantics.partelang.rulebook import RULEBOOK
    from parte.semantics.partelang.rules.figures import by_figure

    headings = {
        Family.FEATHERWEIGHT: "published and sound: one node, one token (D §5.4)",
        Family.RUDIMENTARY: "rudimentary: one node, one token (D §5.2)",
        None: "all models: the network (D §5.2, §5.4)",
    }
    found = {
        heading: [rule.id for rule in RULEBOOK.values() if rule.family is family]
        for family, heading in headings.items()
    }
    return Listing(found, lambda identity: by_figure(RULEBOOK[identity]), DESCRIPTIONS)


def _check(text: str, timeout: float) -> Report:
    from parte.checker.partelang.check import check

    return check(text, timeout=timeout)


def _lemmas() -> Catalogue:
    from parte.proofs.partelang.catalogue import CATALOGUE

    return CATALOGUE


def _controls() -> Subject:
    from parte.proofs.partelang.controls import SUBJECT

    return SUBJECT


def _measures() -> Measures:
    from parte.conformance.partelang.fuzz.steps import contradicted_step
    from parte.conformance.partelang.measure import rules_fired, traits

    return Measures(rules_fired, traits, contradicted_step)


def _confirming(again: bool) -> Iterable[tuple[str, Engine]]:
    from parte.conformance.partelang.measure import confirming

    return confirming(again)


def _engines() -> Engines:
    from parte.conformance.partelang.engines.table import ENGINES

    return ENGINES


def _rules() -> Mapping[str, Rule]:
    from parte.semantics.partelang.rulebook import RULEBOOK

    return RULEBOOK


def _mutants() -> Sequence[Mutant]:
    from parte.conformance.partelang.mutants import mutants

    return mutants()


def _published() -> Mutant:
    from parte.conformance.partelang.mutants.models import AS_PUBLISHED

    return AS_PUBLISHED


def _generation() -> Generation[Case]:
    from parte.conformance.partelang.fuzz.generation import GENERATION

    return GENERATION


PARTELANG = Language(
    name=DEFAULT_LANGUAGE,
    ending=".parte",
    source="D",
    suite=Path(__file__).parents[1] / "suite" / "parte",
    notation=NOTATION,
    shapes=_shapes,
    drawn=("breadth", "laws"),
    profiles=("core", "negation", "emission", "functions", "out-of-order", "multi-source", "rejects"),
    precedence=("rejects", "out-of-order", "multi-source", "negation", "functions", "emission", "core"),
    example=Example(
        "template A { k : Integer }\nrule Seen where a : A { k = 1 }\n",
        tuple(
            {"id": f"a{k}", "template": "A", "timestamp": k, "source": "s", "attributes": {"k": k}} for k in range(3)
        ),
        {"rule": "Seen", "bindings": {"a": "a1"}, "emits": []},
        "template A { k : Integr }\n",
    ),
    syntax=_syntax,
    engines=_engines,
    recorded=Path(__file__).parent / "engines",
    definition="algebra",
    confirming=_confirming,
    rules=_rules,
    unreachable={
        "PARTE/ENTRY-NOMATCHTEMPLATE": "events reach the entry node of their own template only (docs/machine.md)"
    },
    listing=_listing,
    check=_check,
    lemmas=_lemmas,
    measures=_measures,
    mutants=_mutants,
    killers=Path(__file__).parent / "mutants",
    published=_published,
    generation=_generation,
    controls=_controls,
)
