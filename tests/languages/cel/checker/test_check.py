"""What is known of queries before a run: each code with its place, verdicts, figures, and the report."""

from __future__ import annotations

import json
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from parte.checker.report.contents import Report
from parte.checker.report.json_form import report_to_json
from parte.checker.solver.verdict import Verdict
from parte.languages.cel.checker.check import check
from parte.languages.cel.checker.codes import CODES, GUARANTEES
from parte.languages.cel.checker.growth import Growth
from parte.semantics.source.diagnostics import ProgramError
from tests.languages.cel.campaigns.queries import stream_in

ROOT = Path(__file__).resolve().parents[4]
SCHEMA = json.loads(files("parte.checker").joinpath("report.schema.json").read_text(encoding="utf-8"))


def said(text: str) -> list[str]:
    """Codes with their columns, and a question mark for what is open."""
    return [
        f"{finding.code} {finding.span.start.column}{'?' if finding.verdict is Verdict.NOT_PROVED else ''}"
        for finding in check(text).findings
    ]


CASES: tuple[tuple[str, list[str]], ...] = (
    # Predicates: NULL, kinds, numbers of both looks, strings, FALSE < TRUE.
    ("A FILTER A[v < 1 AND v > 2]", ["unsatisfiable-part 16", "unsatisfiable-query 16"]),
    ("A FILTER A[v > 1 AND v < 2] WITHIN 0 EVENTS", ["useless-window 44"]),
    ("A FILTER A[v > 9007199254740992 AND v < 9007199254740993]", ["unsatisfiable-part 16", "unsatisfiable-query 16"]),
    ("A FILTER A[v > 9007199254740992.0 AND v < 9007199254740994.0]", []),
    ("A FILTER A[v > 'a' AND v < 1]", ["unsatisfiable-part 16", "unsatisfiable-query 16"]),
    ("A FILTER A[v > 'a' AND v < 'b']", []),
    ("A FILTER A[v < FALSE]", ["unsatisfiable-part 16", "unsatisfiable-query 16"]),
    ("A FILTER A[v <= FALSE AND v < TRUE]", ["useless-condition 42"]),
    ("A FILTER A[NOT v < 1 AND NOT v >= 1]", []),  # an event without v
    ("A FILTER A[v < 1 OR v >= 1 OR NOT v = v]", []),  # not a string
    ("A FILTER A[v < 1 OR NOT v < 1]", ["useless-condition 25"]),
    ("A FILTER A[v = w AND w = x AND v != x]", ["unsatisfiable-part 16", "unsatisfiable-query 16"]),
    # Substreams.
    (
        "A; B FILTER A[v = 1] AND B[v = 2] PARTITION BY v",
        ["unsatisfiable-part 16", "unsatisfiable-query 16", "unbounded-space 16"],
    ),
    ("A:B FILTER A[v = 1] AND B[v = 1.0] PARTITION BY v", ["useless-condition 40"]),
    ("A FILTER A[NOT v = v] PARTITION BY v", []),  # a list
    # Clauses.
    ("A:B:C WITHIN 1 EVENTS", ["unsatisfiable-query 16"]),
    ("A:B:C WITHIN 2 EVENTS", ["useless-window 22"]),
    ("A:B:C FROM", ["error"]),
    ("A:B WITHIN 0 MS", []),
    ("A WITHIN 0 MS", ["useless-window 18"]),
    ("A:B WITHIN 5 EVENTS PARTITION BY v", ["error"]),
    ("A:B PARTITION BY v WITHIN 5 EVENTS", []),
    # Parts.
    ("A:B OR A:B OR C", ["useless-branch 23"]),
    ("A OR (A FILTER A[v > 0])", ["useless-branch 22"]),
    ("A:B OR (B FILTER B[v < v])", ["unsatisfiable-part 24", "useless-branch 24"]),
    ("(A:+):+ WITHIN 3 EVENTS", ["useless-iteration 17"]),
    ("PROJ (A) (A)", ["useless-projection 16"]),
    ("PROJ () (A)", ["empty-result 1"]),
    ("A FILTER b[v > 5]", ["unknown-variable 25"]),
    # Results and space.
    ("A; B", ["polynomial-results 16", "unbounded-space 16"]),
    ("A+", ["exponential-results 16", "unbounded-space 16"]),
    ("A:+", ["polynomial-results 16", "unbounded-space 16"]),
    ("A+ WITHIN 4 EVENTS", []),
    ("A+ WITHIN 4 MS", ["exponential-results 16"]),
    ("PROJ () (A : (B:+) : C)", ["empty-result 1"]),
    # Links.
    ("A:B FILTER A[v] < B[v]", ["unbounded-space 16"]),
    ("A:B FILTER A[v] < B[v] AND A[v] > B[v]", ["unbounded-space 16", "unsatisfiable-query 16"]),
    ("(A:B FILTER A[v] < B[v]):C", ["link-below-operator 28"]),
    ("A:B FILTER A[v] < B[v] AND A[v] < B[v] WITHIN 1 EVENTS", ["useless-condition 43", "useless-window 55"]),
    ("A:B FILTER A[v] < B[v] AND A[v] <= B[v] WITHIN 1 EVENTS", ["useless-condition 43?", "useless-window 56"]),
)


