"""LEAD in the conformance kit."""

from __future__ import annotations

from parte.conformance.kit import Example, Kit, kit_of
from parte.languages.lead.conformance.engine import LeadEngine
from parte.languages.lead.conformance.generation import Case
from parte.languages.lead.conformance.notation import NOTATION
from parte.languages.lead.running import RULE

KIT: Kit[Case] = kit_of(
    "parte.languages.lead",
    LeadEngine,
    notation=NOTATION,
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
    confirming="conformance.measure:confirming",
)
