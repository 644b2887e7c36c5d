"""The search finds a witness of each defect, none larger than the counterexample made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from parte.proofs.partelang.defects import DEFECTS, Defect
from parte.semantics.events.event import Event
from parte.semantics.events.rates import Rate
from tests.proofs.partelang.exploration.witnesses import Alphabet, by_size, witness

PAGE = Path(__file__).resolve().parents[4] / "docs" / "exploration.md"

SPAN = 7
"""Milliseconds beyond which no trace is tried here; it cuts off nothing but for defect 12."""


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.number}-{defect.repair}")
def test_each_defect_has_a_witness_no_larger_than_the_one_made_by_hand(defect: Defect) -> None:
    shortest = witness(defect, span=SPAN)
    assert shortest is not None
    assert shortest.symptom == defect.symptom
    assert len(shortest.trace) <= len(defect.arriving)
    assert (shortest.retraced.outcome.blocked is not None) == (shortest.symptom == "blocked")
    assert f"defect {defect.number}, " in shortest.render()
    assert shortest.row() in PAGE.read_text(encoding="utf-8"), f"the page should have the row {shortest.row()}"
    assert shortest.published_fails


def test_there_is_no_witness_among_smaller_traces() -> None:
    (defect,) = (defect for defect in DEFECTS if defect.repair == "expire-by-lifetime")
    assert witness(defect, events=2) is None


# --- The traces that are tried --------------------------------------------------------------------------------------


def _shown(letters: Alphabet, events: int, span: int | None = None) -> list[str]:
    traces = (trace for size in by_size(letters, events, span) for trace in size)
    return [" ".join(map(_event, trace)) for trace in traces]


def _event(event: Event) -> str:
    return f"{event.template}{event.timestamp}{'' if event.source == 's' else event.source}"


ONE = Alphabet((("s", "A"),), (0,), 0)


def test_traces_come_by_number_of_events_then_by_span() -> None:
    assert _shown(ONE, 3) == [
        "A0",
        "A0 A0",
        "A0 A1",
        "A0 A0 A0",
        "A0 A0 A1",
        "A0 A1 A1",
        "A0 A0 A2",
        "A0 A1 A2",
        "A0 A2 A2",
    ]
    assert _shown(ONE, 3, span=1) == ["A0", "A0 A0", "A0 A1", "A0 A0 A0", "A0 A0 A1", "A0 A1 A1"]


def test_traces_of_two_templates_come_in_one_order() -> None:
    two = Alphabet((("s", "A"), ("s", "B")), (0,), 0)
    assert _shown(two, 2) == ["A0", "B0", "A0 A0", "A0 B0", "B0 B0", "A0 A1", "A0 B1", "B0 A1", "B0 B1"]


def test_where_sources_share_a_queue_their_order_matters() -> None:
    shared = Alphabet((("s", "A"), ("t", "A")), (0,), 0, ordered=True)
    texts = _shown(shared, 2)
    assert {"A0 A1t", "A1t A0", "A0t A1", "A1 A0t"} <= set(texts)
    assert "A1 A0" not in texts
    assert len(texts) == len(set(texts))


def test_rates_are_kept() -> None:
    slow = Alphabet((("s", "A"),), (0,), 1, rates={("s", "A"): Rate(1, 2)})
    assert _shown(slow, 3) == ["A0", "A0 A2", "A0 A2 A4"]
