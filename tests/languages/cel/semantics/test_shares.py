"""Shares: exact, disjoint, balanced, in the window, without a word between processes (CORE/SHARE)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.languages.cel.semantics.enumeration import divided, share
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.repairs import SOUND
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.event import Event
from parte.semantics.rulebook.models import Model


def stream(text: str) -> list[Event]:
    return [Event(f"e{k}", name, k, {}) for k, name in enumerate(text.split())]


def sizes(query: str, events: str, processes: int, model: Model = SOUND) -> list[int]:
    """How many results each process prints."""
    machines = [Machine(parse(f"SELECT * WHERE {query}"), model, processes, index) for index in range(processes)]
    return [len(list(machine.run(stream(events)))) for machine in machines]


@given(st.integers(0, 10**30), st.integers(1, 10**6), st.data())
def test_shares_are_the_whole_in_order_and_balanced(results: int, processes: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, processes - 1))
    skipped, count = share(results, processes, index)
    assert results // processes <= count <= -(-results // processes)
    following = (results, 0) if index + 1 == processes else share(results, processes, index + 1)
    assert following[0] == skipped + count
    assert share(results, processes, 0)[0] == 0


@given(st.integers(0, 50), st.integers(1, 50), st.integers(0, 40), st.integers(0, 40))
def test_a_share_of_a_union_is_divided(skipped: int, count: int, left: int, right: int) -> None:
    """CORE/ENUM-UNION: what is printed on the left and on the right is what is printed of both."""
    (skip_left, here), (skip_right, there) = divided(skipped, count, left, right)
    whole = list(range(left + right))[skipped : skipped + count]
    assert (
        list(range(left))[skip_left : skip_left + here]
        + [left + place for place in range(right)[skip_right : skip_right + there]]
        == whole
    )


WITHOUT = [
    ("indices-from-zero", "A", "A", 1, [0]),
    ("single-paths-shared", "A", "A", 2, [1, 1]),
    ("shares-in-window", "A; B WITHIN 8 EVENTS", "A " * 64 + "B", 4, [8, 0, 0, 0]),
    ("balanced-shares", "A+", "A A A", 3, [4, 3, 0]),
    ("one-root", "A OR (A; A)", "A A", 2, [3, 0]),
]


@pytest.mark.parametrize(("repair", "query", "events", "processes", "printed"), WITHOUT)
def test_what_goes_wrong_without_a_repair(
    repair: str, query: str, events: str, processes: int, printed: list[int]
) -> None:
    # What is forgotten is no path any more, so shares of all paths show only where nothing is.
    without = (repair, "forgetting") if repair == "shares-in-window" else (repair,)
    assert sizes(query, events, processes, SOUND.without(*without)) == printed
    sound = sizes(query, events, processes)
    assert sum(sound) == sizes(query, events, 1)[0]


def test_forgetting_changes_no_result() -> None:
    query, events = "A; B WITHIN 2 EVENTS", "A A B A B B"
    assert sizes(query, events, 2) == sizes(query, events, 2, SOUND.without("forgetting"))


def test_the_first_result_of_a_share_is_not_linear() -> None:
    """Defect 26: before its first result a process passes by all that it skips."""
    visits = []
    for index in range(4):
        machine = Machine(parse("SELECT * WHERE A; B"), processes=4, index=index)
        assert len(list(machine.run(stream("A " * 400 + "B")))) == 100
        visits.append(machine.visited)
    alone = Machine(parse("SELECT * WHERE A; B"))
    list(alone.run(stream("A " * 400 + "B")))
    assert visits == sorted(visits)
    assert visits[-1] > visits[0] + 250
    assert visits[-1] < alone.visited
