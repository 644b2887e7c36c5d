"""PARTElang, as the machinery sees it that knows no language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from parte.conformance.engines.registry import Engines
from parte.conformance.fuzz.cases import Generation
from parte.conformance.language import Example, Language, Measures, Syntax
from parte.conformance.mutants import Mutant
from parte.conformance.parte.fuzz.cases import Case
from parte.conformance.parte.notation import NOTATION
from parte.conformance.protocol import DEFAULT_LANGUAGE, Engine
from parte.semantics.parte.syntax import core
from parte.semantics.rulebook.registry import Rule


def _syntax() -> Syntax[core.Program]:
    from parte.conformance.parte.engines.reading import parsed
    from parte.conformance.parte.matching import key_in
    from parte.semantics.parte.syntax.codes import CODES
    from parte.semantics.parte.syntax.json_form import program_to_json

    return Syntax(parsed, program_to_json, key_in, tuple(CODES))


def _measures() -> Measures:
    from parte.conformance.parte.fuzz.steps import contradicted_step
    from parte.conformance.parte.measure import rules_fired, traits

    return Measures(rules_fired, traits, contradicted_step)


def _confirming(again: bool) -> Iterable[tuple[str, Engine]]:
    from parte.conformance.parte.measure import confirming

    return confirming(again)


def _engines() -> Engines:
    from parte.conformance.parte.engines.table import ENGINES

    return ENGINES


def _rules() -> Mapping[str, Rule]:
    from parte.semantics.parte.rulebook import RULEBOOK

    return RULEBOOK


def _mutants() -> Sequence[Mutant]:
    from parte.conformance.parte.mutants import mutants

    return mutants()


def _published() -> Mutant:
    from parte.conformance.parte.mutants.models import AS_PUBLISHED

    return AS_PUBLISHED


def _generation() -> Generation[Case]:
    from parte.conformance.parte.fuzz.generation import GENERATION

    return GENERATION


_TRACE = ({"id": f"a{k}", "template": "A", "timestamp": k, "source": "s", "attributes": {"k": k}} for k in range(3))

PARTELANG = Language(
    name=DEFAULT_LANGUAGE,
    ending=".parte",
    source="D",
    suite=Path(__file__).parents[1] / "suite" / "parte",
    notation=NOTATION,
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
    measures=_measures,
    mutants=_mutants,
    killers=Path(__file__).parent / "mutants",
    published=_published,
    generation=_generation,
)
