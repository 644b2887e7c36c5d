"""LEAD in the conformance kit."""

from __future__ import annotations

from pathlib import Path

from parte.conformance.engines.own import own
from parte.conformance.kit import Example, Kit
from parte.languages.language import lazy
from parte.languages.lead.conformance.engine import LeadEngine
from parte.languages.lead.conformance.generation import Case
from parte.languages.lead.conformance.notation import NOTATION
from parte.languages.lead.running import RULE

KIT: Kit[Case] = Kit(
    suite=Path(__file__).parents[1] / "suite",
    notation=NOTATION,
    shapes=lazy("parte.languages.lead.conformance.notation:SHAPES"),
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
    example=Example(
        "FROM A, B MATCH A -> B\n",
        tuple({"id": template.lower(), "template": template, "timestamp": 0} for template in "ACB"),
        {"rule": RULE, "bindings": {"A": "a", "B": "b"}, "end": 0, "emits": []},
        "FROM A, B MATCH A -> -> B\n",
    ),
    engines=lambda: own(LeadEngine),
    recorded=Path(__file__).parent,
    definition="definition",
    confirming=lazy("parte.languages.lead.conformance.measure:confirming"),
    measures=lazy("parte.languages.lead.conformance.measure:MEASURES"),
    mutants=lazy("parte.languages.lead.conformance.mutants:mutants()"),
    killers=Path(__file__).parent / "mutants",
    published=lazy("parte.languages.lead.conformance.mutants:AS_PUBLISHED"),
    generation=lazy("parte.languages.lead.conformance.generation:GENERATION"),
)
