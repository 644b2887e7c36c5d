"""The checker of EQL on queries written by hand: its findings and their places, evidence, reports, and command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from tomllib import loads
from typing import Any

import jsonschema
import pytest

from parte.checker.environment.deployment import read_deployment
from parte.checker.environment.schedule import QuerySchedule
from parte.checker.report.contents import Report
from parte.checker.report.json_form import report_to_json
from parte.checker.report.text import render
from parte.checker.solver.verdict import Verdict
from parte.languages.eql.checker.check import check
from parte.languages.eql.checker.codes import CODES, GUARANTEES
from parte.languages.eql.semantics.syntax.readings import readings_of
from parte.proofs.mutation import Mutant, applied
from parte.semantics.source.diagnostics import ProgramError
from tests.parte.examples import Command

ROOT = Path(__file__).resolve().parents[4]
SCHEMA = json.loads(files("parte.checker").joinpath("report.schema.json").read_text(encoding="utf-8"))
ELASTIC, BEFORE = {"dialect": "elastic"}, {"until": "before"}

CASES: tuple[tuple[str, Mapping[str, str], list[str]], ...] = (
    # Conditions: three values, kinds, patterns, functions.
    ("A where x > 1 and x < 2", {}, []),
    ("A where x > 2 and x < 1", {}, ["never-true 1", "unsatisfiable-query 1"]),
    ('A where x == "p" and x > 1', {}, ["never-true 1", "unsatisfiable-query 1"]),
    ("A where not x == 1 and x == null", {}, ["never-true 1", "unsatisfiable-query 1"]),
    ("A where not x == 1 and x == null", {"logic": "two"}, ["implied-condition 9"]),
    ("A where x == true and x > false", {}, ["never-true 1", "unsatisfiable-query 1"]),
    ("A where x != 0 and not x in (1, true)", {}, ["never-true 1", "unsatisfiable-query 1"]),
    ('A where x : "AB*" and x like "ab*"', {}, ["implied-condition 9"]),
    ('A where x like "AB*" and x like "ab*"', {}, ["never-true 1", "unsatisfiable-query 1"]),
    ('A where x like "p?" and x == "pq"', {"wildcard": "star"}, ["never-true 1", "unsatisfiable-query 1"]),
    ('A where x like ("a*", "ab*")', {}, ["implied-condition 9"]),
    ('A where x regex "[ab]{3}" and length(x) > 3', {}, ["never-true 1", "unsatisfiable-query 1"]),
    ('A where x regex~ "[A-Z]+" and x == "ß"', {}, ["never-true 1", "unsatisfiable-query 1"]),
    ('A where x < "b" and x >= "ab" and x != "b"', {}, ["implied-condition 35"]),
    ('A where x in~ ("AB", "c") and x == "Ab"', {}, ["implied-condition 9"]),
    ('A where startsWith~(x, "Ab") and not x : "*b*"', {}, ["never-true 1", "unsatisfiable-query 1"]),
    ('A where cidrMatch(x, "10.0.0.0/8") and not cidrMatch(x, "10.0.0.0/9")', {}, []),
    ("A where x + 1 == 10 or x * 2 == 5 or length(y) == 0", {}, []),
    ('A where x + 1 == "p"', {}, ["never-true 1", "unsatisfiable-query 1"]),
    # Keys.
    (
        "sequence by k with maxspan=1s [A where k == null] [B where true]",
        {},
        ["keyless-stage 32", "unsatisfiable-query 1"],
    ),
    ("sequence by ?k with maxspan=1s [A where k == null] [B where true]", {}, []),
    ("sequence by k with maxspan=1s [A where k == null] [B where true]", {"keys": "null"}, []),
    ("sequence by k with maxspan=0s [A where k == 1] [B where k == 2]", {}, ["unsatisfiable-query 1"]),
    ("sequence with maxspan=0s [A where k == 1] by k [B where v == 2] by v", {}, ["unsatisfiable-query 1"]),
    ('sequence by k with maxspan=0s [A where k == "p"] [B where k == "P"]', {}, ["unsatisfiable-query 1"]),
    ('sequence by k with maxspan=0s [A where k regex "p"] [B where k regex "P"]', {"case": "folded"}, []),
    ("sequence by k with maxspan=0s [A where k == 1] [B where k == true]", {"case": "folded"}, []),
    ("sequence by k with maxspan=0s [A where true] [B where true]", {}, []),
    ("sample by k [A where k > 1] [B where k < 1]", {}, ["growing-sample 1", "unsatisfiable-query 1"]),
    # Until.
    (
        "sequence with maxspan=1s [A where true] [B where true] until [B where true]",
        {},
        ["until-is-a-stage 56", "useless-until 56"],
    ),
    ("sequence with maxspan=1s [A where true] [B where true] until [B where true]", BEFORE, ["unsatisfiable-query 1"]),
    ("sequence with maxspan=1s [A where true] [B where true] until [A where true]", ELASTIC, ["unsatisfiable-query 1"]),
    ("sequence with maxspan=1s [A where x > 1] [B where true] until [A where x > 0]", {}, ["until-is-a-stage 57"]),
    ("sequence with maxspan=1s [A where true] [B where true] until [B where x == 1]", BEFORE, []),
    (
        "sequence with maxspan=1s [A where true] ![C where true] until [C where true]",
        {},
        ["growing-wait 1", "useless-until 57"],
    ),
    (
        "sequence with maxspan=1s [A where true] ![C where x == 1] [B where true] until [C where x in (1, 2)]",
        {},
        ["useless-absence 41"],
    ),
    # Absences.
    ("sequence with maxspan=1s [A where true] ![A where true] [B where true]", {}, ["useless-absence 41"]),
    ("sequence with maxspan=1s [A where true] ![B where true] [B where true]", {}, ["useless-absence 41"]),
    ("sequence with maxspan=1s [A where true] with runs=2 ![A where true] [B where true]", {}, ["useless-absence 53"]),
    ("sequence with maxspan=1s [A where true] [B where true] ![A where true] [C where true]", {}, []),
    (
        "sequence with maxspan=1s [A where true] ![C where true] ![C where x == 1] [B where true]",
        {},
        ["useless-absence 57"],
    ),
    (
        "sequence with maxspan=1s [A where true] ![C where true] ![C where true] [B where true]",
        {},
        ["useless-absence 41"],
    ),
    ("sequence by k with maxspan=1s [A where k == 1] ![C where k == 2] [B where true]", {}, ["useless-absence 48"]),
    (
        "sequence with maxspan=1ms [A where true] ![C where true] [B where true]",
        {"border": "timestamp"},
        ["useless-absence 42"],
    ),
    ("sequence with maxspan=2ms [A where true] ![C where true] [B where true]", {"border": "timestamp"}, []),
    (
        "sequence with maxspan=1ms ![C where true] [A where true] ![C where true]",
        ELASTIC,
        ["growing-wait 1", "useless-absence 27", "useless-absence 58"],
    ),
    ("sequence with maxspan=2ms ![C where true] [A where true] ![C where true]", ELASTIC, ["growing-wait 1"]),
    (
        "sequence with maxspan=1s [A where true] ![A where true] [B where true]",
        {"missing": "pending"},
        ["useless-absence 41?"],
    ),
    # Memory.
    ("sequence by k [A where true] [B where true]", {}, ["no-maxspan 1"]),
    ("sequence by k [A where k in (1, 2)] [B where true]", {}, []),
    ("sequence [A where true] [B where true]", {}, []),
    ("sequence by k with maxspan=1s [A where true] ![B where true]", {}, ["growing-wait 1"]),
    ("sequence by k with maxspan=1s [A where true] ![A where true]", {}, ["growing-wait 1?"]),
)
"""Queries, readings, and the codes and columns of the findings; `?` marks what is not decided."""

COVERED = "sequence with maxspan=1s [A where true] ![C where x == 1] [B where true] until [C where x in (1, 2)]"


def said(text: str, readings: Mapping[str, str], timeout: float = 5.0) -> list[str]:
    """The findings of a check, in the form of the cases."""
    report = check(text, timeout, readings_of(readings))
    return [
        f"{finding.code} {finding.span.start.column}{'?' * (finding.verdict is Verdict.NOT_PROVED)}"
        for finding in report.findings
    ]


@pytest.mark.parametrize(("text", "readings", "expected"), CASES, ids=[f"{t} {r}" for t, r, _ in CASES])
def test_the_findings_and_their_places(text: str, readings: Mapping[str, str], expected: list[str]) -> None:
    assert sorted(said(text, readings)) == sorted(expected)


def evidence(report: Report, guarantee: str) -> Any:
    (record,) = [entry.evidence for entry in report.guarantees if entry.name == guarantee]
    return record


def test_a_witness_is_a_trace_that_runs(tmp_path: Path, command: Command) -> None:
    text = 'sequence by k with maxspan=5ms [A where x : "cmd*"] ![C where true] [B where y + 1 == 10]'
    report = check(text)
    (tmp_path / "q.eql").write_text(text, encoding="utf-8")
    for name, traces in (("satisfiable", [evidence(report, "satisfiable")["trace"]]), ("", [])):
        for trace in traces or evidence(report, "effective-absences").values():
            (tmp_path / "t.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in trace), encoding="utf-8")
            results = command("run", tmp_path / "q.eql", tmp_path / "t.jsonl").out
            assert bool(results) is (name == "satisfiable")


def test_the_reasons_name_the_parts_that_clash() -> None:
    (keys,) = check("sequence by k with maxspan=1s [A where true] [B where k == 1] [C where k == 2]").of(
        "unsatisfiable-query"
    )
    assert [place.span.start.column for place in keys.places] == [46, 63]
    (covered,) = check(COVERED).of("useless-absence")
    assert "another part" in covered.reason[0]
    assert [place.span.start.column for place in covered.places] == [74]


def test_what_follows_can_be_left_out_at_once() -> None:
    report = check("A where x > 1 and x > 0 and (y == 1 or y == 1)")
    assert evidence(report, "every-condition-counts") == {"without": "A where x > 1 and y == 1\n"}


# --- Query schedules --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "schedule", "codes", "least"),
    [
        ("A where true", QuerySchedule(5, 4), [], 4),
        ("A where true", QuerySchedule(5, 3), ["unseen-result"], 4),
        ("A where true", QuerySchedule(5, 4, 2), ["unseen-result"], 6),
        ("A where true", QuerySchedule(5, 4, 2, True), [], 4),
        ("sequence with maxspan=9ms [A where true] [B where true]", QuerySchedule(5, 13), [], 13),
        ("sequence with maxspan=9ms [A where true] [B where true]", QuerySchedule(5, 12), ["unseen-result"], 13),
        ("sequence with maxspan=9ms [A where true] [B where true]", QuerySchedule(5, 14, 1), [], 14),
        ("sequence with maxspan=9ms [A where true] [B where true]", QuerySchedule(5, 15, 2), ["refuted-report"], 15),
        ("sequence with maxspan=9ms [A where true] ![B where true]", QuerySchedule(5, 13), ["refuted-report"], 4),
        ("sequence with maxspan=9ms ![B where true] [A where true]", QuerySchedule(5, 13), ["refuted-report"], 4),
        ("sequence with maxspan=0ms ![B where true] [A where true]", QuerySchedule(5, 13, 9), [], 13),
        (
            "sequence with maxspan=0ms ![B where true] [A where true]",
            QuerySchedule(5, 13, 1, True),
            ["refuted-report"],
            4,
        ),
        ("sequence with maxspan=9ms [A where true] [B where true]", QuerySchedule(1, 0, 2), ["unseen-result"], 11),
        ("sequence with maxspan=0ms [A where true] ![B where true]", QuerySchedule(5, 13), [], 4),
        ("sequence with maxspan=0ms [A where true] ![B where true]", QuerySchedule(5, 13, 1), ["refuted-report"], 5),
        ("sequence with maxspan=9ms [A where true] ![C where true] [B where true]", QuerySchedule(5, 13), [], 13),
        ("sequence [A where true] [B where true]", QuerySchedule(5, 1000), ["unseen-result"], None),
        ("sample by k [A where true] [B where true]", QuerySchedule(5, 9), ["refuted-report", "unseen-result"], None),
    ],
)
def test_queries_on_a_schedule(text: str, schedule: QuerySchedule, codes: list[str], least: int | None) -> None:
    report = check(text, schedule=schedule)
    about = {"unseen-result", "refuted-report"}
    assert sorted(finding.code for finding in report.findings if finding.code in about) == codes
    assert report.schedule is not None
    assert [row.least_lookback for row in report.schedule.rules] == [least]
    assert f"a query every {schedule.every} ms" in render(report)


def test_pipes_are_not_examined_on_a_schedule() -> None:
    report = check("A where true | head 1", schedule=QuerySchedule(5, 4))
    assert report.verdict("seen-by-a-run") is report.verdict("reports-stay-true") is Verdict.NOT_PROVED
    nothing = check("A where false", schedule=QuerySchedule(5, 4))
    assert nothing.verdict("seen-by-a-run") is Verdict.VACUOUS


# --- Reports and the command ------------------------------------------------------------------------------------------


def test_json_keeps_to_its_schema() -> None:
    for text, readings, _ in CASES[::7]:
        report = check(text, 5.0, readings_of(readings), QuerySchedule(5, 3))
        assert {entry.name for entry in report.guarantees} == set(GUARANTEES)
        jsonschema.validate(json.loads(json.dumps(report_to_json(report))), SCHEMA, cls=jsonschema.Draft202012Validator)


def test_every_code_has_a_case_and_is_in_the_documentation() -> None:
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | `{code.guarantee}` |" in page for name, code in CODES.items())
    covered = {finding.split()[0] for _, _, expected in CASES for finding in expected}
    assert covered | {"unseen-result", "refuted-report"} == set(CODES)
    assert {code.guarantee for code in CODES.values()} == set(GUARANTEES)


def test_without_time_nothing_is_proved_of_results() -> None:
    report = check("sequence by k with maxspan=1s [A where true] ![C where true] [B where true]", 0)
    assert report.verdict("satisfiable") is Verdict.NOT_PROVED
    assert report.verdict("effective-absences") is Verdict.NOT_PROVED
    assert report.exit_code == 4


def test_the_command(tmp_path: Path, command: Command) -> None:
    query, deployed = tmp_path / "q.eql", tmp_path / "d.toml"
    query.write_text("sequence by k with maxspan=1s [A where true] ![B where true]\n", encoding="utf-8")
    deployed.write_text(DEPLOYMENT, encoding="utf-8")
    assert command("check", query).code == 0
    assert command("check", query, "--every", "5m", "--lookback", "9m").code == 1
    assert command("check", query, "--reading", "until=never").code == 2
    assert command("check", query, "--every", "5m").code == 2
    record = json.loads(command("check", query, "--deployment", deployed, "--json").out)
    (keys,) = [entry["evidence"] for entry in record["guarantees"] if entry["name"] == "bounded-keys"]
    assert keys == sizes_of(query.read_text(encoding="utf-8"))
    query.write_text("sequence by k [A where k == 1] [B where k == 2]\n", encoding="utf-8")
    assert command("check", query).code == 1
    with pytest.raises(ProgramError):
        check("sequence [A where true]")


DEPLOYMENT = """
[[source]]
name = "s"
late = "20 ms"
at_most = 3
per = "100 ms"
emits = [{ template = "A" }, { template = "B" }]
"""


def sizes_of(text: str) -> Any:
    return evidence(check(text, deployment=read_deployment(DEPLOYMENT)), "bounded-keys")


def test_the_sizes_of_a_deployment() -> None:
    assert sizes_of("sequence by k with maxspan=1s [A where true] ![B where true]") == {
        "slots of a key": 0,
        "events in slots of a key": 0,
        "times of a key": 0,
        "keys": 0,
        "slots": 0,
        "waiting": 33,
        "held back": 6,
        "held back with a tiebreaker": 6,
    }


# --- Faults -----------------------------------------------------------------------------------------------------------

FAULTS = {fault["name"]: fault for fault in loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))["fault"]}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_checker_is_noticed(name: str) -> None:
    fault = FAULTS[name]
    text, readings = fault["query"], fault.get("readings", {})
    expected = next(findings for query, read, findings in CASES if (query, read) == (text, readings))
    with applied(Mutant(name, fault["function"], fault["before"], fault["after"])):
        try:
            changed = sorted(said(text, readings)) != sorted(expected)
        except Exception:
            changed = True
    assert changed, "the check says the same with the fault"
