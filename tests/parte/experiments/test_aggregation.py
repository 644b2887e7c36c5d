"""The experiment `aggregation`: D's figure 5.9 from the checker's sizes, and what its rule with a set means."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from parte.algebra.partelang.programs import run
from parte.checker.partelang.bounds import figures
from parte.experiments.aggregation import AGGREGATION, FOUR_PATTERNS, SET, figure_5_9, largest_as_d_counts
from parte.experiments.experiment import Scale
from parte.experiments.running import run_experiment
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import bind_domain, load_domain
from parte.semantics.events.event import Event
from parte.semantics.events.trace import Trace, load_trace
from parte.semantics.partelang.syntax import parse

FRAUD = Path(__file__).resolve().parents[3] / "examples" / "fraud"

FIGURE_5_9 = [
    (1, 122, 3),
    (2, 976, 7),
    (3, 3296, 11),
    (4, 7814, 15),
    (5, 15262, 19),
    (6, 26373, 23),
    (7, 41880, 27),
    (8, 62514, 31),
    (9, 89009, 35),
]
"""As D prints it: transfers in five minutes, PARTE size in units of 2^30, with aggregation in units of 2^10."""


def test_the_checker_computes_figure_5_9() -> None:
    rows = run_experiment(AGGREGATION, AGGREGATION.scales[Scale.DEFAULT], jobs=1).rows
    columns = ["transfers in 5 min", "PARTE size", "with aggregation"]
    assert list(figure_5_9(rows)[columns].itertuples(index=False, name=None)) == FIGURE_5_9


@pytest.mark.parametrize("transfers", [1, 4, 9, 1000])
def test_what_the_checker_computes_for_four_patterns_is_the_formula(transfers: int) -> None:
    assert largest_as_d_counts(transfers) == figures.diffusion(transfers)


def transfers() -> list[Event]:
    """The transfers of D's figure 7.3, whose ids are Strings in the program of the experiment."""
    transfers = [event for event in load_trace(FRAUD / "trace.jsonl").events if event.template == "MoneyTransferred"]
    return [replace(event, attributes={**event.attributes, "id": str(event.attributes["id"])}) for event in transfers]


def incoming(program: str, *more: Event) -> list[str]:
    """The ids of the incoming transfers of all matches of scenario B on the trace of D's figure 7.3 and more events."""
    known = parse(program)
    items = conform(known, Trace((*transfers(), *more)))
    domain = {name: table for name, table in load_domain(FRAUD / "domain.json").items() if name == "uncommon_route"}
    outcome = run(known, items, bind_domain(known, domain))
    return [dict(match.bindings)["incoming"] for match in outcome.matches]


def test_three_patterns_match_in_six_orders_and_a_set_once() -> None:
    assert incoming(FOUR_PATTERNS) == ["t4"] * 6
    assert incoming(SET) == ["t4"]


def test_a_fourth_outgoing_transfer_ends_the_match_of_the_set_only() -> None:
    (outgoing,) = (event for event in transfers() if event.id == "t6")
    fourth = Event("t6a", outgoing.template, outgoing.timestamp + 1, {**outgoing.attributes, "id": "6a", "amount": 1.0})
    assert set(incoming(FOUR_PATTERNS, fourth)) == {"t4"}
    assert incoming(SET, fourth) == []
