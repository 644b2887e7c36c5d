"""What holds of all programs and streams that the strategies draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import HealthCheck, assume, find, given, settings
from hypothesis import strategies as st

import parte
from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.patterns import Effort, TooManyFindings
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.conformance.drawing import Shape, is_recursive
from parte.languages.etalis.conformance.strategies import cases, policies, programs, readings
from parte.languages.etalis.running import POLICY, machine_of
from parte.languages.etalis.semantics.machine import TooManyEvents
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.json_form import CODEC, program_to_json
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.languages.etalis.semantics.syntax.printer import print_program
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge

SOME = settings(max_examples=30)
Answer = list[IntervalEvent] | None


def answer_of(program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str]) -> Answer:
    """What the machine finds; None if there is no end."""
    try:
        return list(machine_of(program, options).run(instants))
    except (TooManyEvents, NumberTooLarge):
        return None


def meant(program: tree.Program, instants: Sequence[Instant], options: Mapping[str, str]) -> Answer:
    """What the definition says; what is too much for it is left out."""
    chosen = Readings(**{name: value for name, value in options.items() if name != POLICY})
    try:
        return evaluate(program, instants, chosen, options.get(POLICY, "unrestricted"), Effort(20_000))
    except (fixpoint.TooManyEvents, NumberTooLarge):
        return None
    except TooManyFindings:
        assume(False)
        raise


@given(programs())
@SOME
def test_programs_are_valid_and_are_printed_and_read_again(program: tree.Program) -> None:
    assert parse(print_program(program)) == program
    assert CODEC.decode(program_to_json(program)).rules == program.rules


@given(cases(), readings())
@SOME
def test_the_machine_finds_what_the_definition_says(
    case: tuple[tree.Program, tuple[Instant, ...]], options: dict[str, str]
) -> None:
    expected = meant(*case, options)
    assert answer_of(*case, options) == expected


@given(cases(Shape(recursion=False)), readings(), policies())
@SOME
def test_a_policy_is_its_equation(
    case: tuple[tree.Program, tuple[Instant, ...]], options: dict[str, str], policy: str
) -> None:
    with_policy = {**options, "negation": "pairs", POLICY: policy}
    assert not is_recursive(case[0])
    assert answer_of(*case, with_policy) == meant(*case, with_policy)


@given(cases(), policies(), st.integers(1, 4))
@SOME
def test_what_ends_at_an_instant_depends_on_the_stream_up_to_it(
    case: tuple[tree.Program, tuple[Instant, ...]], policy: str, length: int
) -> None:
    """E, footnote 7."""
    program, instants = case
    whole, part = (answer_of(program, some, {POLICY: policy}) for some in (instants, instants[:length]))
    if whole is not None and part is not None and instants:
        last = instants[:length][-1].time
        assert [event for event in whole if event.end <= last] == [event for event in part if event.end <= last]


@given(cases(Shape(negations=False)), policies())
@SOME
def test_where_nothing_is_absent_a_policy_finds_nothing_more(
    case: tuple[tree.Program, tuple[Instant, ...]], policy: str
) -> None:
    program, instants = case
    everything, some = answer_of(program, instants, {}), answer_of(program, instants, {POLICY: policy})
    if everything is not None:
        assert some is not None
        assert set(some) <= set(everything)


def test_programs_shrink() -> None:
    search = settings(
        max_examples=100, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    recursive = print_program(find(programs(Shape(depth=1)), is_recursive, settings=search))
    assert recursive in [f"{name} <- {name}.\n" for name in "efgh"]
    found_one = find(cases(), lambda case: bool(answer_of(case[0], case[1], {})), settings=search)
    smallest = {"e <- 0.\n": 0, "e <- a.\n": 1}  # a moment, or one event
    assert smallest[print_program(found_one[0])] == len(found_one[1])


def test_they_are_reached_through_the_module_of_the_language() -> None:
    assert parte.etalis.strategies.cases is cases
    with pytest.raises(AttributeError, match="no attribute 'strategy'"):
        parte.etalis.strategy  # noqa: B018
