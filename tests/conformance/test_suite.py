"""The suite itself: every case is right, and the whole covers what it must; and the lint finds what is wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from parte.conformance.casefiles.cases import read_cases
from parte.conformance.coverage import coverage
from parte.conformance.exchange import fixture_text
from parte.conformance.exporting import export_suite
from parte.conformance.fixtures import FixtureError
from parte.conformance.kit import KIT
from parte.conformance.lint import admit, layout_is_right, lint_case, lint_suite, lint_whole
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.partelang.notation import NOTATION
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import prepare
from parte.conformance.runner.running import run_engine
from parte.conformance.runner.specs import spec_of
from parte.conformance.suites import digest_of, load_suite, measured_rules_of
from parte.languages.partelang import PARTELANG
from parte.proofs.partelang.defects import DEFECTS
from parte.semantics.partelang.repairs import PUBLISHED, RUDIMENTARY
from tests.conformance.schemas import schema_validator
from tests.sampling import sampled

WHOLE = load_suite(PARTELANG)
PARTS = 12
"""The cases are checked in so many parts, for several workers."""


@pytest.mark.parametrize("part", range(PARTS))
def test_every_case_is_right(part: int) -> None:
    cases = list(WHOLE.cases.values())[part::PARTS]
    assert not {
        case.id: objections for case in cases if (objections := list(lint_case(case, WHOLE.version, PARTELANG)))
    }


def test_every_file_has_its_layout() -> None:
    assert [path for path in PARTELANG[KIT].suite.rglob("*.cases") if not layout_is_right(path, PARTELANG)] == []


def test_the_suite_as_a_whole() -> None:
    assert not list(lint_whole(WHOLE, PARTELANG))
    assert {case.profile for case in WHOLE.cases.values()} == set(PARTELANG[KIT].profiles)
    assert not coverage(WHOLE, PARTELANG).missing
    assert {f"defects/{defect.number:02}-{defect.repair}" for defect in DEFECTS} <= set(WHOLE.cases)
    assert set(measured_rules_of(PARTELANG[KIT].suite)) == set(WHOLE.cases)


def test_a_case_stands_in_the_file_of_its_folder() -> None:
    for path in PARTELANG[KIT].suite.rglob("*.cases"):
        folder = path.relative_to(PARTELANG[KIT].suite).with_suffix("").as_posix()
        for _, case in read_cases(path.read_text(encoding="utf-8"), NOTATION).cases:
            assert case.id.rpartition("/")[0] == folder


@pytest.mark.parametrize(
    "model", ["sound", *(pytest.param(model, marks=pytest.mark.exhaustive) for model in ("algebra", "indexed"))]
)
def test_the_reference_passes(model: str) -> None:
    cases = [prepare(case, PARTELANG) for case in WHOLE.cases.values()]
    results = run_engine(spec_of(f"model:{model}", ENGINES), cases).results
    assert [result for result in results if result.verdict is not CaseVerdict.PASS] == []


@pytest.mark.parametrize("part", [pytest.param(part, marks=sampled(part, usual=2, quick=4)) for part in range(4)])
def test_duckdb_passes(part: int) -> None:
    """The third opinion, on every case."""
    cases = [prepare(case, PARTELANG) for case in list(WHOLE.cases.values())[part::4]]
    results = run_engine(spec_of("model:duckdb", ENGINES), cases).results
    assert [result for result in results if result.verdict is not CaseVerdict.PASS] == []


@pytest.mark.parametrize("model", [PUBLISHED, RUDIMENTARY], ids=lambda model: str(model.name))
def test_the_suite_finds_the_older_models_out(model: Any) -> None:
    suite = WHOLE
    cases = [prepare(case, PARTELANG) for case in suite.select(cases=["defects", "negation", "windows", "pitfalls"])]
    results = run_engine(spec_of(f"model:{model.name}", ENGINES), cases).results
    assert any(result.verdict is CaseVerdict.FAIL for result in results)


def test_the_suite_exercises_the_rules_of_the_rudimentary_model() -> None:
    suite = WHOLE
    some = replace(suite, cases={case.id: case for case in suite.select(cases=["negation", "conditions", "strata"])})
    assert [rule for rule, cases in coverage(some, PARTELANG, "rudimentary").rules.items() if not cases] == []


# --- The lint finds what is wrong -------------------------------------------------------------------------------------

CASE = """case windows/closed
  about A window is closed at both ends
  profile core
  since 1.0
  clauses windows-closed
  program
    template A { k : Integer }
    rule R where a : A, b : A when b in a [1 ms, 5 ms]
  trace a1@0(k=0) a2@5(k=0)
  expect R a=a1 b=a2
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A suite of one case, which is admitted."""
    (tmp_path / "suite.json").write_text('{"format": "parte-suite", "version": "1.0"}', encoding="utf-8")
    (tmp_path / "some.cases").write_text(CASE, encoding="utf-8")
    assert list(admit(PARTELANG, tmp_path)) == [("windows/closed", "")]
    return tmp_path


def complaints(root: Path, text: str) -> list[str]:
    (root / "some.cases").write_text(text, encoding="utf-8")
    return [str(objection) for objection in lint_suite(PARTELANG, root, whole=False)]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("case", "Closed", "the id is none like"),
        ("case", "windows/other", "the rules that fire are others"),
        ("since", "1.7", "came with version 1.7"),
        ("since", "new", "came with version new"),
        ("about", None, "about is missing"),
        ("about", "Short", "one sentence"),
        ("about", "A window is closed at both ends.", "one sentence"),
        ("profile", "everything", "no profile is called 'everything'"),
        ("profile", "negation", "does not fit"),
        ("clauses", None, "clauses is missing"),
        ("clauses", "[]", "expected anchors"),
        ("clauses", "windows-closed windows-closed", "expected anchors"),
        ("clauses", "Windows 4", "expected anchors"),
        ("expect", None, "expect is missing"),
        ("expect", "nothing", "not what the algebra says: R a=a1 b=a2"),
        ("expect", "rejected unknown-type at 1:1", "not what the algebra says"),
        (
            "trace",
            '{"template": "A", "timestamp": 0, "colour": 1}',
            "rejected invalid-trace at line 1",
        ),
    ],
)
def test_the_lint_objects(small: Path, field: str, value: str | None, words: str) -> None:
    line = re.compile(rf"^( *){field} .*\n", re.MULTILINE)
    changed = line.sub("" if value is None else rf"\1{field} {value}\n", CASE)
    messages = complaints(small, changed)
    assert any(words in message for message in messages), messages


def test_the_lint_objects_to_layout_and_to_what_is_missing(small: Path) -> None:
    assert list(lint_suite(PARTELANG, small, whole=False)) == []
    objections = [str(objection) for objection in lint_suite(PARTELANG, small)]
    assert any("no case of the profile negation" in line for line in objections)
    assert any("no case for the diagnostic code" in line for line in objections)
    assert complaints(small, CASE + "\n") == ["some.cases: not in the layout of `parte suite admit`"]
    assert list(admit(PARTELANG, small)) == []
    assert (small / "some.cases").read_text(encoding="utf-8") == CASE
    assert complaints(small, "") == []
    with pytest.raises(FixtureError, match="nowhere"):
        load_suite(PARTELANG, small / "nowhere")
    (small / "suite.json").write_text('{"format": "parte-suite", "version": "new"}', encoding="utf-8")
    assert any("expected one like 1.0" in str(objection) for objection in lint_suite(PARTELANG, small))


def test_every_mistake_is_told_and_spoils_one_case(small: Path) -> None:
    wrong = CASE.replace("windows/closed", "windows/wrong").replace("a1@0", "a1").replace("R a", "R?")
    messages = complaints(small, f"{wrong}\n{CASE}\n{CASE}")
    assert [line.split(": ")[:2] for line in messages] == [
        ["some.cases:9", "windows/wrong"],
        ["some.cases:10", "windows/wrong"],
        ["some.cases:23", "the id windows/closed is used twice"],
    ]
    with pytest.raises(FixtureError, match=r"some\.cases:9: .*\n.*some\.cases:10: .*\n.*some\.cases:23: "):
        load_suite(PARTELANG, small)


def test_a_case_whose_author_is_mistaken_is_refused(small: Path) -> None:
    wrong = CASE.replace("windows/closed", "windows/wrong").replace("b=a2", "b=a1")
    misfiled = CASE.replace("windows/closed", "windows/other").replace("profile core", "profile negation")
    (small / "some.cases").write_text("\n".join((CASE, wrong, misfiled)), encoding="utf-8")
    refused = dict(admit(PARTELANG, small))
    assert "the algebra says: R a=a1 b=a2" in refused["windows/wrong"]
    assert "does not fit" in refused["windows/other"]
    assert list(measured_rules_of(small)) == ["windows/closed"]
    assert next(iter(admit(PARTELANG, small, every=True))) == ("windows/closed", "")


# --- The suite as JSON ------------------------------------------------------------------------------------------------


def test_the_suite_comes_back_from_its_export(tmp_path: Path) -> None:
    export_suite(WHOLE, tmp_path, PARTELANG)
    assert load_suite(PARTELANG, tmp_path) == WHOLE
    about = json.loads((tmp_path / "suite.json").read_text(encoding="utf-8"))
    assert (about["version"], about["digest"], about["cases"]) == (WHOLE.version, WHOLE.digest, len(WHOLE.cases))
    schema = json.loads((tmp_path / "fixture.schema.json").read_text(encoding="utf-8"))
    assert schema == schema_validator("partelang/fixture").schema
    validator = schema_validator("partelang/fixture")
    for case in list(WHOLE.cases.values())[::4]:
        document = json.loads((tmp_path / f"{case.id}.json").read_text(encoding="utf-8"))
        assert not list(validator.iter_errors(document)), case.id
        assert (document["ast"] is None) == (prepare(case, PARTELANG).load.ast is None)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"since": None}, '$: the key "since" is missing'),
        ({"version": 1}, "$.version: expected 2, found the integer 1"),
        ({"program": [{"repeat": "x", "times": -9}]}, "expected a line that is repeated at least once, found -9 times"),
        ({"trace": [5]}, "$.trace[0]: expected an object, found the integer 5"),
    ],
)
def test_json_that_is_no_case(tmp_path: Path, fields: dict[str, Any], words: str) -> None:
    (tmp_path / "suite.json").write_text('{"format": "parte-suite", "version": "1.0"}', encoding="utf-8")
    document = json.loads(fixture_text(WHOLE.cases["ties/many"])) | fields
    trimmed = {key: value for key, value in document.items() if value is not None}
    (tmp_path / "ties.json").write_text(json.dumps(trimmed), encoding="utf-8")
    assert any(words in str(objection) for objection in lint_suite(PARTELANG, tmp_path))


def test_numbers_that_no_value_can_be_are_no_case(small: Path) -> None:
    text = re.sub(r'"timestamp": \d+', '"timestamp": 1e999', fixture_text(WHOLE.cases["ties/many"]))
    (small / "ties.json").write_text(text, encoding="utf-8")
    assert [str(objection) for objection in lint_suite(PARTELANG, small, whole=False)] == [
        "ties.json: 1e999 is beyond the finite binary64 numbers"
    ]


@pytest.mark.parametrize("content", ["", "[]", '{"windows/closed": 3}', '{"windows/closed": [3]}', "\0"])
def test_measured_rules_that_cannot_be_read_are_a_fault_of_the_suite(small: Path, content: str) -> None:
    (small / "measured.json").write_text(content, encoding="utf-8")
    objections = [str(objection) for objection in lint_suite(PARTELANG, small, whole=False)]
    assert objections[0].startswith("measured.json: ")
    with pytest.raises(FixtureError, match=r"measured\.json: "):
        load_suite(PARTELANG, small)


def test_the_digest_is_of_what_is_asked_and_expected() -> None:
    case = WHOLE.cases["ties/many"]
    digest = digest_of([case])
    words = {"description": "Other words", "clauses": ("other",), "rules": (), "profile": "negation", "origin": "x"}
    assert digest_of([replace(case, **words)]) == digest  # type: ignore[arg-type] # fields of a Fixture
    for change in ({"id": "ties/other"}, {"disorder": 1}, {"trace": case.trace[1:]}, {"program": ("",)}):
        assert digest_of([replace(case, **change)]) != digest


def test_cases_are_selected_by_id_folder_and_profile() -> None:
    suite = WHOLE
    assert [case.id for case in suite.select(cases=["ties/many"])] == ["ties/many"]
    assert {case.id.split("/")[0] for case in suite.select(cases=["ties"])} == {"ties"}
    assert {case.profile for case in suite.select(["functions"])} == {"functions"}
    with pytest.raises(KeyError):
        suite.select(cases=["tie"])
