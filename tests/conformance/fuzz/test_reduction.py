"""How divergent cases are made small, in the manner of Hypothesis: what is left of a drawn case is what matters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.conformance.fuzz.draw import seeded
from parte.conformance.fuzz.generation import prepared
from parte.conformance.fuzz.reduction import reduced
from parte.conformance.fuzz.shrinking import weight
from parte.conformance.fuzz.variation import varied
from parte.conformance.partelang.drawing import ProgramShape
from parte.conformance.partelang.fuzz.cases import Case
from parte.conformance.partelang.fuzz.generation import GENERATION
from parte.conformance.partelang.fuzz.remedies import REMEDIES
from parte.conformance.partelang.fuzz.renaming import renamed
from parte.conformance.partelang.strategies import cases, drawn_case
from parte.languages.partelang import PARTELANG
from parte.semantics.events.event import Event, Progress
from parte.semantics.events.promises import arrivals
from parte.semantics.partelang.syntax import ast, core, parse
from parte.semantics.partelang.syntax.parser import parse_source

Holds = Callable[[core.Program, Case], bool]

DRAWN = [Case(program.source, items) for program, items in (drawn_case(seeded(n)) for n in range(150))]
"""Cases of every kind, the same each time."""


LEVEL_2 = ProgramShape(level=2, reuse=False)
DRAWN_2 = [Case(program.source, items) for program, items in (drawn_case(seeded(n), LEVEL_2) for n in range(100))]


def smallest(holds: Holds, *, start: int = 0, drawn: Sequence[Case] = DRAWN) -> Case:
    """The first of the drawn cases (from one on) for which something holds, reduced."""

    def wanted(case: Case) -> bool:
        return prepared(PARTELANG, case) is not None and holds(parse(case.text), case)

    original = next(case for case in drawn[start:] if wanted(case))
    return reduced(GENERATION, original, wanted)


def matches(program: core.Program, case: Case) -> list[tuple[str, ...]]:
    return [tuple(name for _, name in match.bindings) for match in run(program, case.items).matches]


@pytest.mark.parametrize("start", [0, 60])
def test_a_match_is_one_pattern_and_one_event_at_zero(start: int) -> None:
    case = smallest(lambda program, case: bool(matches(program, case)), start=start)
    assert case.text == "template A {}\n\nrule R where\n    a : A,\n"
    assert case.items == (Event("a1", "A", 0, {}, "s1"),)


@pytest.mark.parametrize("start", [0, 60])
def test_a_join_of_two_events_has_a_window_of_zero(start: int) -> None:
    case = smallest(lambda p, c: any(len(set(ids)) > 1 for ids in matches(p, c)), start=start)
    (rule,) = case.rules
    assert [pattern.template for pattern in rule.patterns] == ["A", "A"]
    assert [(c.lower.milliseconds, c.upper.milliseconds) for c in rule.constraints] == [(0, 0)]
    assert [(item.timestamp, item.source) for item in case.items] == [(0, "s1"), (0, "s1")]


def test_a_match_needs_no_level_2() -> None:
    case = smallest(lambda program, case: bool(matches(program, case)), drawn=DRAWN_2)
    assert case.text == "template A {}\n\nrule R where\n    a : A,\n"


def with_set(program: core.Program, case: Case) -> bool:
    rules = {rule.name for rule in program.rules if rule.collected}
    return any(match.rule in rules for match in run(program, case.items).matches)


SMALLEST: dict[str, tuple[Holds, str]] = {
    "set": (with_set, "rule R where\n    a : A,\n    all b : A,\nwhen\n    b in a [0 ms, 0 ms],\n"),
    "once": (
        lambda program, case: bool(run(program, case.items).suppressed),
        "rule R where\n    a : A,\nthen\n    emit B\n        at a.timestamp\n        with {}\n        once in 1 ms\n",
    ),
    "either": (
        lambda program, case: bool(matches(program, case)) and any(r.name != r.reported for r in program.rules),
        "rule R where\n    either a : A\n    or a : B,\n",
    ),
}


@pytest.mark.parametrize(("holds", "text"), SMALLEST.values(), ids=SMALLEST)
def test_a_case_of_level_2_is_the_construct_alone(holds: Holds, text: str) -> None:
    case = smallest(holds, drawn=DRAWN_2)
    assert case.text.startswith("level 2\n")
    assert case.text[case.text.index("rule R") :] == text
    assert all(item.timestamp == 0 for item in case.items)


def test_a_chain_of_patterns_is_bridged() -> None:
    """The middle of three patterns goes; the outer ones are related directly."""
    source = parse(
        "template A { k : Integer }\ntemplate B { k : Integer }\ntemplate C { k : Integer }\n"
        "rule Chain where a : A, b : B, c : C { k = a.k } when b in a [1 ms, 2 ms] c in b [1 ms, 2 ms]"
    ).source
    times = (("A", 0), ("B", 1), ("C", 3))
    start = Case(source, tuple(Event(f"x{t}", name, t, {"k": 7}, "s") for name, t in times))

    def spread(case: Case) -> bool:
        if prepared(PARTELANG, case) is None:
            return False
        when = {item.id: item.timestamp for item in case.items if isinstance(item, Event)}
        return any(max(map(when.__getitem__, ids)) - when[ids[0]] > 2 for ids in matches(parse(case.text), case))

    case = reduced(GENERATION, start, spread)
    assert case.size == (2, 2, 0)
    assert [item.timestamp for item in case.items] == [0, 3]
    (constraint,) = case.rules[0].constraints
    assert constraint.lower.milliseconds <= 3 == constraint.upper.milliseconds


def test_only_the_attribute_that_matters_stays() -> None:
    def condition_on_a_string(program: core.Program, case: Case) -> bool:
        matched = {match.rule for match in run(program, case.items).matches}
        positive = [p for rule in case.rules if rule.name in matched for p in rule.patterns if not p.negated]
        conditions = [condition for pattern in positive for condition in pattern.conditions]
        return any(isinstance(c, ast.Binary) and c.left == ast.Reference(None, "s") for c in conditions)

    case = smallest(condition_on_a_string)
    templates = [item for item in case.program.declarations if isinstance(item, ast.Template)]
    assert [[slot.name for slot in template.slots] for template in templates] == [["s"]]
    (rule,) = case.rules
    assert len(rule.patterns) == 1
    (condition,) = rule.patterns[0].conditions
    assert isinstance(condition, ast.Binary)
    assert condition.right in (ast.Literal(""), ast.Literal("a"))
    assert case.items == (Event("a1", "A", 0, {"s": ""}, "s1"),)


def test_an_emission_is_made_plain() -> None:
    case = smallest(lambda program, case: any(match.emits for match in run(program, case.items).matches))
    (rule,) = case.rules
    (emission,) = rule.emissions
    assert emission.at == ast.Reference("a", "timestamp")
    assert emission.assignments == ()
    assert case.size == (1, 1, 0)


def test_a_progress_line_that_matters_stays() -> None:
    def out_of_order(_: core.Program, case: Case) -> bool:
        times: dict[tuple[str, str], list[int]] = {}
        for item in case.items:
            if isinstance(item, Event):
                times.setdefault((item.source, item.template), []).append(item.timestamp)
        return any(stamps != sorted(stamps) for stamps in times.values())

    case = smallest(out_of_order)
    assert [item.timestamp for item in case.items if isinstance(item, Event)] == [1, 0]
    assert [item.timestamp for item in case.items if isinstance(item, Progress)] == [0]


def test_what_never_diverges_stays_as_it_was() -> None:
    assert reduced(GENERATION, DRAWN[5], lambda _: False) == DRAWN[5]


def test_the_search_can_be_ended() -> None:
    tried: list[Case] = []

    def diverges(case: Case) -> bool:
        tried.append(case)
        return True

    large = max(DRAWN, key=lambda case: weight(GENERATION, case))
    reduced(GENERATION, large, diverges, lambda: len(tried) < 3)
    assert len(tried) == 3


@given(st.integers(0, len(DRAWN) - 1), st.integers(0, 2**32))
@settings(max_examples=30)
def test_whatever_is_accepted_is_lighter_and_valid(number: int, seed: int) -> None:
    rng = Random(seed)
    start = DRAWN[number]
    accepted = [start]

    def diverges(case: Case) -> bool:
        if prepared(PARTELANG, case) is None or rng.random() < 0.5:
            return False
        accepted.append(case)
        return True

    result = reduced(GENERATION, start, diverges, lambda: len(accepted) < 6)
    weights = [weight(GENERATION, case) for case in accepted if case != renamed(result)]
    assert weights == sorted(weights, reverse=True)
    assert result in accepted


@given(st.integers(0, len(DRAWN) - 1), st.integers(0, 2**32))
def test_variants_keep_their_promises(number: int, seed: int) -> None:
    case = DRAWN[number]
    items = varied(case.items, seeded(seed), [0, 3, -2])
    assert len(arrivals(items)) >= len(items)
    assert prepared(PARTELANG, Case(case.program, items)) is not None


def test_variants_differ() -> None:
    """Among few variants of a trace one has events of equal contents, and one has events at one time."""
    trace = tuple(Event(f"e{n}", "A", 10 * n, {"k": n, "x": 0.0, "s": "", "b": False}, "s") for n in range(4))
    variants = [varied(trace, seeded(seed)) for seed in range(40)]
    events = [[item for item in items if isinstance(item, Event)] for items in variants]
    assert any(len({repr(event.attributes) for event in variant}) < len(variant) for variant in events)
    assert any(len({event.timestamp for event in variant}) < len(variant) for variant in events)
    assert any(len(variant) > len(trace) for variant in events)


def test_names_are_plain_in_the_end() -> None:
    program, items = find(cases(), lambda case: len(case[0].rules) > 1 and len(case[1]) > 1)
    case = renamed(Case(program.source, items))
    assert prepared(PARTELANG, case) is not None
    assert [rule.name for rule in case.rules] == ["R", "R2"]
    events = [item for item in case.items if isinstance(item, Event)]
    assert [event.id[0] for event in events] == [event.template.lower() for event in events]


@pytest.mark.parametrize("remedy", REMEDIES.values(), ids=[name.replace(" ", "-") for name in REMEDIES])
def test_windows_without_beginning_stay_so(remedy: Callable[[Case], Case]) -> None:
    text = "level 2 template A { } rule R where a : A, no b : A when no b in a [-ever, -1 ms], no b in a [-ever, 2 ms]"
    (rule,) = parse(remedy(Case(parse_source(text), ())).text).rules
    assert rule.constraints
    assert all(constraint.lower is None for constraint in rule.constraints)
