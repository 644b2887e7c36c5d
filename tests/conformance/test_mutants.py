"""Every mutant is told from its model by the suite, errs in a rule that exists, and leaves no trace of itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.engines.reference import ReferenceEngine
from conformance.fixtures import SUITE, Fixture, load_fixture, load_suite
from conformance.mutants import ALGEBRA, MUTANTS, SOUND, Edit, Mutant, Space, judge, kills, mutant_named, outcomes
from conformance.mutants.killing import Outcome, in_order, known_killers, outcome_of
from conformance.mutants.mutant import sound
from conformance.mutants.space import measured_sizes, no_sizes
from conformance.mutants.worlds import world
from conformance.protocol import Found, Load
from conformance.results import Verdict
from conformance.runner.judging import judge_case, prepare
from conformance.runner.sessions import LocalSession
from proofs.mutation import NoSuchLine
from semantics.repairs import SOUND as SOUND_MODEL
from semantics.rules.registry import all_rules

PARTS = 8
"""The mutants are tried in so many parts, for several workers."""

CASES = tuple(load_suite().cases.values())


@pytest.mark.parametrize("part", range(PARTS))
def test_the_suite_kills_every_mutant(part: int) -> None:
    found = [outcome_of(mutant, CASES) for mutant in MUTANTS[part::PARTS]]
    assert [outcome.fault for outcome in found if outcome.fault] == []
    # A mutant errs; one that crashes was cut badly.
    errors = [outcome for outcome in found if outcome.judgement and outcome.judgement.verdict is not Verdict.FAIL]
    assert [outcome.mutant.name for outcome in errors if "error: blocked" not in str(outcome.judgement)] == []
    known = {outcome.mutant.name: known_killers().get(outcome.mutant.name, "") for outcome in found}
    assert {outcome.mutant.name: outcome.killer for outcome in found} == known, "run python -m conformance.mutants"


def test_mutants_are_many_and_named_once() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) == len(set(names)) >= 60
    assert {mutant.of for mutant in MUTANTS} == {SOUND, ALGEBRA}
    assert known_killers().keys() <= set(names)
    assert mutant_named(names[-1]) is MUTANTS[-1]
    with pytest.raises(KeyError):
        mutant_named("sound/with-no-error")


def test_the_rules_of_a_mutant_are_rules_of_sound() -> None:
    known = {info.id for info in all_rules() if "sound" in info.models}
    assert {rule for mutant in MUTANTS for rule in mutant.rules} <= known
    # Every rule that can fire has a mutant that contradicts it.
    assert known - {rule for mutant in MUTANTS for rule in mutant.rules} == {"ENTRY-NOMATCHTEMPLATE"}


@pytest.mark.parametrize("space", [no_sizes, measured_sizes], ids=["plain", "measured"])
def test_sound_itself_passes_in_the_room_of_the_mutants(space: Callable[..., object]) -> None:
    """What kills a mutant is its error, then, and not the room that it is given."""
    engine = ReferenceEngine(SOUND_MODEL, sizes=space)  # type: ignore[arg-type] # either is of the right type
    some = [prepare(case) for case in CASES if case.expected.rejected is None][::3]
    some += [prepare(case) for case in CASES if case.id in set(known_killers().values())]
    bad = [case.fixture.id for case in some if judge_case(LocalSession(engine), case, 60).verdict is not Verdict.PASS]
    assert bad == []


# --- What is not killed, and what is ----------------------------------------------------------------------------------

EQUIVALENT = sound(
    "nothing-changed", ("PROC",), ("SPEC 5",), "no error at all", Edit("semantics.kernel:shifted", "+", "+ 0 +")
)


def some_cases(area: str) -> list[Fixture]:
    return [case for case in CASES if case.id.startswith(f"{area}/")]


def test_a_survivor_needs_a_reason() -> None:
    outcome = outcome_of(EQUIVALENT, some_cases("ties"))
    assert outcome.fault == "sound/nothing-changed survives, and no reason is stated"
    assert outcome.tried == len(some_cases("ties"))
    assert not outcome_of(replace(EQUIVALENT, survives="it is no error"), some_cases("ties")).fault


def test_a_reason_must_be_true() -> None:
    wrong = replace(mutant_named("sound/expiry-one-early"), survives="nobody would notice")
    fault = outcome_of(wrong, CASES).fault
    assert fault.startswith("sound/expiry-one-early is killed by ")
    assert fault.endswith("though it is to survive: nobody would notice")


def test_all_kills_are_counted_on_request() -> None:
    mutant, cases = mutant_named("sound/window-closes-one-early"), some_cases("pitfalls")
    first, every = outcome_of(mutant, cases), outcome_of(mutant, cases, every=True)
    assert first.kills == (first.killer,) == every.kills[:1]
    assert "pitfalls/closed-upper-bound" in every.kills
    assert every.tried == len(cases) >= first.tried


def test_several_processes_find_the_same() -> None:
    mutants = MUTANTS[:3]

    def told(jobs: int) -> list[tuple[str, str, int]]:
        found: list[Outcome] = list(outcomes(mutants, SUITE, jobs=jobs))
        return [(outcome.mutant.name, outcome.killer, outcome.tried) for outcome in found]

    assert told(2) == told(1)


def test_the_known_killer_is_tried_first() -> None:
    mutant = mutant_named("sound/expiry-one-early")
    assert in_order(mutant, CASES)[0].id == known_killers()[mutant.name]


# --- Mutants are made of something that is there ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Edit("semantics.kernel:is_stale", "ends > bound", ""), "does not hold 'ends > bound' exactly once"),
        (Edit("semantics.kernel:entry_bound", "bounds", ""), "does not hold 'bounds' exactly once"),
        (Edit("semantics.kernel:nowhere", "a", "b"), "nothing is called nowhere"),
        (Edit("checker.bounds:nowhere", "a", "b"), "no engine imports checker.bounds"),
    ],
)
def test_an_edit_that_does_not_fit_the_code_is_refused(edit: Edit, message: str) -> None:
    with pytest.raises(NoSuchLine, match=message):
        replace(EQUIVALENT, edits=(edit,)).engine()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"of": "published"}, "of sound or of algebra"),
        ({"name": "algebra/nothing-changed"}, "begins with sound/"),
        ({"rules": ()}, "rules and sections"),
        ({"sections": ()}, "rules and sections"),
        ({"description": ""}, "rules and sections"),
        ({"edits": ()}, "either edits or repairs"),
        ({"without": ("bound-per-token",)}, "either edits or repairs"),
        ({"edits": (), "without": ("bound-per-tokn",)}, "no such repairs: bound-per-tokn"),
    ],
)
def test_metadata_is_never_missing(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(EQUIVALENT, **changes)  # type: ignore[arg-type] # wrong values on purpose


# --- A mutant leaves no trace -----------------------------------------------------------------------------------------

TIE = load_fixture(Path(SUITE) / f"{known_killers()['sound/expiry-one-early']}.json")


def matches(engine: object) -> list[object]:
    case = prepare(TIE)
    assert isinstance(case.load, Load)
    engine.load(case.load)  # type: ignore[attr-defined] # an Engine, of this world or another
    reply = engine.run(TIE.trace)  # type: ignore[attr-defined] # as above
    assert isinstance(reply, Found)
    return list(reply.matches)


def test_a_mutant_changes_no_module_that_is_loaded() -> None:
    before = matches(ReferenceEngine())
    rules = all_rules()
    mutants = [mutant for mutant in MUTANTS if mutant.edits][::7]
    engines = [mutant.engine() for mutant in mutants]
    for engine in engines:
        matches_of_mutant = prepare(TIE)
        engine.load(matches_of_mutant.load)
        engine.run(TIE.trace)
    assert all_rules() == rules
    assert matches(ReferenceEngine()) == before == list(TIE.expected.matches)


def test_mutants_run_beside_each_other_and_beside_the_model() -> None:
    early, model = mutant_named("sound/expiry-one-early"), ReferenceEngine()
    case = prepare(TIE)
    first, second = early.engine(), mutant_named("sound/window-closes-one-early").engine()
    for engine in (first, model, second):
        engine.load(case.load)  # all loaded before any runs
    replies = [engine.run(TIE.trace) for engine in (first, model, second)]
    assert isinstance(replies[1], Found)
    assert list(replies[1].matches) == list(TIE.expected.matches)
    assert replies[0] != replies[1]


def test_threads_with_and_without_a_mutant() -> None:
    mutant, case, wrong = mutant_named("sound/expiry-one-early"), prepare(TIE), list[str]()

    def work(mutated: bool) -> None:
        for _ in range(20):
            told = kills(mutant, case) if mutated else matches(ReferenceEngine()) != list(TIE.expected.matches)
            if told is not mutated:
                wrong.append("a mutant" if mutated else "the model")

    threads = [threading.Thread(target=work, args=(mutated,)) for mutated in (True, False, True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_world_has_copies_of_what_depends_on_a_change_only() -> None:
    from semantics import histories, kernel, tokens

    changed = world((Edit("semantics.kernel:is_stale", "<", "<="),))
    assert changed.module("semantics.histories") is not histories
    assert changed.module("semantics.tokens") is tokens
    assert changed.module("semantics.histories").is_stale(1, 1)
    assert not kernel.is_stale(1, 1)


def test_a_machine_in_measured_room_blocks_where_it_needs_more() -> None:
    mutant: Mutant = mutant_named("sound/right-never-expires")
    case = next(case for case in CASES if case.id == known_killers()[mutant.name])
    assert judge(mutant, prepare(case)).message.startswith("the engine reports an error: blocked")
    assert judge(replace(mutant, space=Space.UNBOUNDED), prepare(case)).verdict is Verdict.PASS
