"""Comparing a model with the algebra: agreement, and the step that is named when they differ."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.algebra.partelang.evaluate import evaluate
from parte.algebra.partelang.programs import run
from parte.conformance.kit import KIT
from parte.conformance.partelang.comparison import Comparison, compare
from parte.conformance.partelang.contradiction import Kind, Review
from parte.conformance.partelang.engines.reading import read_program
from parte.conformance.partelang.strategies import ProgramShape, cases, programs, traces
from parte.conformance.partelang.truth import Truth
from parte.conformance.runner.judging import prepare
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.proofs.mutation import Mutant, applied
from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.events.match import Match
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.execution import network_of, run_network
from parte.semantics.partelang.machine import Step
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.repairs import PUBLISHED, RUDIMENTARY, SOUND, family_of, repair_names
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.rulebook.models import Model

TEMPLATES = "".join(f"template {name} {{ k : Integer }}\n" for name in "ABCD")

JOIN = "a : A, b : B when b in a [2 ms, 5 ms]"
NOT = "a : A, no n : B when no n in a [0 ms, 5 ms]"


def trace(text: str) -> list[TraceItem]:
    """`A@3` is an event of template A at 3, called `a1` when it stands first, and `a>3` a progress line."""
    items: list[TraceItem] = []
    for line, word in enumerate(text.split(), 1):
        if ">" in word:
            name, time = word.split(">")
            items.append(Progress("s", name.upper(), int(time)))
        else:
            name, time = word.split("@")
            items.append(Event(f"{name.lower()}{line}", name, int(time), {"k": 0}, "s"))
    return items


def compared(rule: str, text: str, model: Model, capacities: Capacities = UNBOUNDED, schedules: int = 4) -> Comparison:
    program = parse(f"{TEMPLATES}rule R where {rule}")
    return compare(Scenario.of(program, trace(text)), model=model, schedules=schedules, capacities=capacities)


def bindings(matches: tuple[Match, ...]) -> list[dict[str, str]]:
    return [dict(match.bindings) for match in matches]


# --- Agreement --------------------------------------------------------------------------------------------------------


def test_agreement_names_model_evaluator_matches_and_schedules() -> None:
    result = compared(JOIN, "A@0 B@1 B@4", SOUND)
    assert result.agrees
    assert result.matches == 1
    assert [(trial.schedule, trial.seed) for trial in result.trials] == [
        ("round-robin", None),
        ("random", 0),
        ("adversarial", 1),
        ("random", 2),
        ("adversarial", 3),
    ]
    assert result.render() == "sound agrees with the algebra (naive evaluator, 1 match) under 5 schedules"
    assert json.loads(result.to_json())["difference"] is None


def test_larger_traces_are_left_to_the_indexed_evaluator() -> None:
    result = compared(JOIN, " ".join(f"A@{time} B@{time}" for time in range(150)), SOUND, schedules=0)
    assert (result.agrees, result.evaluator, result.matches) == (True, "indexed", 148 + 147 + 146 + 145)


# --- The step that is named, defect by defect (specification: repairs) ------------------------------------------------


@pytest.mark.parametrize("model", [PUBLISHED, SOUND.without("expire-by-lifetime")], ids=["published", "one less"])
def test_a_left_partial_match_expires_too_early(model: Model) -> None:
    difference = compared(JOIN, "A@0 B@1 B@4", model).difference
    assert difference is not None
    assert bindings(difference.missing) == [{"a": "a1", "b": "b3"}]
    assert not difference.spurious
    first = difference.first
    assert first is not None
    assert (first.kind, first.rule, first.node, first.slot, first.token) == (
        Kind.LOSS,
        "PARTE/JOIN-RIGHT",
        "join:R.b",
        "right",
        "<b2; 1>",
    )
    assert "(a=a1) is removed from the history while (b=b3) has yet to arrive" in first.sentence


def test_a_promise_alone_expires_a_left_partial_match_too_early() -> None:
    difference = compared(JOIN, "b>0 A@0 b>1 B@4", SOUND.without("expire-by-lifetime")).difference
    assert difference is not None
    assert difference.first is not None
    assert difference.first.rule == "PARTE/JOIN-RIGHT-BOTTOM"


def test_a_left_token_expires_what_it_would_join() -> None:
    rule = "a : A, no b : A, c : A when no b in a [1 ms, 1 ms], c in a [0 ms, 0 ms]"
    difference = compared(rule, "A@0", SOUND.without("join-before-expiry")).difference
    assert difference is not None
    assert difference.first is not None
    assert (difference.first.kind, difference.first.rule) == (Kind.LOSS, "PARTE/JOIN-LEFT")
    assert "(c=a1) is removed before it is joined with (a=a1)" in difference.first.sentence


def test_one_window_for_all_events_is_a_surplus() -> None:
    rule = "a : A, b : B, c : C when b in a [0 ms, 10 ms], c in b [5 ms, 5 ms]"
    difference = compared(rule, "c>0 A@0 B@0 C@10", PUBLISHED).difference
    assert difference is not None
    assert bindings(difference.spurious) == [{"a": "a2", "b": "b3", "c": "c4"}]
    assert difference.first is not None
    assert (difference.first.kind, difference.first.rule) == (Kind.SURPLUS, "PARTE/JOIN-RIGHT")
    assert "c=c4 lies 10 ms after b=b3, outside [5, 5]" in difference.first.sentence


def test_an_event_out_of_window_defeats() -> None:
    difference = compared("a : A, no n : B when no n in a [2 ms, 5 ms]", "A@0 B@9", PUBLISHED).difference
    assert difference is not None
    assert difference.first is not None
    assert (difference.first.kind, difference.first.rule) == (Kind.LOSS, "PARTE/NOT-RIGHT")
    assert "b2 does not: n=b2 lies 9 ms after a=a1, outside [2, 5]" in difference.first.sentence


def test_a_false_bound_is_named_before_the_loss_that_it_causes() -> None:
    rule = "a : A, no b : B, c : A when no b in a [0 ms, 0 ms], c in a [0 ms, 0 ms]"
    difference = compared(rule, "A@0 A@0 b>0", SOUND.without("bound-per-token")).difference
    assert difference is not None
    lie, loss = difference.contradictions
    assert difference.first is lie
    assert (lie.kind, lie.rule, lie.node) == (Kind.FALSE_BOUND, "PARTE/NOT-RIGHT-BOTTOM", "not:R.b")
    assert "promises no later a before +∞, but the same step sends (a=a2) with a2 at 0" in lie.sentence
    assert (loss.kind, loss.rule, loss.node) == (Kind.LOSS, "PARTE/JOIN-LEFT", "join:R.c")
    assert lie.step < loss.step


def test_a_partial_match_that_is_never_released() -> None:
    difference = compared(NOT, "A@0", PUBLISHED).difference
    assert difference is not None
    assert not difference.contradictions
    (held,) = difference.held
    assert (held.node, held.payload) == ("not:R.n", "(a=a1)")
    assert "once the bound on n exceeds 5" in held.sentence
    assert "the last bound received there is +∞" in held.sentence
    assert "before it was stored" in held.sentence


def test_an_early_release_says_what_had_yet_to_arrive() -> None:
    difference = compared(NOT, "A@0 B@5", RUDIMENTARY).difference
    assert difference is not None
    assert difference.first is not None
    assert (difference.first.kind, difference.first.rule) == (Kind.SURPLUS, "PARTE/RUDIMENTARY-NOT-LEFT-NOMATCH")
    assert difference.first.sentence == "(a=a1) is produced, but b2 fills the negated pattern n: n=b2 has yet to arrive"


def test_what_is_found_twice_is_spurious_once() -> None:
    rule = "a : A, no n : B { k > a.k } when no n in a [0 ms, 5 ms]"
    difference = compared(rule, "A@0 B@3", RUDIMENTARY).difference
    assert difference is not None
    assert not difference.missing
    assert bindings(difference.spurious) == [{"a": "a1"}]
    assert difference.first is not None
    assert difference.first.rule == "PARTE/RUDIMENTARY-NOT-RIGHT-NOMATCH"
    assert difference.first.sentence == "(a=a1) is produced again, after step 3; the algebra has it once"


def test_a_forgotten_event_is_named_before_the_release_that_it_causes() -> None:
    rule = "a : A, no m : A, no n : B when no m in a [1 ms, 1 ms], no n in a [0 ms, 0 ms]"
    difference = compared(rule, "A@0 B@0", SOUND.without("join-before-expiry")).difference
    assert difference is not None
    oversight, surplus = difference.contradictions
    assert (oversight.kind, oversight.rule, oversight.node) == (Kind.OVERSIGHT, "PARTE/NOT-LEFT-NOMATCH", "not:R.n")
    assert oversight.sentence == "n=b2 is removed before it is compared with (a=a1), which it defeats"
    assert (surplus.kind, surplus.rule, surplus.node) == (Kind.SURPLUS, "PARTE/NOT-RIGHT-BOTTOM", "not:R.n")


def test_a_blocked_run_tells_the_nodes_and_what_they_wait_for() -> None:
    small = Capacities(NodeCapacities(left=1, right=1, inbox=1, outbox=1))
    result = compared("a : A, b : A when b in a [4 ms, 6 ms]", "A@0 A@1 A@2 A@6", SOUND, small)
    assert result.difference is not None
    assert result.difference.blocked is not None
    assert result.difference.explained
    assert "blocked: no step is possible and input is left" in result.render()
    assert json.loads(result.to_json())["difference"]["blocked"]


def test_the_report_reads_from_the_difference_to_its_cause() -> None:
    assert compared(JOIN, "A@0 B@1 B@4", PUBLISHED).render().splitlines() == [
        "published differs from the algebra (naive evaluator, 1 match), under the schedule round-robin",
        "missing (1):",
        '  {"rule":"R","bindings":{"a":"a1","b":"b3"},"emits":[]}',
        "first contradicted step:",
        "  step 8: PARTE/JOIN-RIGHT (D §5.4.6) at join:R.b, on the right token <b2; 1>",
        "    loss: (a=a1) is removed from the history while (b=b3) has yet to arrive, but the algebra has "
        "(a=a1, b=b3), and the match R(a=a1, b=b3) needs it",
    ]


# --- Properties -------------------------------------------------------------------------------------------------------


@st.composite
def dense_cases(draw: st.DrawFn) -> tuple[core.Program, tuple[TraceItem, ...]]:
    """Cases in which much happens: no conditions, and enough events close to each other."""
    program = draw(programs(ProgramShape(conditions=False, rules=2, least_distance=-3)))
    return program, draw(traces(program, events=9, latest=12).filter(lambda items: len(items) > 4))


seeds = st.integers(0, 1000)


@settings(max_examples=40)
@given(st.one_of(cases(), dense_cases()), seeds)
def test_sound_agrees(case: tuple[core.Program, tuple[TraceItem, ...]], seed: int) -> None:
    result = compare(Scenario.of(*case), schedules=2, seed=seed)
    assert result.agrees, result.render()


weakened = st.one_of(
    st.sampled_from((PUBLISHED, RUDIMENTARY)),
    st.sampled_from(repair_names()).map(SOUND.without),
    st.sets(st.sampled_from(repair_names())).map(lambda names: PUBLISHED.repaired(*names)),
)


@settings(max_examples=60)
@given(weakened, dense_cases(), seeds)
def test_every_difference_is_explained_by_a_rule_of_the_model(
    model: Model, case: tuple[core.Program, tuple[TraceItem, ...]], seed: int
) -> None:
    result = compare(Scenario.of(*case), model=model, schedules=2, seed=seed)
    json.loads(result.to_json())
    difference = result.difference
    if difference is None:
        return
    assert difference.explained, result.render()
    assert difference.note is None, result.render()
    rules = {info.id for info in RULEBOOK.values() if info.family is family_of(model)}
    assert {contradiction.rule for contradiction in difference.contradictions} <= rules
    assert [contradiction.step for contradiction in difference.contradictions] == sorted(
        contradiction.step for contradiction in difference.contradictions
    )
    if difference.spurious:
        assert any(contradiction.kind is Kind.SURPLUS for contradiction in difference.contradictions), result.render()


@settings(max_examples=30)
@given(dense_cases())
def test_verdicts_on_payloads_are_those_of_the_defining_evaluator(
    case: tuple[core.Program, tuple[TraceItem, ...]],
) -> None:
    scenario = Scenario.of(*case)
    matches = run(scenario.program, scenario.items).matches
    network = network_of(scenario)
    truth = Truth(scenario, network, matches)
    stream = [*scenario.events, *(event for match in matches for event in match.emits)]
    for node in network.nodes:
        if not isinstance(node, TwoInputNode) or len(node.left) > 1 or len(stream) > 30:
            continue
        known = truth.nodes[node.name]
        values = evaluate(known.pattern, stream, {})
        accepted = {tuple(dict(value)[variable].id for variable in known.variables) for value in values}
        for payload in itertools.product(stream, repeat=len(known.variables)):
            ids = tuple(event.id for event in payload)
            assert (truth.objection(node, payload) is None) == (ids in accepted)
        assert known.needed.keys() <= accepted


# --- Sets -------------------------------------------------------------------------------------------------------------

_MUTANTS = {mutant.name: mutant for mutant in PARTELANG[KIT].mutants()}
_CASES = load_suite(PARTELANG).cases


@pytest.mark.parametrize(
    ("name", "rule", "kind"),
    [
        ("sound/set-complete-one-early", "PARTE/SET-RIGHT-BOTTOM", Kind.LOSS),
        ("sound/set-decided-one-early", "PARTE/SET-LEFT-DECIDED", Kind.LOSS),
        ("sound/set-without-having", "PARTE/SET-LEFT-DECIDED", Kind.SURPLUS),
        ("sound/set-decided-again", "PARTE/SET-RIGHT", Kind.SURPLUS),
        ("sound/past-begins-late", "PARTE/SET-LEFT-DECIDED", Kind.LOSS),
    ],
)
def test_a_fault_of_a_set_node_is_explained_by_its_rule(name: str, rule: str, kind: Kind) -> None:
    mutant = _MUTANTS[name]
    (edit,) = mutant.edits
    case = _CASES[mutant.killer]
    scenario = read_program(prepare(case, PARTELANG).load).scenario(case.trace)
    with applied(Mutant(name, edit.place, edit.before, edit.after)):
        result = compare(scenario, schedules=0)
    assert result.difference is not None
    assert [(contradiction.rule, contradiction.kind) for contradiction in result.difference.contradictions] == [
        (rule, kind)
    ], result.render()


@settings(max_examples=60)
@given(cases(ProgramShape(level=2)))
def test_no_step_of_sound_is_contradicted_in_programs_with_sets(
    case: tuple[core.Program, tuple[TraceItem, ...]],
) -> None:
    scenario = Scenario.of(*case)
    network = network_of(scenario)
    matches = run(scenario.program, scenario.items).matches
    steps: list[Step] = []
    run_network(network, scenario.arrivals, SOUND, RoundRobin(), UNBOUNDED, steps.append)
    review = Review(Truth(scenario, network, matches), network)
    for step in steps:
        review.note(step)
        contradictions = [*review.losses(step), *review.surpluses(step)]
        assert contradictions == [], contradictions
