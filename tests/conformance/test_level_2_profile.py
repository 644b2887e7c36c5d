"""The profile of level 2: its cases have a digest of their own, and an engine of level 1 refuses them by name."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from parte.conformance.engines import summary
from parte.conformance.kit import KIT
from parte.conformance.lint import admit, lint_case
from parte.conformance.partelang.engines.clips.manifest import DECLARED
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.partelang.kit import LEVEL_2
from parte.conformance.reports.wording import heading
from parte.conformance.results import CaseVerdict, EngineInfo, Report, Result, read_report, report_lines
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import Settings, run_engine
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import digest_of, load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.partelang.syntax import parse
from parte.semantics.partelang.syntax.constructs import undeclared
from tests.parte.examples import Command

PAGE = Path(__file__).parents[2] / "docs" / "specification" / "level-2.md"
SUITE = load_suite(PARTELANG)
CASES = SUITE.select([LEVEL_2])
ADDED = """case level-2/added/not
  about A case of a file that is new
  profile level-2
  since 1.2
  clauses connectives
  program
    level 2
    template A { k : Integer }
    rule R where a : A { not k = 1 }
  trace a1@0(k=0)
  expect R a=a1
"""


def test_each_level_has_its_digest() -> None:
    assert SUITE.digest == digest_of(case for case in SUITE.cases.values() if case.profile != LEVEL_2)
    assert SUITE.extensions == {LEVEL_2: digest_of(CASES)}


def test_a_new_file_changes_the_digest_of_its_level_only(tmp_path: Path) -> None:
    shutil.copytree(PARTELANG[KIT].suite, tmp_path / "suite")
    (tmp_path / "suite" / "level-2" / "added.cases").write_text(ADDED, encoding="utf-8")
    more = load_suite(PARTELANG, tmp_path / "suite")
    assert more.digest == SUITE.digest
    assert more.extensions != SUITE.extensions
    assert list(admit(PARTELANG, tmp_path / "suite")) == [("level-2/added/not", "")]


@pytest.mark.parametrize(
    ("before", "after"),
    [("profile level-2", "profile core"), ("    level 2\n", ""), ("{ not k = 1 }", "{ k != 1 }")],
)
def test_a_case_is_in_the_profile_exactly_if_it_needs_level_2(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "suite.json").write_text('{"format": "parte-suite", "version": "1.2"}', encoding="utf-8")
    text = ADDED.replace("not k = 1", "k != 1").replace(before, after)
    (tmp_path / "added.cases").write_text(text, encoding="utf-8")
    (case,) = load_suite(PARTELANG, tmp_path).cases.values()
    fits = case.text.startswith("level 2") == (case.profile == LEVEL_2)
    assert any("does not fit" in objection for objection in lint_case(case, "1.2", PARTELANG)) is not fits


def test_a_clause_of_the_page_is_cited_by_a_case_or_marked() -> None:
    cited = {clause for case in CASES for clause in case.clauses}
    marks = dict(re.findall(r'^<a id="([a-z0-9-]+)"( class="tool")?></a>$', PAGE.read_text(encoding="utf-8"), re.M))
    assert marks
    assert {clause: bool(mark) for clause, mark in marks.items()} == {clause: clause not in cited for clause in marks}


REJECTED = r"no such construct|programs are read|traces are read|`is present` and `is missing` after|U\+0000"


def test_an_engine_refuses_what_it_does_not_declare_by_name() -> None:
    cases = [prepare(case, PARTELANG) for case in CASES]
    results = run_engine(spec_of("model:clips-eager", ENGINES), cases, Settings()).results
    assert len(results) == len(cases)
    # What it takes may fail for another reason: this engine is wrong about negations.
    taken = {result.case for result in results if result.verdict in (CaseVerdict.PASS, CaseVerdict.FAIL)}
    assert "level-2/patterns/nested" in taken  # a use is expanded, so this program has no construct of level 2
    for case in cases:
        if case.fixture.id in taken and case.fixture.expected.rejected is None:
            assert not list(undeclared(parse(case.fixture.text), DECLARED)), case.fixture.id
    others = [result for result in results if result.case not in taken]
    assert len(others) > 100
    for result in others:
        assert result.verdict is CaseVerdict.UNSUPPORTED
        assert re.search(REJECTED, result.message), result


def test_a_digest_may_be_demanded_of_a_level(command: Command) -> None:
    chosen = ("conform", "model:indexed", "--case", "level-2/connectives/not", "--expect-digest")
    right = f"{LEVEL_2}={SUITE.extensions[LEVEL_2]}"
    assert command(*chosen, right, "--expect-digest", SUITE.digest).code == 0
    for wrong in (f"{LEVEL_2}={SUITE.digest}", f"core={SUITE.digest}"):
        assert command(*chosen, wrong).code == 2
    assert right in command(*chosen, f"{LEVEL_2}={SUITE.digest}", COLUMNS="300").err


def test_reports_name_both_digests() -> None:
    report = Report("1.2", "d", "now", (), (), extensions={LEVEL_2: "e"})
    assert read_report(report_lines(report)) == report
    assert heading(report) == "suite 1.2 (d, level-2 e), now"
    assert "extensions" not in next(iter(report_lines(Report("1.2", "d", "now", (), ()))))


@pytest.mark.parametrize("whole", [False, True])
def test_a_summary_has_the_digest_of_a_level_that_was_run(whole: bool) -> None:
    results = tuple(
        Result("x", case.id, case.profile, "", CaseVerdict.PASS, 1.0)
        for case in SUITE.cases.values()
        if whole or case.profile != LEVEL_2
    )
    report = summary.merged([Report("1.2", "old", "", (EngineInfo("x", "x"),), results)], SUITE)
    assert (report.digest, report.extensions) == (SUITE.digest, SUITE.extensions if whole else {})
    assert ("extensions" in summary.summary(report, "x")) is whole
