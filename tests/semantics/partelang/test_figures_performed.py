"""Every step of the machine, done again from the figure of its rule, gives the machine's tokens and data."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Iterator
from functools import cache
from itertools import islice
from types import FunctionType

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from parte.conformance.partelang.measure import read_input
from parte.conformance.partelang.strategies import cases, schedules
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.proofs.mutation import Mutant
from parte.semantics.events.event import TraceItem
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import network_of
from parte.semantics.partelang.histories import History
from parte.semantics.partelang.network import Node
from parte.semantics.partelang.recording import RecordingMachine, Taken
from parte.semantics.partelang.repairs import PUBLISHED, RUDIMENTARY, SOUND, family_of, repair_names
from parte.semantics.partelang.rules.figures import stated
from parte.semantics.partelang.rules.performed import Figures, figures_of
from parte.semantics.partelang.rules.registry import RULEBOOK, Data, Effect, LocalRule, Site, TwoInputData
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.performance import Performer, Unperformable
from parte.semantics.rulebook.reading import source

Case = tuple[core.Program, tuple[TraceItem, ...]]
Asked = tuple[Site[Node], Taken, tuple[LocalRule, ...]]
"""Where a step was taken, the step, and the rules that were asked, the last of which fired."""


def steps_of(scenario: Scenario[core.Program], model: Model, schedule: Schedule) -> list[Asked]:
    """The steps of PROC of a run."""
    recorded: list[Taken] = []
    machine = RecordingMachine(network_of(scenario, model), model, recorded.append)
    schedule.drive(machine, scenario.arrivals)
    steps: list[Asked] = []
    for taken in recorded:
        assert taken.passing is None or taken.passing.holds
        if taken.fired is not None:
            state = machine.nodes[taken.action.place]
            rules = state.table[taken.action.slot, taken.token.payload is not None]
            last = [info.id for info in rules].index(taken.fired.rule)
            steps.append((state.site, taken, rules[: last + 1]))
    return steps


def departure(figures: Figures, step: Asked) -> str | None:
    """How the figures depart from what the machine did; None if they say the same."""
    site, taken, rules = step
    assert taken.fired is not None
    for info in rules:
        performed = figures.perform(info, site, taken.before, taken.token)
        if performed.holds is not (info is rules[-1]):
            return f"{info.id} {'applies' if performed.holds else 'does not apply'}"
    effect = performed.result
    if not isinstance(effect, Effect):
        return f"{rules[-1].id} gives {effect}"
    if effect.tokens != taken.fired.produced:
        return f"{rules[-1].id} gives {effect.tokens}"
    if plain(effect.data) != plain(taken.after):
        return f"{rules[-1].id} gives {effect.data}"
    return None


def plain(data: Data) -> object:
    """Data with all that entries of histories hold, of which equality compares the events only."""
    if not isinstance(data, TwoInputData):
        return data
    return data.left_bounds, data.right_bound, entries(data.left), entries(data.right)


def entries(history: History) -> list[object]:
    # A key without value is an object of its own each time, which equals no other.
    return [
        (entry.events, entry.opens, entry.closes, None if type(entry.key) is object else entry.key) for entry in history
    ]


MODELS = st.one_of(
    st.sampled_from((SOUND, PUBLISHED, RUDIMENTARY)),
    st.sets(st.sampled_from(repair_names())).map(lambda off: SOUND.without(*off)),
)


@settings(max_examples=40)
@given(cases(), schedules(), MODELS)
def test_figures_give_what_the_machine_gives(case: Case, schedule: Schedule, model: Model) -> None:
    program, items = case
    steps = steps_of(Scenario.of(program, items), model, schedule)
    for step in steps:
        event(step[-1][-1].id)
        assert departure(figures_of(model), step) is None


@cache
def suite() -> list[Scenario[core.Program]]:
    """The cases that run."""
    return [read_input(case) for case in load_suite(PARTELANG).cases.values() if case.expected.rejected is None]


def steps_of_suite(model: Model, every: int = 1) -> Iterator[Asked]:
    """The steps on the cases, or on every so manyth."""
    for scenario in suite()[::every]:
        yield from steps_of(scenario, model, RoundRobin())


def test_there_are_figures_without_one_repair() -> None:
    for model in map(SOUND.without, repair_names()):
        for info in RULEBOOK.values():
            if isinstance(info, LocalRule) and info.family is family_of(model):
                assert stated(info, model).results


@pytest.mark.exhaustive
@pytest.mark.parametrize("off", repair_names())
def test_figures_give_what_the_machine_gives_without_one_repair(off: str) -> None:
    model = SOUND.without(off)
    steps = [departure(figures_of(model), step) for step in steps_of_suite(model, every=150)]
    assert steps == [None] * len(steps) != []


@pytest.mark.exhaustive
def test_figures_give_what_the_machine_gives_on_a_third_of_the_suite() -> None:
    steps = 0
    for step in steps_of_suite(SOUND, every=3):
        assert departure(figures_of(SOUND), step) is None
        steps += 1
    assert steps > 10_000


# --- That a figure that says something else is noticed ----------------------------------------------------------------


@cache
def steps_at_hand() -> list[Asked]:
    return list(islice(steps_of_suite(SOUND, every=14), 600))


_RULES = "parte.semantics.partelang.rules"
FAULTS = {
    "a premise": Mutant(
        "", f"{_RULES}.alpha:alpha_match", "if not node.condition(events):", "if node.condition(events):"
    ),
    "a definition": Mutant("", f"{_RULES}.join:join_left", "if live else data.left", "if True else data.left"),
    "the data of a conclusion": Mutant(
        "",
        f"{_RULES}.join:join_right",
        "TwoInputData(data.left_bounds, bound",
        "TwoInputData(data.left_bounds, data.left_bounds[0]",
    ),
    "the tokens of a conclusion": Mutant(
        "",
        f"{_RULES}.alpha:alpha_nomatchconstraint",
        "BetaToken((token.bound,), None)",
        "BetaToken((token.bound + 1,), None)",
    ),
    "a definition of two": Mutant(
        "",
        f"{_RULES}.negation:not_right_bottom",
        "expire_negated(site.repairs, data.left, bound)",
        "(data.left, [])",
    ),
    "an auxiliary function with cases": Mutant(
        "", f"{_RULES}.premises:as_tokens", "site.repairs.report_silence and", "False and"
    ),
    "what two functions down is asked of a history": Mutant(
        "",
        f"{_RULES}.premises:left_bounds_after",
        "tuple(map(kernel.propagated_bound, bounds, map(data.left.earliest, range(len(bounds)))))",
        "bounds",
    ),
    "the kernel": Mutant(
        "", "parte.semantics.partelang.kernel:is_stale", "return ends < bound", "return ends <= bound"
    ),
}
"""Faults, by the part of a figure in which they are."""


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_figure_with_a_fault_departs_from_the_machine(fault: Mutant) -> None:
    original = fault.original()

    def source_of(function: FunctionType) -> str:
        return fault.source() if function is original else source(function)

    figures = Figures(SOUND, source_of)
    assert any(departure(figures, step) is not None for step in steps_at_hand())


@pytest.mark.parametrize(
    ("expression", "message"),
    [("1 if 1 < 2 < 3 else 2", "`1 < 2 < 3` is of no form"), ("[1][::-1]", "::-1"), ("__import__('os')", "nothing is")],
)
def test_a_form_or_a_name_that_no_figure_has_is_not_performed(expression: str, message: str) -> None:
    with pytest.raises(Unperformable, match=message):
        Performer({}).value(ast.parse(expression, mode="eval").body, ChainMap())