@pytest.mark.parametrize(("formula", "expected"), CASES, ids=[text for text, _ in CASES])
def test_what_is_said_and_where(formula: str, expected: list[str]) -> None:
    text = f"SELECT * WHERE {formula}"
    if expected == ["error"]:
        with pytest.raises(ProgramError):
            check(text)
    else:
        assert sorted(said(text)) == sorted(expected)


def test_selections_and_strategies() -> None:
    assert said("SELECT MAX * WHERE A:B") == ["useless-strategy 1"]
    assert said("SELECT STRICT * WHERE A; B WITHIN 3 EVENTS") == ["useless-window 28"]
    assert said("SELECT STRICT A WHERE A:B:A") == ["unsatisfiable-query 23"]
    assert said("SELECT A, B WHERE A:B") == ["useless-selection 1"]
    assert said("SELECT A WHERE A:B") == []
    assert said("SELECT NXT * WHERE A:B FILTER A[v] = B[v] WITHIN 2 EVENTS") == [
        "useless-strategy 1?",
        "link-with-strategy 31",
        "useless-window 43",
    ]


def figures(text: str) -> dict[str, Any]:
    """What is computed of a query."""
    evidence: dict[str, Any] = {}
    for guarantee in check(text).guarantees:
        evidence |= guarantee.evidence
    return evidence


def test_numbers() -> None:
    known = figures("SELECT * WHERE A+ WITHIN 4 EVENTS")
    assert known["results at one event"] == 2**4 + 2**3 - 2**3  # every subset of the four events before the last
    assert known["deterministic states"] == 2
    assert known["length of union-lists"] == 4
    assert figures("SELECT * WHERE A:B")["nodes kept"] is not None
    assert figures("SELECT * WHERE A:B OR A:A:B")["results at one event"] == 2


def test_reasons_name_what_clashes() -> None:
    (part,) = check("SELECT * WHERE (A AS x; B) FILTER x[v < 1 AND w > 2] AND x[v > 2]").of("unsatisfiable-part")
    assert part.reason == ("no event of type A fulfils `v < 1 AND w > 2` and `v > 2`",)
    (apart,) = check("SELECT * WHERE A:B FILTER A[v = 1] AND B[v = 2] PARTITION BY v").of("unsatisfiable-part")
    assert apart.reason == ("events of one substream have the same v, and none fit together",)
    (window,) = check("SELECT * WHERE A:B:C WITHIN 1 EVENTS").of("unsatisfiable-query")
    assert window.reason == ("what fits takes 3 events, and from the first to the last the window admits 2",)


def test_all_that_is_useless_can_go_at_once() -> None:
    (twice,) = check("SELECT * WHERE A OR A").findings
    assert twice.evidence == {"without": "SELECT *\nWHERE A\n"}
    assert [finding.code for finding in check("SELECT * WHERE A OR A OR A").findings] == ["useless-branch"] * 2


def test_a_family_grows_as_it_is_said_to() -> None:
    (finding,) = check("SELECT * WHERE A; B; C WITHIN 5 MS").of("polynomial-results")
    assert "with degree 2" in finding.message
    evidence: Any = finding.evidence
    assert [run["n"] for run in evidence["replayed"]] == [2, 4]
    assert evidence["replayed"][1]["found"] >= 16
    assert stream_in(evidence)
    assert Growth(2, ((), ())).least(3) == 9
    assert Growth(None).least(3) == 8


def test_a_large_query_is_not_decided_and_does_not_hang() -> None:
    large = (
        "SELECT * WHERE " + "; ".join(f"A{number}" for number in range(2000)),
        "SELECT * WHERE (A; B) FILTER " + " AND ".join(f"(A[v{n} = 1] OR B[w{n} = 1])" for n in range(40)),
        "SELECT * WHERE A FILTER " + " OR ".join(f"A[v{number} = 1]" for number in range(60)),
    )
    for text in large:
        started = time.monotonic()
        report = check(text, 0.3)
        decided = text == large[2]
        assert report.verdict("satisfiable") is (Verdict.PROVED if decided else Verdict.NOT_PROVED)
        assert report.exit_code == (0 if decided else 4)
        assert report.verdict("every-part-counts") is Verdict.NOT_PROVED
        assert time.monotonic() - started < 30


def test_without_time_nothing_is_guaranteed() -> None:
    report = check("SELECT * WHERE A:B+", 0)
    proved = {guarantee.name for guarantee in report.guarantees if guarantee.verdict is Verdict.PROVED}
    assert proved == {"bound-variables", "runs", "every-clause-counts"}
    assert report.exit_code == 4


# --- Reports ----------------------------------------------------------------------------------------------------------


def kept_to_schema(report: Report) -> None:
    """JSON as any check has it."""
    record = json.loads(json.dumps(report_to_json(report, "query")))
    jsonschema.validate(record, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_json_keeps_to_its_schema() -> None:
    for formula, expected in CASES[::9]:
        if expected != ["error"]:
            kept_to_schema(check(f"SELECT * WHERE {formula}"))


def test_every_code_has_a_case_and_stands_in_the_documentation() -> None:
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | `{code.guarantee}` |" in page for name, code in CODES.items())
    covered = {finding.split()[0] for _, expected in CASES for finding in expected}
    text = Path(__file__).read_text(encoding="utf-8")
    assert all(name in covered or f'"{name} ' in text or name == "too-many-states" for name in CODES)
    assert {code.guarantee for code in CODES.values()} == set(GUARANTEES)
