"""The machine of ETALIS against the definition and against the equation of policies."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from parte.conformance.fuzz.draw import seeded
from parte.conformance.fuzz.structural import strategy
from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.patterns import Effort, TooManyFindings
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.conformance.generation import GENERATION, Case
from parte.languages.etalis.semantics.binarisation import _ROUNDS
from parte.languages.etalis.semantics.machine import Machine, TooManyEvents, UnsupportedPolicy
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, stream
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge

EFFORT = 30_000
"""Of the definition: what is endless, or nearly so, is left out."""

Answer = list[IntervalEvent] | str


def answers(case: Case) -> tuple[Answer, Answer] | None:
    """What the definition says and what the machine finds; None if it is too much for the definition."""
    readings = dict(case.options)
    policy = readings.pop("policy", "unrestricted")
    instants = stream(case.program, case.lines)
    expected: Answer
    actual: Answer
    try:
        expected = evaluate(case.program, instants, Readings(**readings), policy, Effort(EFFORT))
    except TooManyFindings:
        return None
    except (fixpoint.TooManyEvents, NumberTooLarge) as error:
        expected = type(error).__name__
    chosen = Readings(**readings)
    try:
        machine = Machine(case.program, POLICIES[policy], chosen.lasting, chosen.negation, chosen.during)
        actual = list(machine.run(instants))
    except (TooManyEvents, NumberTooLarge) as error:
        actual = type(error).__name__
    return expected, actual


@given(strategy(lambda draw: tuple(draw.choice(GENERATION.menus).drawn(draw))))
@settings(max_examples=80)
def test_the_machine_finds_what_the_definition_says(cases: tuple[Case, ...]) -> None:
    for case in cases:
        both = answers(case)
        assert both is None or both[0] == both[1], f"{case.text}{case.lines} {case.options}"


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(4))
def test_many_more_cases(seed: int) -> None:
    draw = seeded(seed)
    for _ in range(1_000):
        for case in draw.choice(GENERATION.menus).drawn(draw):
            both = answers(case)
            assert both is None or both[0] == both[1], f"{case.text}{case.lines} {case.options}"


def instants_of(count: int, *names: str) -> list[Instant]:
    return [Instant(time, frozenset({(names[time % len(names)], ())})) for time in range(count)]


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("e <- (a SEQ b).5.", "unrestricted"),
        ("e <- a SEQ b.", "recent"),
        ("e <- ((a SEQ b).3 SEQ c).9.", "unrestricted"),
        ("e <- NOT(c).[a, b].", "unrestricted"),
        ("e <- NOT(c).[a, b].", "chronological"),
        ("e <- (a AND b).4.", "unrestricted"),
        ("e <- a AND b.", "recent"),
        ("i <- (a SEQ b).3. e <- i PAR i.", "unrestricted"),
        ("e <- a EQUALS b. f <- a MEETS b. g <- a FINISHES b.", "unrestricted"),
        ("i <- (a SEQ b).3. j <- (b SEQ c).3. e <- i DURING j. f <- i STARTS j.", "unrestricted"),
        ("e <- (NOT(c).[a, b SEQ d]).9.", "unrestricted"),
        ("e <- a SEQ 6. f <- a AND (3 OR 8).", "unrestricted"),
        ("e <- NOT(c).[a, 3 PAR 8].", "chronological"),
    ],
)
def test_what_is_kept_does_not_grow_with_the_stream(text: str, policy: str) -> None:
    sizes = []
    for count in (300, 600):
        machine = Machine(parse(text), POLICIES[policy])
        for instant in instants_of(count, "a", "b", "c"):
            machine.instant(instant)
        sizes.append(machine.kept)
    assert max(sizes) <= 40


@pytest.mark.parametrize(
    ("text", "policy"), [("e <- a SEQ b.", "unrestricted"), ("e <- (a SEQ b).2.", "chronological")]
)
def test_where_there_is_no_bound_what_is_kept_grows(text: str, policy: str) -> None:
    """Defect 31: E claims constant memory."""
    machine = Machine(parse(text), POLICIES[policy])
    for instant in instants_of(400, "a", "a", "b"):
        machine.instant(instant)
    assert machine.kept > 100


def test_lengths_that_grow_with_every_round_are_unbounded() -> None:
    program = parse("i <- (a SEQ b).3. e <- i. e <- e MEETS i. g <- i DURING e.")
    instants = [Instant(3 * number, frozenset({("a", ()), ("b", ())})) for number in range(14)]
    results = list(Machine(program, POLICIES["unrestricted"]).run(instants))
    assert results == evaluate(program, instants)
    assert max(event.end - event.start for event in results if event.name == "g") > 3 * (2 + _ROUNDS)


def test_a_policy_has_no_pairs_to_select_where_negation_is_about_intervals() -> None:
    with pytest.raises(UnsupportedPolicy, match="intervals"):
        Machine(parse("e <- a."), POLICIES["recent"], negation="intervals")


def test_without_negation_a_policy_finds_nothing_more() -> None:
    for seed in range(200):
        for case in GENERATION.menus[2].drawn(seeded(seed)):
            instants = stream(case.program, case.lines)
            everything = set(Machine(case.program).run(instants))
            for policy in POLICIES.values():
                if "NOT" not in case.text:
                    assert set(Machine(case.program, policy).run(instants)) <= everything
