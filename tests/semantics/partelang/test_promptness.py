"""When `sound` reports a match (specification: prompt-reports, prompt-lag, prompt-turns)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from parte.semantics.events.event import Arrival, Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax import parse
from tests.campaigns.lateness import ROOMY, Lateness
from tests.campaigns.running import Broken

Said = tuple[str, str, int, int | None]
"""A source, a template, a promise and the time of the event that comes with it."""


def found_after_each(
    rules: str, sources: dict[str, list[str]], feed: list[Said], capacities: Capacities = UNBOUNDED
) -> list[int]:
    """How many matches there are after each input."""
    program = parse(f"template A {{}} template B {{}} template C {{}} template D {{}} {rules}")
    machine = Machine(compile_program(program, {}, sources), capacities=capacities)
    counts = []
    for number, (source, template, bound, time) in enumerate(feed):
        event = None if time is None else Event(f"e{number}", template, time, {}, source)
        RoundRobin().drive(machine, (Arrival(source, template, bound, event),))
        counts.append(len(machine.matches))
    return counts


def test_a_rule_of_one_pattern_waits_for_nobody() -> None:
    feed: list[Said] = [("s", "A", 5, 5), ("s", "A", 6, 6)]
    for capacities in (UNBOUNDED, ROOMY):
        assert found_after_each("rule R where a: A then", {"A": ["s", "silent"]}, feed, capacities) == [1, 2]


@pytest.mark.parametrize(("capacities", "counts"), [(UNBOUNDED, [0, 1, 1, 1]), (ROOMY, [0, 0, 0, 1])])
def test_a_join_waits_for_a_silent_source_only_where_room_is_limited(capacities: Capacities, counts: list[int]) -> None:
    rule = "rule R where a: A, b: A when b in a [1 ms, 1 ms] then"
    feed: list[Said] = [("s", "A", 5, 5), ("s", "A", 6, 6), ("t", "A", 4, None), ("t", "A", 5, None)]
    assert found_after_each(rule, {"A": ["s", "t"]}, feed, capacities) == counts


def test_an_empty_window_is_not_waited_for() -> None:
    rule = (
        "rule R where a: A, b: B, no c: C, d: D when b in a [0 ms, 9 ms], d in b [0 ms, 0 ms], "
        "no c in a [0 ms, 2 ms], no c in b [0 ms, 9 ms] then"
    )
    sources = {template: ["s"] for template in "ABCD"}
    feed: list[Said] = [("s", "A", 0, 0), ("s", "B", 2, 2), ("s", "B", 3, 3), ("s", "D", 0, 2), ("s", "D", 0, 3)]
    assert found_after_each(rule, sources, feed) == [0, 0, 0, 0, 1]
    assert found_after_each(rule, sources, [*feed, ("s", "C", 2, None), ("s", "C", 3, None)])[-2:] == [1, 2]


def test_a_negated_pattern_waits_for_each_source_that_can_fill_it_and_no_other() -> None:
    rule = "rule R where a: A, no b: B when no b in a [0 ms, 1 ms] then"
    feed: list[Said] = [("s", "A", 0, 0), ("s", "B", 2, None), ("t", "B", 1, None), ("t", "B", 2, None)]
    assert found_after_each(rule, {"A": ["s", "silent"], "B": ["s", "t"], "C": ["u"]}, feed) == [0, 0, 0, 1]


def test_what_rules_emit_lags_by_what_windows_and_at_say() -> None:
    """The example of prompt-lag: with a lag of 0, B must promise more than the end of the window."""
    rules = (
        "rule Q where a: A, b: B when b in a [0 ms, 0 ms] then emit D at b.timestamp with {} "
        "rule R where c: C, no d: D when no d in c [0 ms, 0 ms] then"
    )
    sources = {"A": ["s"], "B": ["s"], "C": ["s"]}
    feed: list[Said] = [("s", "C", 5, 5), ("s", "A", 9, None), ("s", "B", 2, None), ("s", "B", 5, None)]
    assert found_after_each(rules, sources, [*feed, ("s", "B", 6, None)]) == [0, 0, 0, 0, 1]


def test_reports_come_when_the_specification_says() -> None:
    counts: Counter[str] = Counter()
    campaign = Lateness()
    for number in range(120):
        campaign.attack(campaign.draw(random.Random(f"{campaign.name} test {number}")), counts)
    assert counts["matches"] > 100
    assert counts["limited: late: sources take turns"] > 0
    assert counts["before the criterion says so"] == 0


@pytest.mark.parametrize(
    "wrong",
    [lambda _, closes, bound: closes >= bound, lambda opens, closes, bound: opens <= closes and closes > bound],
    ids=["an empty window is waited for", "an event at the end is not waited for"],
)
def test_a_machine_that_is_late_or_early_is_found_out(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[int, int, int], bool]
) -> None:
    monkeypatch.setattr(kernel, "may_be_met", wrong)
    with pytest.raises(Broken):
        test_reports_come_when_the_specification_says()
