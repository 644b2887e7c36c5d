"""The suite itself: every file is right, and the whole covers what it must; and the lint finds what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.authoring.drafts import Draft, Refused, admit, trace_of
from conformance.authoring.sources import handmade
from conformance.coverage import coverage
from conformance.defects import DEFECTS
from conformance.fixtures import PROFILES, SUITE, FixtureError, fixture_files, fixture_text, load_fixture, load_suite
from conformance.lint import lint_file, lint_suite, lint_whole
from conformance.results import Verdict
from conformance.runner.judging import prepare
from conformance.runner.running import run_engine
from conformance.runner.specs import spec_of
from semantics.repairs import PUBLISHED, RUDIMENTARY

FILES = list(fixture_files())
PARTS = 12
"""The files are checked in so many parts, for several workers."""


@pytest.mark.parametrize("part", range(PARTS))
def test_every_file_is_right(part: int) -> None:
    wrong = {str(path): found for path in FILES[part::PARTS] if (found := list(lint_file(path, SUITE, "1.0")))}
    assert not wrong


def test_the_suite_as_a_whole() -> None:
    suite = load_suite()
    assert not list(lint_whole(suite))
    assert {case.profile for case in suite.cases.values()} == set(PROFILES)
    assert not coverage(suite).missing
    assert {f"defects/{defect.number:02}-{defect.repair}" for defect in DEFECTS} <= set(suite.cases)


def test_every_draft_has_its_file_and_every_file_its_draft() -> None:
    drafts = {draft.id for draft in handmade()}
    files = {path.relative_to(SUITE).with_suffix("").as_posix() for path in FILES}
    assert drafts <= files
    assert {id_.split("/")[0] for id_ in files - drafts} == {"laws", "breadth"}


@pytest.mark.parametrize("model", ["sound", "algebra", "indexed"])
def test_the_reference_passes(model: str) -> None:
    cases = [prepare(case) for case in load_suite().cases.values()]
    results = run_engine(spec_of(f"model:{model}"), cases).results
    assert [result for result in results if result.verdict is not Verdict.PASS] == []


@pytest.mark.parametrize("part", range(4))
def test_duckdb_passes(part: int) -> None:
    """The third opinion, on every case."""
    cases = [prepare(case) for case in list(load_suite().cases.values())[part::4]]
    results = run_engine(spec_of("model:duckdb"), cases).results
    assert [result for result in results if result.verdict is not Verdict.PASS] == []


@pytest.mark.parametrize("model", [PUBLISHED, RUDIMENTARY], ids=lambda model: str(model.name))
def test_the_suite_finds_the_older_models_out(model: Any) -> None:
    suite = load_suite()
    cases = [prepare(case) for case in suite.select(cases=["defects", "negation", "windows", "pitfalls"])]
    results = run_engine(spec_of(f"model:{model.name}"), cases).results
    assert any(result.verdict is Verdict.FAIL for result in results)


def test_the_suite_exercises_the_rules_of_the_rudimentary_model() -> None:
    suite = load_suite()
    some = replace(suite, cases={case.id: case for case in suite.select(cases=["negation", "conditions", "strata"])})
    assert [rule for rule, cases in coverage(some, RUDIMENTARY).rules.items() if not cases] == []


# --- The lint finds what is wrong -------------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A suite of one case."""
    case = "windows/two-to-five-at-5"
    (tmp_path / "windows").mkdir()
    (tmp_path / "suite.json").write_text('{"format": "parte-suite", "version": "1.0"}', encoding="utf-8")
    (tmp_path / f"{case}.json").write_text((SUITE / f"{case}.json").read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def changed(root: Path, **fields: Any) -> list[str]:
    path = root / "windows" / "two-to-five-at-5.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data.update(fields)
    path.write_text(json.dumps({key: value for key, value in data.items() if value is not None}), encoding="utf-8")
    return [objection.message for objection in lint_suite(root) if "layout" not in objection.message]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"id": "windows/other"}, "not its path"),
        ({"since": "1.7"}, "came with version 1.7"),
        ({"description": None}, "'description' is a required property"),
        ({"profile": "everything"}, "is not one of"),
        ({"profile": "negation"}, "does not fit"),
        ({"sections": []}, "should be non-empty"),
        ({"rules": ["JOIN-LEFT"]}, "the rules that fire are others"),
        ({"expect": {"matches": []}}, "not what the algebra says"),
        ({"expect": {"rejected": {"code": "unknown-type", "line": 1}}}, "required property"),
        ({"surprise": 1}, "Additional properties"),
        ({"trace": [{"template": "A", "timestamp": 0, "colour": 1}]}, "trace"),
    ],
)
def test_the_lint_objects(copy: Path, fields: dict[str, Any], words: str) -> None:
    assert any(words in message for message in changed(copy, **fields)), changed(copy)


def test_the_lint_objects_to_layout_and_to_what_is_missing(copy: Path) -> None:
    found = [str(objection) for objection in lint_suite(copy)]
    assert any("no case of the profile negation" in line for line in found)
    assert any("no case for the diagnostic code" in line for line in found)
    assert list(lint_suite(copy, whole=False)) == []
    path = copy / "windows" / "two-to-five-at-5.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert any("layout" in str(objection) for objection in lint_suite(copy))
    path.write_text("{", encoding="utf-8")
    assert any("not JSON" in str(objection) for objection in lint_suite(copy))
    with pytest.raises(FixtureError, match="two-to-five"):
        load_suite(copy)
    (copy / "suite.json").write_text('{"format": "parte-suite", "version": "new"}', encoding="utf-8")
    assert any("expected one like 1.0" in str(objection) for objection in lint_suite(copy))


def test_a_fixture_is_written_as_it_was_read() -> None:
    for path in FILES[::50]:
        assert fixture_text(load_fixture(path)) == path.read_text(encoding="utf-8")


def test_cases_are_selected_by_id_folder_and_profile() -> None:
    suite = load_suite()
    assert [case.id for case in suite.select(cases=["ties/many"])] == ["ties/many"]
    assert {case.id.split("/")[0] for case in suite.select(cases=["ties"])} == {"ties"}
    assert {case.profile for case in suite.select(["functions"])} == {"functions"}
    with pytest.raises(KeyError):
        suite.select(cases=["tie"])


# --- Drafts ----------------------------------------------------------------------------------------------------


def test_a_draft_whose_author_is_mistaken_is_refused() -> None:
    rule = "rule R where a : A, b : B when b in a [0 ms, 5 ms]"
    admit(Draft("x/y", "A case that is right", rule, "a1@0 b1@5", "a1 b1"))
    with pytest.raises(Refused, match="its author expects"):
        admit(Draft("x/y", "A case that is wrong", rule, "a1@0 b1@5", ""))
    with pytest.raises(Refused, match="expected None"):
        admit(Draft("x/y", "A case that is invalid", "rule R where a : A, b : B", "a1@0 b1@5", ""))
    with pytest.raises(Refused, match="no item"):
        trace_of("a1 b1@")
