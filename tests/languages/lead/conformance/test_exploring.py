"""All firing sequences of small nets: they find one thing, and what depends on the order is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from parte.conformance.choices import Guide, explore
from parte.conformance.fuzz.draw import seeded
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.conformance.drawing import Shape
from parte.languages.lead.conformance.exploring import Explored, explored, state_of
from parte.languages.lead.conformance.generation import drawn_case
from parte.languages.lead.conformance.printed import read
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Run
from parte.languages.lead.semantics.repairs import SOUND
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.tokens import match_of
from parte.semantics.events.event import Event
from parte.semantics.rulebook.models import Model


def last(pattern: str, trace: str, model: Model = SOUND) -> Explored:
    *_, exploration = explored(*read(pattern, trace), model, 2_000, 60)
    return exploration


@pytest.mark.parametrize(
    ("pattern", "trace"),
    [
        ("all(A and B)", "a0@0 b1@0 a2@0"),
        ("all(A or B)", "a0@0 b1@0 a2@0 b3@0"),
        ("A -> B -> C", "c0@0 b1@0 a2@0 a3@0"),
        ("all(A -> not B within 2 ms)", "a0@0 a1@0 b2@2"),
        ("every(collect(A) terminate (count() >= 2) AS l -> B)", "a0@0 a1@0 b2@0 a3@1 a4@1 b5@1"),
        ("wait(last(A), 1 ms) and B", "a0@0 a1@1 b2@1"),
    ],
)
def test_every_order_finds_what_is_defined(pattern: str, trace: str) -> None:
    explored = last(pattern, trace)
    assert (explored.difference, explored.ended) == (None, "all")
    assert explored.states > 0


def test_drawn_rules_find_one_thing_in_every_order() -> None:
    choices = 0
    for seed in range(25):
        case = drawn_case(seeded(seed), Shape(depth=3, events=5))
        items = [replace(item, timestamp=item.timestamp // 4) for item in case.items if isinstance(item, Event)]
        exploration = Explored()
        for exploration in explored(case.program, occurrences(case.program, items), SOUND, 60, 60):
            assert exploration.difference is None, case
        choices += exploration.states
    assert choices > 80


def results(pattern: str, trace: str, model: Model, ranked: bool = True, known: bool = True) -> set[object]:
    """What the firing sequences find; without ranks, or without knowing states again."""
    rule, events = read(pattern, trace)

    def play(guide: Guide) -> object:
        machine = Machine(rule, model, guide)
        for transition in machine.net.transitions:
            transition.rank = transition.rank if ranked else 0
        run = machine.begun(Run)
        guide.state = partial(state_of, run) if known else unknown
        return frozenset(match_of(token) for token in run.run(events))

    *_, progress = explore(play, 20_000, 60)
    assert progress.ended == "all"
    return set(progress.results)


def unknown(_: Sequence[object]) -> None:
    return None


def test_what_depends_on_the_order_is_found() -> None:
    released = results("all(wait(A, 1 ms))", "a0@0 a1@0", SOUND.without("wait-all"))
    assert len(released) == 2
    pattern, trace = "first(A or B)", "a0@0 b1@0"
    assert results(pattern, trace, SOUND) == {frozenset(evaluate(*read(pattern, trace)))}
    assert len(results(pattern, trace, SOUND, ranked=False)) > 1


@pytest.mark.parametrize("pattern", ["all(A and B)", "first(A or B)", "A -> B", "all(A -> not B within 1 ms)"])
def test_what_is_known_again_finds_as_much(pattern: str) -> None:
    for ranked in (True, False):
        outcomes = [results(pattern, "a0@0 b1@0", SOUND, ranked, known) for known in (True, False)]
        assert outcomes[0] == outcomes[1]


def test_it_stops_at_limits_with_what_it_has() -> None:
    rule, events = read("all(A and B and C)", "a0@0 b1@0 c2@0 a3@0 b4@0")
    *_, exploration = explored(rule, events, SOUND, 5, 60)
    assert (exploration.ended, exploration.states >= 5) == ("states", True)
    *_, exploration = explored(rule, events, SOUND, 5_000, 0)
    assert (exploration.ended, exploration.sequences) == ("time", 1)


def test_an_interruption_leaves_what_was_found() -> None:
    played = 0

    def play(guide: Guide) -> int:
        nonlocal played
        played += 1
        if played == 3:
            raise KeyboardInterrupt
        return guide.choice([0, 1]) + guide.choice([0, 1])

    *_, item = explore(play, 100, 60)
    assert (item.ended, item.ways) == ("interrupted", 2)
