"""The page of foreign engines shows what was run, and nothing that fails without an explanation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from docs import engines_page
from parte.conformance.engines import summary
from parte.conformance.engines.registry import foreign
from parte.conformance.kit import KIT
from parte.conformance.results import CaseVerdict, EngineInfo, Report, Result, report_lines
from parte.conformance.suites import load_suite
from parte.languages.language import Language
from parte.languages.partelang import PARTELANG


@pytest.mark.parametrize("language", engines_page.measured(), ids=lambda language: language.name)
def test_every_engine_on_the_page_can_be_started_and_its_cases_exist(language: Language) -> None:
    cases = load_suite(language).cases
    for engine in engines_page.engines(language[KIT].recorded):
        assert engine.label in foreign(language[KIT].engines())
        assert set(engine.causes) <= set(cases)
        assert sum(sum(counts.values()) for counts in engine.summary["counts"].values()) == engine.summary["cases"]
        bad = sum(
            counts.get(verdict.value, 0)
            for counts in engine.summary["counts"].values()
            for verdict in CaseVerdict
            if verdict.bad
        )
        assert bad == len(engine.causes)


def test_the_recorded_runs_are_of_the_suite_as_it_is() -> None:
    """Those of CORE2 and ETALIS need not be: they come from no registry, so the page says of which suite its run is."""
    digest = load_suite(PARTELANG).digest
    recorded = {engine.label: engine.summary["digest"] for engine in engines_page.engines()}
    old = sorted(label for label, of_run in recorded.items() if of_run != digest)
    assert not old, (
        f"the suite (digest {digest}) has changed since {', '.join(old)} ran it: run `parte conform` with each and "
        "--report R, then `python -m parte.conformance.engines.summary R` (docs/conformance.md, Foreign engines)"
    )


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty folders in the place of those of the project."""
    monkeypatch.setattr(
        summary, "language_called", lambda _: PARTELANG.having(KIT, replace(PARTELANG[KIT], recorded=tmp_path))
    )
    (tmp_path / "reports").mkdir()
    (tmp_path / "known").mkdir()
    return tmp_path


def report_file(folder: Path) -> str:
    results = (
        Result("x", "ties/many", "core", "", CaseVerdict.FAIL, 0.5),
        Result("x", "strings/escapes", "core", "", CaseVerdict.UNSUPPORTED, 1.0, message="no"),
        Result("x", "no/such", "core", "", CaseVerdict.FAIL, 1.0),
    )
    report = Report("1.0", "d", "", (EngineInfo("x", "x-engine", "X", "7"),), results)
    path = folder / "report.jsonl"
    path.write_text("".join(f"{line}\n" for line in report_lines(report)), encoding="utf-8")
    return str(path)


def explain(folder: Path, cause: str, example: str) -> None:
    meaning = {"title": "T", "engine": "E", "spec": "S", "right": "PARTE.", "example": example}
    text = json.dumps({"asked": ["Somehow."], "causes": {cause: meaning}})
    (folder / "known" / "x.json").write_text(text, encoding="utf-8")


def test_a_failure_without_a_cause_makes_no_page(folders: Path) -> None:
    assert summary.main([report_file(folders)]) == 0
    explain(folders, "slow", "ties/many")
    with pytest.raises(engines_page.Unexplained, match="slow, unexplained"):
        engines_page.engines(folders)
    lines = (folders / "known" / "x.jsonl").read_text(encoding="utf-8")
    (folders / "known" / "x.jsonl").write_text(lines.replace("unexplained", "slow"), encoding="utf-8")
    (engine,) = engines_page.engines(folders)
    assert engine.cases("slow") == ["ties/many"]
    assert engine.summary["unsupported"] == {"no": 1}
    assert summary.main([report_file(folders)]) == 0  # causes that were given stay
    explain(folders, "slow", "strings/escapes")
    with pytest.raises(engines_page.Unexplained, match="no example"):
        engines_page.engines(folders)


def test_a_variant_shares_the_causes_of_its_engine(folders: Path) -> None:
    summary.main([report_file(folders)])
    explain(folders, "slow", "ties/many")
    (folders / "reports" / "y.json").write_text((folders / "reports" / "x.json").read_text(encoding="utf-8"))
    lines = (folders / "known" / "x.jsonl").read_text(encoding="utf-8").replace("unexplained", "slow")
    for label in "xy":
        (folders / "known" / f"{label}.jsonl").write_text(lines, encoding="utf-8")
    variant = {"asked": ["Otherwise."], "extends": "x", "causes": {}}
    (folders / "known" / "y.json").write_text(json.dumps(variant), encoding="utf-8")
    _, engine = engines_page.engines(folders)
    assert list(engine.inherited) == ["slow"]
    page = engines_page.part(
        PARTELANG.having(KIT, replace(PARTELANG[KIT], recorded=folders)), lambda _, rows: "".join(map(str, rows))
    )
    assert "('T', 'as above', '', '', '', '1: `ties/many`')" in page


def test_of_several_reports_the_last_counts() -> None:
    suite = load_suite(PARTELANG)

    def report(digest: str, cases: Iterable[str], verdict: CaseVerdict) -> Report:
        results = tuple(Result("x", case, "core", "", verdict, 1.0) for case in cases)
        return Report("1.0", digest, "", (EngineInfo("x", "x"),), results)

    most = [case for case in suite.cases if case != "ties/many"]
    first, second = report("old", most, CaseVerdict.FAIL), report("new", ["ties/many", most[0]], CaseVerdict.PASS)
    both = summary.merged([first, second], suite)
    assert both.digest == suite.digest
    assert both.counts("x") == {CaseVerdict.FAIL: len(most) - 1, CaseVerdict.PASS: 2}
    assert summary.merged([first], suite).digest == "old"


def test_only_whole_reports_are_summarised(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(report_file(folders))
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:-1]), encoding="utf-8")
    assert summary.main([str(path)]) == 2
    assert summary.main([]) == 2
    assert "cut off" in capsys.readouterr().err
    assert not list((folders / "reports").iterdir())
