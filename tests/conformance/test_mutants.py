"""Every mutant is told from its model by the suite, errs in a rule that exists, and leaves no trace of itself."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from parte.conformance.fixtures import Fixture
from parte.conformance.kit import KIT
from parte.conformance.mutants import Edit, edited, read_mutants
from parte.conformance.mutants.files import KILLERS
from parte.conformance.mutants.killing import MutantResult, in_order, judge, kills, outcome_of, outcomes
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.mutants import FOLDER, mutants
from parte.conformance.partelang.mutants.models import MODULES, ParteMutant, Space
from parte.conformance.partelang.mutants.space import measured_sizes, no_sizes
from parte.conformance.protocol import Found, Load
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import judge_case, prepare
from parte.conformance.runner.sessions import LocalSession
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.proofs.mutation import NoSuchLine
from parte.proofs.partelang.defects import DEFECTS
from parte.semantics.events.records import BadRecord
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.rules.registry import OUR_RULES

MUTANTS = mutants()
BY_NAME = {mutant.name: mutant for mutant in MUTANTS}

PARTS = 8
"""The mutants are tried in so many parts, for several workers."""

CASES = tuple(load_suite(PARTELANG).cases.values())


@pytest.mark.parametrize("part", range(PARTS))
def test_the_suite_kills_every_mutant(part: int) -> None:
    mutant_results = [outcome_of(mutant, CASES, PARTELANG) for mutant in MUTANTS[part::PARTS]]
    assert [outcome.fault for outcome in mutant_results if outcome.fault] == []
    # A mutant errs; one that crashes was cut badly.
    errors = [
        outcome for outcome in mutant_results if outcome.judgement and outcome.judgement.verdict is not CaseVerdict.FAIL
    ]
    assert [outcome.mutant.name for outcome in errors if "error: blocked" not in str(outcome.judgement)] == []
    known = {outcome.mutant.name: outcome.mutant.killer for outcome in mutant_results}
    assert {outcome.mutant.name: outcome.killer for outcome in mutant_results} == known, (
        "run python -m parte.conformance.mutants"
    )


def test_mutants_are_many_and_named_once() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert len(names) == len(set(names)) >= 60
    assert {mutant.of for mutant in MUTANTS} == {"sound", "algebra"}
    assert json.loads((FOLDER / KILLERS).read_text(encoding="utf-8")).keys() <= set(names)
    # Each file is one of a topic.
    assert len(MUTANTS) == sum(path.read_text(encoding="utf-8").count("[[mutant]]") for path in FOLDER.glob("*.toml"))


def test_the_rules_of_a_mutant_are_rules_of_sound() -> None:
    known = {info.id for info in (*RULEBOOK.values(), *OUR_RULES.values()) if "sound" in info.models}
    assert {rule for mutant in MUTANTS for rule in mutant.rules} <= known
    # Every rule that can fire has a mutant that contradicts it.
    assert known - {rule for mutant in MUTANTS for rule in mutant.rules} == {"PARTE/ENTRY-NOMATCHTEMPLATE"}


@pytest.mark.parametrize("space", [no_sizes, measured_sizes], ids=["plain", "measured"])
def test_sound_itself_passes_in_the_room_of_the_mutants(space: Callable[..., object]) -> None:
    """What kills a mutant is its error, then, and not the room that it is given."""
    engine = ReferenceEngine(SOUND, sizes=space)  # type: ignore[arg-type] # either is of the right type
    some = [prepare(case, PARTELANG) for case in CASES if case.expected.rejected is None][::3]
    some += [prepare(case, PARTELANG) for case in CASES if case.id in {mutant.killer for mutant in MUTANTS}]
    bad = [
        case.fixture.id for case in some if judge_case(LocalSession(engine), case, 60).verdict is not CaseVerdict.PASS
    ]
    assert bad == []


# --- What is not killed, and what is ----------------------------------------------------------------------------------

EQUIVALENT = ParteMutant(
    "sound/nothing-changed",
    ("PARTE/PROC",),
    ("at-forms",),
    "no error at all",
    (Edit("parte.semantics.partelang.kernel:shifted", "+", "+ 0 +"),),
)


def some_cases(area: str) -> list[Fixture]:
    return [case for case in CASES if case.id.startswith(f"{area}/")]


def test_a_survivor_needs_a_reason() -> None:
    outcome = outcome_of(EQUIVALENT, some_cases("ties"), PARTELANG)
    assert outcome.fault == "sound/nothing-changed survives, and no reason is stated"
    assert outcome.tried == len(some_cases("ties"))
    assert not outcome_of(replace(EQUIVALENT, survives="it is no error"), some_cases("ties"), PARTELANG).fault


def test_a_reason_must_be_true() -> None:
    wrong = replace(BY_NAME["sound/expiry-one-early"], survives="nobody would notice")
    fault = outcome_of(wrong, CASES, PARTELANG).fault
    assert fault.startswith("sound/expiry-one-early is killed by ")
    assert fault.endswith("though it is to survive: nobody would notice")


def test_all_kills_are_counted_on_request() -> None:
    mutant, cases = BY_NAME["sound/window-closes-one-early"], some_cases("pitfalls")
    first, every = outcome_of(mutant, cases, PARTELANG), outcome_of(mutant, cases, PARTELANG, every=True)
    assert first.kills == (first.killer,) == every.kills[:1]
    assert "pitfalls/closed-upper-bound" in every.kills
    assert every.tried == len(cases) >= first.tried


def test_several_processes_find_the_same() -> None:
    some = MUTANTS[:3]

    def outcome_rows(jobs: int) -> list[tuple[str, str, int]]:
        mutant_results: list[MutantResult] = list(outcomes(some, PARTELANG[KIT].suite, PARTELANG, jobs=jobs))
        return [(outcome.mutant.name, outcome.killer, outcome.tried) for outcome in mutant_results]

    assert outcome_rows(2) == outcome_rows(1)


def test_the_known_killer_is_tried_first() -> None:
    mutant = BY_NAME["sound/expiry-one-early"]
    assert in_order(mutant, CASES, PARTELANG)[0].id == mutant.killer


# --- Mutants are made of something that is there ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            Edit("parte.semantics.partelang.kernel:is_stale", "ends > bound", ""),
            "does not hold 'ends > bound' exactly once",
        ),
        (Edit("parte.semantics.partelang.kernel:entry_bound", "bounds", ""), "does not hold 'bounds' exactly once"),
        (Edit("parte.semantics.partelang.kernel:nowhere", "a", "b"), "nothing is called nowhere"),
        (
            Edit("parte.checker.partelang.bounds.bounds:nowhere", "a", "b"),
            "parte.conformance.partelang.engines.reference imports no parte.checker.partelang.bounds.bounds",
        ),
    ],
)
def test_an_edit_that_does_not_fit_the_code_is_refused(edit: Edit, message: str) -> None:
    with pytest.raises(NoSuchLine, match=message):
        replace(EQUIVALENT, edits=(edit,)).engine()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "published/nothing-changed"}, "of sound or of algebra"),
        ({"name": "nothing-changed"}, "begins with its model"),
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


def test_mutants_of_defects_are_called_as_the_defects() -> None:
    of_defects = {mutant.without: mutant.description for mutant in MUTANTS if mutant.without}
    titles = {d.repair: f"defect {d.number}: {d.title[0].lower()}{d.title[1:]}" for d in DEFECTS}
    assert of_defects == {(d.repair, *d.less): titles[d.repair] for d in DEFECTS}


GOOD = """
[[mutant]]
name = "sound/one"
rules = ["PARTE/PROC"]
sections = ["propagated-bounds"]
description = "an error"
space = "plain"
schedule = "random"
seed = 3
[[mutant.edits]]
place = "parte.semantics.partelang.kernel:shifted"
before = '+'
after = '-'
"""


def written(folder: Path, text: str) -> tuple[ParteMutant, ...]:
    (folder / "topic.toml").write_text(text, encoding="utf-8")
    (folder / KILLERS).write_text('{"sound/one": "area/case"}', encoding="utf-8")
    return read_mutants(folder, ["topic"], ParteMutant)


def test_a_file_says_all_of_a_mutant(tmp_path: Path) -> None:
    edit = Edit("parte.semantics.partelang.kernel:shifted", "+", "-")
    said = ("sound/one", ("PARTE/PROC",), ("propagated-bounds",), "an error", (edit,))
    (mutant,) = written(tmp_path, GOOD)
    assert mutant == ParteMutant(*said, space=Space.PLAIN, schedule="random", seed=3)
    assert mutant.killer == "area/case"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('name = "sound/one"', "", 'topic.toml: mutant 1: $: the key "name" is missing'),
        ('name = "sound/one"', "name = 1", "topic.toml: 1: $.name: expected a string, found the integer 1"),
        (
            '["PARTE/PROC"]',
            '"PARTE/PROC"',
            'topic.toml: sound/one: $.rules: expected a list, found the string "PARTE/PROC"',
        ),
        ('["PARTE/PROC"]', "[1]", "topic.toml: sound/one: $.rules[0]: expected a string, found the integer 1"),
        ('["PARTE/PROC"]', "[]", "sound/one: a mutant has a name that begins with its model, rules and sections"),
        ('"plain"', '"plane"', 'sound/one: $.space: expected "measured" or "plain" or "unbounded", found the string'),
        ("seed = 3", "seed = '3'", 'sound/one: $.seed: expected an integer, found the string "3"'),
        ("before = '+'", "", 'topic.toml: sound/one: $.edits[0]: the key "before" is missing'),
        ("before = '+'", "befour = '+'", 'sound/one: $.edits[0]: the key "befour" is unknown'),
        ("[[mutant.edits]]", "[mutant.edits]", "sound/one: $.edits: expected a list, found an object"),
        ("[[mutant]]", "[mutant]", "topic.toml: expected tables [[mutant]]"),
        ("[[mutant]]", "[[mutant", "topic.toml: not TOML: Expected ']]'"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, before: str, after: str, message: str) -> None:
    with pytest.raises(BadRecord, match=re.escape(message)):
        written(tmp_path, GOOD.replace(before, after))


# --- A mutant leaves no trace -----------------------------------------------------------------------------------------

TIE = load_suite(PARTELANG).cases[BY_NAME["sound/expiry-one-early"].killer]


def matches(engine: object) -> list[object]:
    case = prepare(TIE, PARTELANG)
    assert isinstance(case.load, Load)
    engine.load(case.load)  # type: ignore[attr-defined] # an Engine, of these modules or of edited ones
    reply = engine.run(TIE.trace)  # type: ignore[attr-defined] # as above
    assert isinstance(reply, Found)
    return list(reply.matches)


def test_a_mutant_changes_no_module_that_is_loaded() -> None:
    before = matches(ReferenceEngine())
    rules = tuple(RULEBOOK.values())
    engines = [mutant.engine() for mutant in [mutant for mutant in MUTANTS if mutant.edits][::7]]
    for engine in engines:
        matches_of_mutant = prepare(TIE, PARTELANG)
        engine.load(matches_of_mutant.load)
        engine.run(TIE.trace)
    assert tuple(RULEBOOK.values()) == rules
    assert matches(ReferenceEngine()) == before == list(TIE.expected.matches)


def test_mutants_run_beside_each_other_and_beside_the_model() -> None:
    early, model = BY_NAME["sound/expiry-one-early"], ReferenceEngine()
    case = prepare(TIE, PARTELANG)
    first, second = early.engine(), BY_NAME["sound/window-closes-one-early"].engine()
    for engine in (first, model, second):
        engine.load(case.load)  # all loaded before any runs
    replies = [engine.run(TIE.trace) for engine in (first, model, second)]
    assert isinstance(replies[1], Found)
    assert list(replies[1].matches) == list(TIE.expected.matches)
    assert replies[0] != replies[1]


def test_threads_with_and_without_a_mutant() -> None:
    mutant, case, wrong = BY_NAME["sound/expiry-one-early"], prepare(TIE, PARTELANG), list[str]()

    def work(mutated: bool) -> None:
        for _ in range(20):
            differs = kills(mutant, case) if mutated else matches(ReferenceEngine()) != list(TIE.expected.matches)
            if differs is not mutated:
                wrong.append("a mutant" if mutated else "the model")

    threads = [threading.Thread(target=work, args=(mutated,)) for mutated in (True, False, True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_edited_modules_are_copies_of_what_depends_on_a_change_only() -> None:
    from parte.semantics.partelang import histories, kernel, tokens

    changed = edited(MODULES, (Edit("parte.semantics.partelang.kernel:is_stale", "<", "<="),))
    assert changed.module("parte.semantics.partelang.histories") is not histories
    assert changed.module("parte.semantics.partelang.tokens") is tokens
    assert changed.module("parte.semantics.partelang.histories").is_stale(1, 1)
    assert not kernel.is_stale(1, 1)


def test_a_machine_in_measured_room_blocks_where_it_needs_more() -> None:
    mutant = BY_NAME["sound/right-never-expires"]
    case = next(case for case in CASES if case.id == mutant.killer)
    assert judge(mutant, prepare(case, PARTELANG)).message.startswith("the engine reports an error: blocked")
    assert judge(replace(mutant, space=Space.UNBOUNDED), prepare(case, PARTELANG)).verdict is CaseVerdict.PASS
