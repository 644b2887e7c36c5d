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

from parte.algebra.parte.programs import react
from parte.conformance.parte.engines.rocq import adapter, replay, words
from parte.conformance.parte.engines.rocq.replay import REPLAY, Replay
from parte.conformance.parte.engines.table import ENGINES
from parte.conformance.parte.language import PARTELANG
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import run_engine
from parte.conformance.runner.specs import SpecError, spec_of
from parte.conformance.suites import load_suite
from parte.proofs.parte.exploration.catalogue import CATALOGUE
from parte.semantics.events.match import Match
from parte.semantics.parte.capacities import UNBOUNDED, Capacities
from parte.semantics.parte.syntax import core
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
    found = verdicts(engine, every=11)
    assert set(found) == {CaseVerdict.PASS, CaseVerdict.UNSUPPORTED}
    assert found[CaseVerdict.PASS] > 60


@extracted
@pytest.mark.exhaustive
@pytest.mark.parametrize("engine", ENGINES_OF_IT)
def test_the_extracted_engines_pass_the_suite(engine: str) -> None:
    suite = load_suite(PARTELANG)
    rejections = sum(case.expected.rejected is not None for case in suite.cases.values())
    passed = len(suite.cases) - rejections
    assert verdicts(engine) == {CaseVerdict.PASS: passed, CaseVerdict.UNSUPPORTED: rejections}


@extracted
@pytest.mark.parametrize("engine", ENGINES_OF_IT)
def test_a_window_that_is_told_wrong_is_noticed(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = words.Numbers._rule

    def narrowed(numbers: words.Numbers, rule: core.Rule) -> Iterator[object]:
        shorter = tuple(replace(each, upper=each.upper - 1) for each in rule.constraints)
        return whole(numbers, replace(rule, constraints=shorter))

    monkeypatch.setattr(words.Numbers, "_rule", narrowed)
    assert verdicts(engine, every=11)[CaseVerdict.FAIL] > 10


@extracted
@pytest.mark.parametrize("engine", ENGINES_OF_IT)
def test_an_emission_at_another_time_than_it_says_ends_the_run(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = react

    def late(*given: Any) -> tuple[Match, object]:
        match, failed = whole(*given)
        return replace(match, emits=tuple(replace(each, timestamp=each.timestamp + 1) for each in match.emits)), failed

    monkeypatch.setattr(adapter, "react", late)
    case = load_suite(PARTELANG).cases["emission/at-avg"]
    (result,) = run_engine(spec_of(f"model:{engine}", ENGINES), [prepare(case, PARTELANG)]).results
    assert result.verdict is CaseVerdict.ERROR
    assert "ended at" in result.message


def test_without_the_extracted_program_it_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(replay, "REPLAY", tmp_path / "replay")
    with pytest.raises(SpecError, match="`make rocq` extracts, and there is no") as told:
        spec_of("model:rocq", ENGINES)
    assert "make rocq-setup" in told.value.hint


@extracted
def test_the_extracted_program_ends_with_whoever_talks_to_it() -> None:
    done = subprocess.run([REPLAY], input="program 0 0 0 0 reported", text=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "\n")


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
