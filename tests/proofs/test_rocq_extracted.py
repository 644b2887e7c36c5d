"""What was extracted from the theorem runs, where it was built: as an engine on the suite, and step by step beside the
Python machine. Where it was not, `make test` says that the theorem was not rebuilt."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parte.algebra.partelang.programs import react
from parte.conformance.partelang.engines.rocq import adapter, replay, words
from parte.conformance.partelang.engines.rocq.manifest import DECLARED
from parte.conformance.partelang.engines.rocq.replay import REPLAY, Replay, ReplayEnded
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import run_engine
from parte.conformance.runner.specs import SpecError, spec_of
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.proofs.partelang.exploration.catalogue import CATALOGUE
from parte.semantics.events.match import Match
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import undeclared
from parte.semantics.partelang.text import parsed
from tests.campaigns.rocq_whole import STATES, Following, cases, follow_case
from tests.campaigns.running import Broken

extracted = pytest.mark.skipif(not REPLAY.is_file(), reason="the theorem was not built, which `make test` says")
ENGINES_OF_IT = ("rocq", "rocq-algebra")


def verdicts(engine: str, every: int = 1) -> Counter[CaseVerdict]:
    """How often each verdict was given, over one case in so many."""
    chosen = [prepare(case, PARTELANG) for case in list(load_suite(PARTELANG).cases.values())[::every]]
    return Counter(result.verdict for result in run_engine(spec_of(f"model:{engine}", ENGINES), chosen).results)


@extracted
@pytest.mark.parametrize("engine", ENGINES_OF_IT)
def test_the_extracted_engines_pass_a_sample_of_the_suite(engine: str) -> None:
    counts = verdicts(engine, every=11)
    assert set(counts) == {CaseVerdict.PASS, CaseVerdict.UNSUPPORTED}
    assert counts[CaseVerdict.PASS] > 60


@extracted
@pytest.mark.exhaustive
@pytest.mark.parametrize("engine", ENGINES_OF_IT)
def test_the_extracted_engines_pass_the_suite(engine: str) -> None:
    suite = load_suite(PARTELANG)
    # Nothing is rejected by the extracted programs, and they lack some of level 2.
    left_out = sum(
        case.expected.rejected is not None or any(undeclared(parsed(case.text), DECLARED))
        for case in suite.cases.values()
    )
    passed = len(suite.cases) - left_out
    assert verdicts(engine) == {CaseVerdict.PASS: passed, CaseVerdict.UNSUPPORTED: left_out}
    assert left_out < passed / 3


@extracted
@pytest.mark.parametrize("engine", ENGINES_OF_IT)
def test_a_window_that_is_told_wrong_is_noticed(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = words.Numbers._rule

    def narrowed(numbers: words.Numbers, cases: tuple[core.Rule, ...]) -> Iterator[object]:
        shorter = tuple(replace(constraint, upper=constraint.upper - 1) for constraint in cases[0].constraints)
        return whole(numbers, tuple(replace(case, constraints=shorter) for case in cases))

    monkeypatch.setattr(words.Numbers, "_rule", narrowed)
    assert verdicts(engine, every=11)[CaseVerdict.FAIL] > 10


@extracted
@pytest.mark.parametrize("engine", ENGINES_OF_IT)
def test_an_emission_at_another_time_than_it_says_ends_the_run(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = react

    def late(*arguments: Any) -> tuple[Match, object]:
        match, failed = whole(*arguments)
        return replace(
            match, emits=tuple(replace(event, timestamp=event.timestamp + 1) for event in match.emits)
        ), failed

    monkeypatch.setattr(adapter, "react", late)
    case = load_suite(PARTELANG).cases["emission/at-avg"]
    (result,) = run_engine(spec_of(f"model:{engine}", ENGINES), [prepare(case, PARTELANG)]).results
    assert result.verdict is CaseVerdict.ERROR
    assert "ended: an emission is not at its time" in result.message


def test_without_the_extracted_program_it_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(replay, "REPLAY", tmp_path / "replay")
    with pytest.raises(SpecError, match="`make rocq` extracts, and there is no") as error:
        spec_of("model:rocq", ENGINES)
    assert "make rocq-setup" in error.value.hint


@extracted
def test_the_extracted_program_ends_with_whoever_talks_to_it() -> None:
    done = subprocess.run([REPLAY], input="program 0 0 0 0 reported", text=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "\n")


EMPTY = "program 0 0 0 0"
ONE_RULE = "program 1 1 0 1 1 0 0 0 0 0 0 1 1 0 1 3 1010 7 0 1010 1100100 -1 1111101000 -1 0"
"""A rule with one pattern for a template, from one source: event 7 at 10, then promises of 100 and 1000."""


@extracted
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("programme", 'expected program, found "programme"'),
        ("program 1", "the input ends too early"),
        ("program -1", 'expected a number that is not negative, found "-1"'),
        ("program x", 'expected a whole number, found "x"'),
        ("program 0x0", 'expected a whole number, found "0x0"'),
        ("program 99999999999999999999", 'expected a whole number, found "99999999999999999999"'),
        (f"{EMPTY} repotred", 'expected a command, found "repotred"'),
        (f"{EMPTY} step leap 0", 'expected arrive, process or propagate, found "leap"'),
        (f"{EMPTY} step arrive 0", "index out of bounds"),
        (f"{EMPTY} from 3 4 arrive 0", "there is no configuration or source of that number"),
        (f"{EMPTY} meaning 1 0 0 1", 'expected a template below 0, found "0"'),
        (f"{ONE_RULE} meaning 1 0 0 1x1", 'expected a binary number, found "1x1"'),
        (f"{ONE_RULE} meaning 1 0 0 -", 'expected a binary number, found "-"'),
        (f"{ONE_RULE} meaning 1 7 0 1", "event 7 has two templates or timestamps"),
        (f"{ONE_RULE} meaning 2 0 0 1 0", "the input ends too early"),
        (ONE_RULE.replace("0 0 0 0 0 0 1 1 0", "0 2 0 0 0 0 1 1 0"), 'expected 0 or 1, found "2"'),
        (ONE_RULE.replace("0 0 0 0 0 0 1 1 0", "0 0 1 3 0 0 0 1 1"), 'expected 0, 1 or 2, found "3"'),
        (ONE_RULE.replace("0 0 0 0 0 0 1 1 0", "0 0 0 0 2 0 1 1 0"), 'expected 0 or 1, found "2"'),
        (ONE_RULE.replace("1 1 0 1 1", "1 1 5 1 1", 1), 'expected a template below 1, found "5"'),
        (ONE_RULE.replace("1 1 0 1 3", "1 1 4 1 3"), 'expected a source below 1, found "4"'),
    ],
)
def test_damaged_input_has_no_result(words: str, said: str) -> None:
    """A word was taken for another one, or a missing one for zero, and the result was that of other input."""
    done = subprocess.run([REPLAY], input=words, text=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, f"! {said}\n")


@extracted
@pytest.mark.parametrize("answer", ["", "2", "yes"])
def test_a_damaged_answer_is_none(answer: str) -> None:
    asking = ONE_RULE.replace("1 1 0 1 1 0 0 0 0 0", "1 1 0 1 1 0 1 0 0 0")
    done = subprocess.run([REPLAY], input=f"{asking} rest 1 {answer}", text=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout.splitlines()[0]) == (2, "? own 0 0 7")
    assert "reported" not in done.stdout
    assert done.stdout.splitlines()[1].startswith("! ")


@extracted
def test_what_is_wrong_with_a_word_reaches_who_asked() -> None:
    with closing(Replay()) as process:
        process.load(["1", "x"])
        with pytest.raises(ReplayEnded, match='the extracted program ended: expected a whole number, found "x"'):
            process.ask(lambda _: "1", "reported")


@extracted
def test_both_machines_take_the_same_steps_on_a_sample_of_the_suite() -> None:
    counts: Counter[str] = Counter()
    with closing(Replay()) as process:
        for case in cases(every=40):
            follow_case(case, process, counts)
    assert counts["cases"] > 15
    assert counts["steps"] > 1000


def follow(entries: slice, *rooms: Capacities) -> Counter[str]:
    counts: Counter[str] = Counter()
    with closing(Replay()) as process:
        for entry in CATALOGUE[entries]:
            for capacities in (entry.capacities, *rooms):
                Following(entry, capacities, process, counts).run(STATES)
    assert not counts["searches that were cut short"]
    return counts


@extracted
def test_both_machines_have_the_same_states_where_the_explorer_goes() -> None:
    assert follow(slice(0, None, 6))["final states"] == 3


@extracted
@pytest.mark.exhaustive
def test_both_machines_have_the_same_states_wherever_the_explorer_goes() -> None:
    assert follow(slice(None), UNBOUNDED)["final states"] == 2 * len(CATALOGUE)


@extracted
def test_another_state_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.campaigns.rocq.NEGATIVE_INFINITY", 0)
    with pytest.raises(Broken, match="a step differs"):
        follow(slice(0, 1))
