"""A language that the kit has never heard of goes through all of it: what an author must write suffices."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from parte.conformance.fuzz.campaign import Limits, fuzz
from parte.conformance.fuzz.findings import written
from parte.conformance.kit import KIT
from parte.conformance.lint import admit, lint_suite
from parte.conformance.mutants.killing import outcomes
from parte.conformance.reports import FORMATS
from parte.conformance.results import CaseVerdict, Report, read_report, report_lines
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import Settings, run_engine
from parte.conformance.runner.sessions import EngineSpec, LocalSession
from parte.conformance.runner.smoke import smoke
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import load_suite
from tests.conformance.toy.language import PAIRS

ROOT = Path(__file__).resolve().parents[3]
SUITE = load_suite(PAIRS)
CASES = [prepare(case, PAIRS) for case in SUITE.cases.values()]
SERVED = f"{sys.executable} {Path(__file__).with_name('serve.py')}"


def test_the_suite_is_faultless_and_covers_the_language() -> None:
    assert list(lint_suite(PAIRS)) == []


def test_a_case_is_admitted(tmp_path: Path) -> None:
    shutil.copytree(PAIRS[KIT].suite, tmp_path / "suite")
    (tmp_path / "suite" / "measured.json").unlink()
    assert {refused for _, refused in admit(PAIRS, tmp_path / "suite")} == {""}
    assert load_suite(PAIRS, tmp_path / "suite") == SUITE


def test_every_model_passes_and_speaks_the_protocol() -> None:
    for name in PAIRS[KIT].engines():
        spec = spec_of(f"model:{name}", PAIRS[KIT].engines())
        assert all(check.passed for check in smoke(spec, Settings(), PAIRS))
        assert {result.verdict for result in run_engine(spec, CASES).results} == {CaseVerdict.PASS}


def test_an_engine_in_a_process_of_its_own_and_reports_of_it() -> None:
    run = run_engine(spec_of(f"pairs={SERVED}", {}), CASES, Settings(timeout=60.0))
    assert {result.verdict for result in run.results} == {CaseVerdict.PASS}
    results = tuple(replace(result, seconds=1.0) for result in run.results)
    report = Report(SUITE.version, SUITE.digest, "now", (run.info,), results, language=PAIRS.name)
    assert read_report(report_lines(report)) == report
    assert all(re.search("pairs|parte sound", write(report)) for write in FORMATS.values())


def test_the_suite_kills_every_mutant() -> None:
    mutants = PAIRS[KIT].mutants()
    assert [outcome.fault for outcome in outcomes(mutants, PAIRS[KIT].suite, PAIRS) if outcome.fault] == []


def test_the_fuzzer_finds_a_mutant_makes_the_case_small_and_names_it(tmp_path: Path) -> None:
    planted = PAIRS[KIT].mutants()[0]
    spec = EngineSpec("planted", "planted", lambda: LocalSession(planted.engine()), alone=True)
    (finding,) = fuzz(spec, Settings(), Limits(60.0, 500, 1), PAIRS, seed=1).findings
    assert finding.named is not None
    assert finding.named.mutant == planted
    assert finding.rule == "PAIRS/MATCH"
    assert len(finding.fixture.trace) == 2
    written(finding, tmp_path, PAIRS)
    assert list(lint_suite(PAIRS, tmp_path, whole=False)) == []
    sound = spec_of("model:sound", PAIRS[KIT].engines())
    assert fuzz(sound, Settings(), Limits(60.0, 200), PAIRS, seed=1).divergent == 0


def test_an_error_that_no_mutant_has_is_blamed_on_a_step() -> None:
    planted = PAIRS[KIT].mutants()[0]
    spec = EngineSpec("planted", "planted", lambda: LocalSession(planted.engine()), alone=True)
    language = PAIRS.having(KIT, replace(PAIRS[KIT], mutants=lambda: ()))
    (finding,) = fuzz(spec, Settings(), Limits(60.0, 500, 1), language, seed=1).findings
    assert finding.named is None
    assert finding.rule == "PAIRS/MATCH"


def test_the_documentation_quotes_the_record() -> None:
    text = Path(__file__).with_name("language.py").read_text(encoding="utf-8")
    record = text[text.index("KIT_OF_PAIRS: Kit") :]
    assert f"```python\n{record}```" in (ROOT / "docs" / "adding-a-language.md").read_text(encoding="utf-8")
