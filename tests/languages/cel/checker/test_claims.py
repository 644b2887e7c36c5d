"""What is claimed of wild queries holds on short streams, and faults that are planted in the checker are noticed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tomllib import loads

import pytest

from parte.conformance.fuzz.draw import seeded
from parte.languages.cel.checker.check import check
from parte.languages.cel.conformance.drawing import drawn_events
from parte.languages.cel.conformance.generation import Case
from parte.languages.cel.semantics.syntax.parser import parse
from parte.proofs.mutation import Mutant, applied
from tests.languages.cel.campaigns.queries import Queries, climbed, sizes_in


def attack(text: str, streams: int = 40) -> Counter[str]:
    """Hold what is said of a query against streams."""
    counts: Counter[str] = Counter()
    Queries(streams=streams).attack(Case(parse(text), drawn_events(seeded(1), 6)), counts)
    return counts


# --- Faults -----------------------------------------------------------------------------------------------------------

FAULTS = {fault["name"]: fault for fault in loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))["fault"]}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_noticed(name: str) -> None:
    fault = FAULTS[name]
    text = fault["query"]
    expected = said(text)
    with applied(Mutant(name, fault["function"], fault["before"], fault["after"])):
        assert noticed(text) or said(text) != expected, "nothing notices it"


def said(text: str) -> list[str]:
    """What the checker says of a query."""
    return [f"{finding.code}: {finding.verdict.value}" for finding in check(text).findings]


def noticed(text: str) -> bool:
    """Whether a replay, or a stream, contradicts what is said, or nothing is said at all."""
    try:
        attack(text)
    except Exception:
        return True
    return False


# --- Sizes ------------------------------------------------------------------------------------------------------------

NEAR: tuple[tuple[str, str, float], ...] = (
    ("A; B WITHIN 5 EVENTS", "deterministic states", 1.0),
    ("(A OR B)+ WITHIN 8 EVENTS", "deterministic states", 1.0),
    ("(A OR B)+ WITHIN 8 EVENTS", "length of union-lists", 0.7),
    ("A+ WITHIN 5 EVENTS", "nodes made for an event", 0.4),
    ("A+ WITHIN 5 EVENTS", "nodes kept", 0.3),
)


@pytest.mark.parametrize(("formula", "name", "share"), NEAR)
def test_a_search_comes_near_to_a_size_and_not_beyond(formula: str, name: str, share: float) -> None:
    text = f"SELECT * WHERE {formula}"
    limit = sizes_in(check(text))[name]
    assert limit is not None
    assert share * limit <= climbed(text, name, seed=1, steps=60) <= limit
