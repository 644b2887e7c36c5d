"""PARTElang in the conformance kit."""

from __future__ import annotations

from pathlib import Path

from parte.conformance.kit import Example, Kit
from parte.conformance.partelang.fuzz.cases import Case
from parte.conformance.partelang.notation import NOTATION
from parte.conformance.partelang.own_ids import renaming
from parte.languages.language import lazy

LEVEL_2 = "level-2"
"""The profile of all cases that need level 2 of the language."""

KIT: Kit[Case] = Kit(
    suite=Path(__file__).parent / "suite",
    notation=NOTATION,
    shapes=lazy("parte.conformance.partelang.shapes:SHAPES"),
    drawn=("breadth", "laws"),
    profiles=("core", "negation", "emission", "functions", "out-of-order", "multi-source", "rejects", LEVEL_2),
    prefers=(LEVEL_2, "rejects", "out-of-order", "multi-source", "negation", "functions", "emission", "core"),
    extensions=(LEVEL_2,),
    example=Example(
        "template A { k : Integer }\nrule Seen where a : A { k = 1 }\n",
        tuple(
            {"id": f"a{k}", "template": "A", "timestamp": k, "source": "s", "attributes": {"k": k}} for k in range(3)
        ),
        {"rule": "Seen", "bindings": {"a": "a1"}, "emits": []},
        "template A { k : Integr }\n",
    ),
    engines=lazy("parte.conformance.partelang.engines.table:ENGINES"),
    recorded=Path(__file__).parent / "engines",
    definition="algebra",
    confirming=lazy("parte.conformance.partelang.measure:confirming"),
    measures=lazy("parte.conformance.partelang.fuzz.steps:MEASURES"),
    mutants=lazy("parte.conformance.partelang.mutants:mutants()"),
    killers=Path(__file__).parent / "mutants",
    published=lazy("parte.conformance.partelang.mutants.models:AS_PUBLISHED"),
    generation=lazy("parte.conformance.partelang.fuzz.generation:GENERATION"),
    renaming=renaming,
)
