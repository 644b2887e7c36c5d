"""The fuzzer: it finds known errors, makes them small, names them, and finds nothing where nothing is."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from parte.conformance.fuzz.campaign import Campaign, Limits, fuzz, same
from parte.conformance.fuzz.cases import Generation
from parte.conformance.fuzz.findings import Finding, written
from parte.conformance.fuzz.generation import Generator, prepared
from parte.conformance.fuzz.subject import EngineUnusable
from parte.conformance.kit import KIT
from parte.conformance.lint import lint_suite
from parte.conformance.mutants import Mutant
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.partelang.fuzz.cases import Case
from parte.conformance.partelang.fuzz.generation import GENERATION
from parte.conformance.partelang.fuzz.remedies import REMEDIES
from parte.conformance.partelang.mutants import mutants as every_mutant
from parte.conformance.protocol import Engine, Reply
from parte.conformance.runner.judging import judge_case, prepare
from parte.conformance.runner.running import Settings
from parte.conformance.runner.sessions import EngineSpec, LocalSession
from parte.conformance.runner.specs import spec_of
from parte.languages.language import Language, loaded
from parte.languages.partelang import PARTELANG
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.repairs import PUBLISHED, SOUND
from parte.semantics.partelang.syntax import parse
from tests.conformance.wrong_engines import (
    Altered,
    Forgetful,
    Json,
    Limited,
    model,
    spec,
    twice_the_first,
    unaltered,
    without_emissions,
    without_the_second,
)

HOSTILE = Path(__file__).parents[1] / "hostile.py"
PATIENT = Settings(timeout=60.0)

NAMES = (
    "sound/without-expire-by-lifetime",
    "sound/without-negate-in-window",
    "sound/without-store-only-live",
    "sound/window-opens-one-late",
    "sound/window-closes-one-early",
    "sound/window-reversed",
    "sound/negation-window-one-narrow",
    "algebra/window-closes-one-early",
)
MUTANTS = {mutant.name: mutant for mutant in every_mutant()}
SOME = tuple(MUTANTS[name] for name in NAMES)
"""Few mutants, for loading them all takes a while."""


LEVEL_1 = replace(GENERATION, menus=tuple(menu for menu in GENERATION.menus if "level 2" not in menu.name))
LEVEL_2 = replace(GENERATION, menus=tuple(menu for menu in GENERATION.menus if "level 2" in menu.name))


def drawing(generation: Generation[Case]) -> Language:
    """PARTElang with other drawn cases."""

    def generated() -> Any:
        return generation

    return PARTELANG.having(KIT, replace(PARTELANG[KIT], generation=generated))


def campaign(
    engine: EngineSpec,
    cases: int,
    *,
    finding_count: int = 1,
    seed: int = 1,
    mutants: tuple[Mutant, ...] = SOME,
    generation: Generation[Case] = LEVEL_1,
) -> Campaign:
    limits = Limits(600.0, cases, finding_count)
    return fuzz(engine, PATIENT, limits, drawing(generation), seed=seed, mutants=mutants)


def case_of(finding: Finding) -> Case:
    return Case(parse(finding.fixture.text).source, tuple(read_trace(finding.fixture.trace_text.splitlines())))


# --- Known errors -----------------------------------------------------------------------------------------------------

KNOWN = [
    # the mutant, other mutants that it may not be told from, the patterns and the trace lines of the smallest case
    ("sound/without-expire-by-lifetime", (), 2, 3),
    ("sound/without-negate-in-window", (), 2, 2),
    ("sound/without-store-only-live", (), 2, 1),
    ("sound/window-opens-one-late", (), 2, 1),
    ("sound/window-closes-one-early", ("algebra/window-closes-one-early",), 2, 1),
    ("sound/window-reversed", (), 2, 2),
    ("sound/negation-window-one-narrow", (), 2, 1),
    ("algebra/window-closes-one-early", ("sound/window-closes-one-early",), 2, 1),
]


@pytest.mark.parametrize(("name", "others", "patterns", "lines"), KNOWN, ids=[name for name, *_ in KNOWN])
def test_a_known_error_is_found_made_small_and_named(
    name: str, others: tuple[str, ...], patterns: int, lines: int, tmp_path: Path
) -> None:
    (finding,) = campaign(spec(name, MUTANTS[name].engine), 2_000, seed=3).findings
    size = case_of(finding).size
    assert size[0] <= patterns, finding.case
    assert size[1] + size[2] <= lines, finding.case
    assert len(case_of(finding).rules) == 1
    exact = {likeness.mutant.name for likeness in finding.likenesses if likeness.exact}
    assert name in exact
    assert exact <= {name, *others}
    assert finding.named is not None
    assert finding.rule in finding.named.mutant.rules
    assert finding.rule in finding.fixture.rules  # it fires in the case itself
    written(finding, tmp_path, PARTELANG)
    assert list(lint_suite(PARTELANG, tmp_path, whole=False)) == []
    # The fixture tells the mutant from the reference.
    case = prepare(finding.fixture, PARTELANG)
    assert judge_case(LocalSession(MUTANTS[name].engine()), case, 60.0).verdict.bad
    assert not judge_case(LocalSession(ReferenceEngine(SOUND)), case, 60.0).verdict.bad


OF_LEVEL_2 = ("sound/set-first-of-a-tie", "algebra/set-exists-always")


@pytest.mark.parametrize("name", OF_LEVEL_2)
def test_a_known_error_of_level_2_is_found_made_small_and_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parte.conformance.fuzz.examination.MOST_SECONDS", 600.0)  # a busy machine reaches as far
    mutant = MUTANTS[name]
    result = campaign(spec(name, mutant.engine), 2_000, seed=3, mutants=(*SOME, mutant), generation=LEVEL_2)
    (finding,) = result.findings
    assert finding.named is not None
    assert finding.named.mutant.name == name
    assert finding.fixture.profile == "level-2"
    assert case_of(finding).size <= (2, 2, 0), finding.case
    assert "rule R where\n    a : A,\n    all b : " in finding.fixture.text


def test_the_paper_to_the_letter_is_recognised() -> None:
    result = campaign(model(PUBLISHED), 300, finding_count=3)
    assert [finding.named.mutant.name for finding in result.findings if finding.named] == ["sound/as-published"]
    # It explains no case by itself, for it errs in many ways: cases are examined, and come to the same.
    assert len(result.findings) == 1
    assert result.divergent == 1 + result.explained + result.alike > 1


def test_two_errors_of_one_engine_are_two_findings() -> None:
    engine = ReferenceEngine(SOUND.without("negate-in-window", "store-only-live"))
    # With seed 1 the first finding is like `sound/as-published`, which must not explain all others away.
    result = campaign(spec("both", lambda: ReferenceEngine(engine.model)), 1_000, finding_count=2)
    assert len(result.findings) == 2
    assert result.ended == "2 findings"
    first, second = result.findings
    assert first.fixture.id != second.fixture.id
    # A case is one finding, whatever led to it; but what happens only after other cases is another matter.
    assert same(first, replace(first, likenesses=(), step=None))
    assert not same(first, second)
    assert not same(first, replace(first, likenesses=(), unstable="it depends on what came before"))


def test_causes_with_the_same_symptoms_are_told_apart_by_what_helps() -> None:
    """An engine with three faults of negation, two of which find too much: each is found, and made small."""
    result = campaign(spec("forgetful", Forgetful), 500, finding_count=3, seed=11, mutants=())
    ends, times, both, one_window = (name for name in REMEDIES if name != "all comes in order from one source")
    assert [(finding.remedies, len(finding.judgement.missing)) for finding in result.findings] == [
        (frozenset({ends, times}), 0),
        (frozenset({both}), 0),
        (frozenset({one_window, both}), 1),
    ]
    tie, expired, two_windows = (case_of(finding) for finding in result.findings)
    assert (two_windows.size, tie.size, expired.size) == ((2, 1, 0), (2, 2, 0), (2, 2, 0))
    assert f"the engine is right as soon as {both}" in list(result.findings[1].lines())
    assert result.divergent == 3 + result.explained + result.alike
    # Without the check the third hides behind the second.
    blind = replace(LEVEL_1, remedies={})
    hidden = campaign(
        spec("forgetful", Forgetful), result.cases, finding_count=3, seed=11, mutants=(), generation=blind
    )
    assert len(hidden.findings) == 2


def test_remedies_take_one_thing_away() -> None:
    """Distances keep their places in windows; what is negated in windows that never meet is left out."""
    source = parse(
        "template A {} template B {}\nrule R where a : A, b : B when b in a [0 ms, 1 ms] a in b [0 ms, 0 ms]"
    ).source
    case = Case(
        source, tuple(read_trace('{"id":"b","template":"B","timestamp":1}\n{"id":"a","template":"A","timestamp":0}'))
    )
    for name, remedy in REMEDIES.items():
        altered = prepared(PARTELANG, remedy(case))
        assert altered is not None, name
        right = judge_case(LocalSession(ReferenceEngine(SOUND)), altered, 60.0)
        assert right.verdict.value == "pass"
    windows = {name: re.findall(r"\[.*\]", remedy(case).text) for name, remedy in REMEDIES.items()}
    assert list(windows.values()) == [
        ["[-4 ms, 14 ms]", "[-4 ms, 4 ms]"],
        ["[-3 ms, 9 ms]", "[-3 ms, 3 ms]"],
        ["[0 ms, 1 ms]", "[0 ms, 0 ms]"],
        ["[-1 ms, 1 ms]", "[0 ms, 0 ms]"],
        ["[0 ms, 0 ms]"],
    ]
    apart = parse(
        "template A {}\nrule R where a : A, no b : A when no b in a [0 ms, 1 ms] no b in a [3 ms, 4 ms]"
    ).source
    assert "no" not in REMEDIES["one window relates two patterns"](Case(apart, ())).text


# --- Errors that no mutant has ----------------------------------------------------------------------------------------


def test_a_lost_match_is_blamed_on_the_step_that_forms_it() -> None:
    (finding,) = campaign(spec("forgetful", lambda: Altered(without_the_second)), 500).findings
    assert finding.named is None
    assert case_of(finding).size[0] == 1
    assert case_of(finding).size[1] == 2
    assert finding.rule == "PARTE/ALPHA-MATCH"
    assert "no known mutant behaves like this" in list(finding.lines())


def test_a_match_reported_twice_is_spurious() -> None:
    (finding,) = campaign(spec("stutter", lambda: Altered(twice_the_first)), 500).findings
    assert case_of(finding).size == (1, 1, 0)
    assert len(finding.judgement.spurious) == 1
    assert finding.rule == "PARTE/ALPHA-MATCH"


def test_lost_emissions_are_blamed_on_the_production() -> None:
    (finding,) = campaign(spec("mute", lambda: Altered(without_emissions)), 1_000).findings
    assert case_of(finding).size == (1, 1, 0)
    assert finding.rule is not None
    (rule,) = case_of(finding).rules
    assert len(rule.emissions) == 1


# --- Engines that cannot do everything --------------------------------------------------------------------------------


def test_what_is_unsupported_is_counted_and_avoided() -> None:
    result = campaign(spec("limited", lambda: Limited(unaltered, word="no ")), 300)
    assert set(result.unsupported) == {"no 'no '"}
    assert 0 < result.unsupported.total() < 300
    assert result.divergent == 0


def test_what_is_refused_is_drawn_less_often() -> None:
    def drawn(*, refusing: bool) -> int:
        generator = Generator(GENERATION, 1)
        of_level_2 = 0
        for menu, case in islice(generator.cases(), 2_000):
            refused = case.program.level > 1
            generator.note(menu, refused=refused and refusing)
            of_level_2 += refused
        return of_level_2

    assert 0 < drawn(refusing=True) < drawn(refusing=False) / 2


def test_what_an_engine_fails_at_is_one_finding() -> None:
    failing = spec("failing", lambda: Limited(unaltered, word="no ", fails=True))
    result = campaign(failing, 600, finding_count=3)
    (finding,) = result.findings
    assert finding.judgement.verdict.value == "error"
    assert case_of(finding).size == (2, 0, 0)
    assert result.divergent == 1 + result.explained + result.alike
    assert finding.rule is None


# --- Engines in processes of their own --------------------------------------------------------------------------------


def test_an_engine_behind_the_protocol() -> None:
    served = spec_of(f"{sys.executable} -m parte engine --model sound --without negate-in-window", ENGINES)
    (finding,) = campaign(served, 400).findings
    assert finding.named is not None
    assert finding.named.mutant.name == "sound/without-negate-in-window"


def test_an_engine_that_crashes_at_its_first_case() -> None:
    (finding,) = campaign(spec_of(f"{sys.executable} {HOSTILE} crash", ENGINES), 20).findings
    assert finding.judgement.verdict.value == "error"
    assert "exit code 7" in finding.judgement.message
    assert case_of(finding).size == (0, 0, 0)
    assert any("about to crash" in line for line in finding.lines())


def test_an_engine_that_hangs() -> None:
    engine = spec_of(f"{sys.executable} {HOSTILE} hang", ENGINES)
    (finding,) = fuzz(engine, Settings(timeout=0.5), Limits(600.0, 10, 1), PARTELANG, seed=1, mutants=()).findings
    assert finding.judgement.verdict.value == "timeout"
    assert case_of(finding).size[1] == 0


def test_an_engine_that_errs_once_is_unstable() -> None:
    """It lies in the first case that it is asked after its start, and is right when asked again."""
    engine = spec_of(f"{sys.executable} {HOSTILE} spurious", ENGINES)
    (finding,) = fuzz(engine, PATIENT, Limits(600.0, 5, 1), PARTELANG, seed=2, mutants=()).findings
    assert finding.unstable
    assert finding.named is None


def test_an_engine_that_does_not_start() -> None:
    with pytest.raises(EngineUnusable, match="exit code 1") as caught:
        campaign(spec_of(f"{sys.executable} {HOSTILE} crash-at-start", ENGINES), 5)
    assert "cannot find my configuration" in caught.value.stderr


# --- Nothing to find --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sound", "indexed"])
def test_nothing_is_found_in_the_reference(name: str) -> None:
    result = campaign(spec_of(f"model:{name}", ENGINES), 600)
    assert (result.cases, result.divergent, result.findings) == (600, 0, [])
    # Enough of the cases say something.
    assert result.matching > 150


def test_a_seed_fixes_what_is_drawn_and_found() -> None:
    engine = spec("x", MUTANTS["sound/window-reversed"].engine)
    first, second, another = (campaign(engine, 500, seed=seed) for seed in (5, 5, 6))
    assert (first.cases, first.findings[0].fixture) == (second.cases, second.findings[0].fixture)
    assert [str(e) for e in first.findings[0].likenesses] == [str(e) for e in second.findings[0].likenesses]
    assert another.cases != first.cases


def test_time_ends_a_campaign() -> None:
    result = fuzz(model("indexed"), PATIENT, Limits(0.2), PARTELANG, seed=1)
    assert result.ended == "0.2 seconds"
    assert result.cases > 0


def test_an_interruption_loses_no_finding() -> None:
    def interrupt(campaign: Campaign) -> None:
        if campaign.findings:
            raise KeyboardInterrupt

    engine = spec("stutter", lambda: Altered(twice_the_first))
    result = fuzz(engine, PATIENT, Limits(600.0, 500, 5), PARTELANG, seed=1, mutants=(), report=interrupt)
    assert result.interrupted
    assert result.ended == "an interruption"
    assert len(result.findings) == 1


def test_an_incremental_engine_is_fed_line_by_line_too() -> None:
    fed: list[int] = []

    class Fed(ReferenceEngine):
        def feed(self, trace: Sequence[Json]) -> Reply:
            fed.append(len(trace))
            return super().feed(trace)

    settings = Settings(timeout=60.0, incremental=True)
    result = fuzz(spec("fed", Fed), settings, Limits(600.0, 30), PARTELANG, seed=1, mutants=())
    assert result.divergent == 0
    assert set(fed) == {1}


def test_hypothesis_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[-1] in ("structural", "strategies")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "parte.conformance.partelang.fuzz.generation", raising=False)
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    assert campaign(model("sound"), 1).cases == 1


def test_a_case_that_the_reference_does_not_confirm_says_so() -> None:
    def disagreeing(_: bool) -> list[tuple[str, Engine]]:
        return [("under the schedule x", Altered(without_the_second))]

    engine = spec("forgetful", lambda: Altered(without_the_second))
    language = PARTELANG.having(KIT, replace(PARTELANG[KIT], confirming=lambda: disagreeing))
    (finding,) = fuzz(engine, PATIENT, Limits(600.0, 500, 1), language, seed=1, mutants=SOME).findings
    assert finding.refused == "sound does not confirm it under the schedule x"
    assert any("please report" in line for line in finding.lines())
    assert len(finding.fixture.expected.matches) == 2
