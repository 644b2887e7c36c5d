"""What is claimed of drawn rules holds of runs, and faults that are planted in the checker are noticed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tomllib import loads

import pytest

from parte.conformance.casefiles.events import read_trace as read_short
from parte.conformance.fuzz.draw import seeded
from parte.languages.lead.conformance.drawing import Shape
from parte.languages.lead.conformance.generation import Case, drawn_case
from parte.languages.lead.semantics.syntax.parser import parse
from parte.proofs.mutation import Mutant, applied
from parte.semantics.events.event import Event
from tests.campaigns.running import Broken
from tests.languages.lead.campaigns.lead import Disordered
from tests.languages.lead.campaigns.lead_claims import LeadClaims

FAULTS = {fault["name"]: fault for fault in loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))["fault"]}


def attack(case: Case) -> Counter[str]:
    """Hold what is said of a rule against its trace."""
    counts: Counter[str] = Counter()
    LeadClaims().attack(Disordered(case, 0, 0), counts)
    return counts


def test_claims_hold_of_drawn_rules() -> None:
    counts: Counter[str] = Counter()
    for seed in range(60):
        counts += attack(drawn_case(seeded(seed), Shape(depth=3, events=8)))
    assert counts["places with a bound"] > counts["places"] // 2 > 50


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_noticed(name: str) -> None:
    fault = FAULTS[name]
    define = f"DEFINE {fault['define']} " if "define" in fault else ""
    records = read_short([fault["trace"]], {})
    items = [
        Event(record["id"], record["template"], record["timestamp"], record.get("attributes", {})) for record in records
    ]
    case = Case(parse(f"FROM A, B, C {define}MATCH {fault['pattern']}"), tuple(items))
    attack(case)
    with applied(Mutant(name, fault["function"], fault["before"], fault["after"])), pytest.raises(Broken):
        attack(case)
