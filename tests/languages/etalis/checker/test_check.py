"""What is known of programs before a run: each code with its place, verdicts, bounds, and the report."""

from __future__ import annotations

import json
import time
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from parte.checker.report.contents import Report
from parte.checker.report.json_form import report_to_json
from parte.checker.solver.verdict import Verdict
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.checker.check import check
from parte.languages.etalis.checker.codes import CODES, GUARANTEES
from parte.languages.etalis.checker.names import is_near
from parte.languages.etalis.semantics.machine import UnsupportedPolicy
from parte.semantics.source.diagnostics import ProgramError

ROOT = Path(__file__).resolve().parents[4]
SCHEMA = json.loads(files("parte.checker").joinpath("report.schema.json").read_text(encoding="utf-8"))


def said(text: str, policy: str = "unrestricted", readings: Readings | None = None) -> list[str]:
    """Codes with their columns, and a question mark for what is open; without what is kept."""
    return [
        f"{finding.code} {finding.span.start.column}{'?' if finding.verdict is Verdict.NOT_PROVED else ''}"
        for finding in check(text, 5, policy, readings or Readings()).findings
        if finding.code != "unbounded-goals"
    ]


CASES: tuple[tuple[str, list[str]], ...] = (
    # Times.
    ("e <- (a SEQ b).0.", ["unsatisfiable-rule 6"]),
    ("e <- (a SEQ b).0.5.", []),
    ("e <- a DURING (b SEQ c).", ["unsatisfiable-rule 6"]),
    ("e <- a PAR (b SEQ c).", ["unsatisfiable-rule 6"]),
    ("e <- (a SEQ b) DURING (c SEQ d).", []),
    ("e <- (a SEQ b) EQUALS c.", ["unsatisfiable-rule 7"]),
    ("e <- a STARTS (b SEQ c).", []),
    ("e <- (a SEQ b) STARTS c.", ["unsatisfiable-rule 7"]),
    ("e <- a FINISHES (b SEQ c).", []),
    ("e <- a MEETS b.", []),
    ("e <- (a SEQ 5) SEQ 3.", ["unsatisfiable-rule 7"]),
    ("e <- 3 SEQ (a SEQ 5).", []),
    ("e <- (((a SEQ b).3 SEQ c) DURING (d SEQ f)).2.", []),
    ("e <- NOT(3).[2, 4].", ["unsatisfiable-rule 6"]),
    ("i <- (a SEQ b).3. e <- ((c SEQ d) DURING i).4.", ["useless-length 24"]),
    # Values.
    ("e(X) <- (a(X) WHERE X > 2) WHERE X < 1.", ["unsatisfiable-rule 10"]),
    ('e(X) <- a(X) WHERE X < "b" WHERE X > "b".', ["unsatisfiable-rule 9"]),
    ('e(X) <- a(X) WHERE X < "b" WHERE X > "a".', []),
    ('e(X) <- a(X) WHERE X < "b" WHERE X > 1.', ["unsatisfiable-rule 9"]),
    ("e(X) <- a(X) WHERE X < true.", ["unsatisfiable-rule 9"]),
    ("e(X) <- a(X) WHERE (X < 1) = false.", []),
    ("e(X) <- a(X) WHERE 2 * X = 3.", []),
    ("e(X) <- a(X) WHERE X / 0 = X.", ["unsatisfiable-rule 9"]),
    ("e(X / 0) <- a(X).", ["unsatisfiable-rule 1"]),
    ("e(X / Y) <- a(X, Y).", ["head-without-value 1"]),
    ("e(X / Y) <- a(X, Y) WHERE Y != 0.", []),
    ("e <- a(X) SEQ b(X) WHERE X != X.", ["unsatisfiable-rule 6"]),
    # Through other rules.
    ("f(X) <- a(X) WHERE X > 5. e(X) <- f(X) WHERE X < 3.", ["derived-events-needed 27"]),
    ("f(1) <- a. e <- f(2).", ["derived-events-needed 12"]),
    ("f <- a SEQ b. e <- (f).0.", ["derived-events-needed 15"]),
    ("path(X, Z) <- path(X, Y) SEQ path(Y, Z).", []),
    ("e <- a OR e.", ["useless-branch 11"]),
    # Parts.
    ("e(X) <- a(X) WHERE X = X.", ["useless-condition 20"]),
    ("e(X) <- a(X) WHERE X <= X.", []),  # Booleans have no order
    ("e <- (a).3.", ["useless-length 6"]),
    ("e <- (a OR a) SEQ c.", ["useless-branch 12"]),
    ("e(X) <- a(X) OR (a(X) WHERE X > 1).", ["useless-branch 18"]),
    ("e <- (a OR b DURING c) SEQ d.", ["unsatisfiable-rule 7"]),  # one precedence: (a OR b) DURING c
    ("e <- (a OR (b DURING c)) SEQ d.", ["unsatisfiable-part 13"]),
    ("e(X) <- (a(X) OR b(X)) AND a(X).", []),
    ("e <- NOT(b DURING c).[a, d].", ["unsatisfiable-part 10"]),
    ("e <- NOT(b WHERE 1 > 2).[a, d].", ["unsatisfiable-part 10"]),
    ("e <- NOT(b SEQ c).[a, d].", []),
    ("e <- (NOT(b SEQ c).[3, 4] WHERE 1 = 1).", ["useless-condition 33"]),
    ("e <- NOT(2).[3, a].", ["useless-negation 6"]),
    ("e <- NOT(a OR a).[b, c].", ["useless-branch 15"]),
    ("e(X) <- a(X). e(Y) <- a(Y) WHERE Y > 1.", ["useless-rule 15"]),
    ("e(X) <- a(X) WHERE X < 2. e(Y) <- a(Y) WHERE Y > 1.", []),
    # Recursion.
    ("n(X) <- a(X). n(X + 1) <- n(X).", ["endless-recursion 15"]),
    ("n(X) <- a(X). n(X + 1) <- n(X) WHERE X < 10.", ["long-recursion 15"]),
    ("n(X) <- a(X). n(X + 1) <- n(X) WHERE X < 10 WHERE X > 0.", []),
    ("n(X) <- a(X). n(X + 1) <- n(X) AND a(X).", []),
    ("n(X) <- a(X). n(X + Y) <- n(X) SEQ a(Y).", []),
    ("n(X) <- a(X). m(X) <- n(X). n(X * 2) <- m(X) WHERE X != 0.", ["endless-recursion 29"]),
    ("e(X, Y) <- a(X, Y). e(Y, X) <- e(X, Y).", []),
    ("w <- a SEQ b. v <- NOT(v).[a, w].", ["recursive-negation 20", "useless-negation 20?"]),
    # Names.
    ("alarms <- smoke SEQ heat. call <- alarm SEQ nobody.", ["similar-name 1", "similar-name 35"]),
    ("open <- opens SEQ closes.", []),
    ("e <- NOT(d).[a, b", ["error"]),
)


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_what_is_said_and_where(text: str, expected: list[str]) -> None:
    if expected == ["error"]:
        with pytest.raises(ProgramError):
            check(text)
    else:
        assert sorted(said(text)) == sorted(expected)


def test_readings() -> None:
    assert said("e <- a DURING (b SEQ c).", readings=Readings(during="instants")) == []
    assert said("e <- (a).3.", readings=Readings(lasting="exactly")) == ["unsatisfiable-rule 6"]
    assert said("e <- (a).0.", readings=Readings(lasting="exactly")) == ["useless-length 6"]
    with pytest.raises(UnsupportedPolicy):
        check("e <- a SEQ b.", policy="recent", readings=Readings(negation="intervals"))


# --- What is kept -----------------------------------------------------------------------------------------------------


def goal_bounds(text: str, policy: str = "unrestricted") -> list[str]:
    """What is said of each operand that waits: which it is, and the bound, `?` if there is none."""
    bounds = []
    for guarantee in check(text, policy=policy).guarantees:
        if guarantee.name == "bounded-space":
            bound = guarantee.detail.split(";")[0] if guarantee.verdict is Verdict.PROVED else "?"
            bounds.append(f"{str(guarantee.rule).split(',')[0].strip('`')}: {bound}")
    return bounds


@pytest.mark.parametrize(
    ("text", "policy", "expected"),
    [
        ("e <- a SEQ b.", "unrestricted", ["a: ?"]),
        ("e <- (a SEQ b).5.", "unrestricted", ["a: less than 5 after its end"]),
        ("e <- (a SEQ b).5.", "recent", ["a: the last one"]),
        ("e <- (a SEQ b).5.", "recent-consuming", ["a: less than 5 after its end"]),
        ("e <- (a SEQ b).5.", "chronological", ["a: ?"]),
        ("e(X) <- a(X) SEQ b(X).", "recent", ["a(X): the last one for each X"]),
        ("e <- a SEQ (b SEQ c).", "recent", ["b: the last one", "a: ?"]),
        ("e <- (a AND b).5.", "unrestricted", ["a: less than 5 after its end", "b: less than 5 after its end"]),
        ("e <- (a AND b).5.", "recent-consuming", ["a: ?", "b: ?"]),
        ("e <- a EQUALS b.", "unrestricted", ["a: until its instant is over", "b: until its instant is over"]),
        (
            "i <- (a SEQ b).3. e <- c STARTS i.",
            "unrestricted",
            ["a: less than 3 after its end", "c: less than 3 after its end"],
        ),
        ("e <- a DURING (b SEQ c).", "unrestricted", ["b: ?", "a: nothing of it is ever kept"]),
        ("e <- NOT(c).[a, b].", "unrestricted", ["a: ?", "c: the last one"]),
        (
            "e <- (NOT(c).[a, b SEQ d]).9.",
            "unrestricted",
            ["b: less than 9 after its end", "a: less than 9 after its end", "c: less than 9 after its end"],
        ),
    ],
)
def test_what_is_kept(text: str, policy: str, expected: list[str]) -> None:
    assert [bound.split(",")[0] for bound in goal_bounds(text, policy)] == expected


def test_what_grows_is_shown_at_three_sizes() -> None:
    (finding,) = check("e(X) <- a(X, Y) SEQ b WHERE Y > 1.").of("unbounded-goals")
    evidence = json.loads(json.dumps(dict(finding.evidence)))
    assert [run["found"] for run in evidence["replayed"]] == [8, 16, 32]
    assert evidence["repeated"][0]["template"] == "a"
    assert finding.reason[0] == "each may be wanted by any `b` that is still to come"


# --- Reports ----------------------------------------------------------------------------------------------------------


def test_the_example_has_no_fault_but_that_it_keeps_everything() -> None:
    report = check((ROOT / "examples" / "bakery" / "oven.etalis").read_text(encoding="utf-8"))
    assert {finding.code for finding in report.findings} <= {"unbounded-goals"}
    assert report.exit_code == 0
    assert [guarantee.verdict for guarantee in report.guarantees if guarantee.name == "can-happen"] == [
        Verdict.PROVED
    ] * 5


def test_reasons_name_what_excludes_everything() -> None:
    text = "e(X) <- a(X) SEQ ((b(X) SEQ c).2 WHERE X > 3) WHERE X < 3."
    (finding,) = check(text).of("unsatisfiable-rule")
    assert finding.reason == ("`X < 3` does not hold of anything that `a(X) SEQ ((b(X) SEQ c).2 WHERE X > 3)` finds",)
    (finding,) = check("e <- (a SEQ b) STARTS c.").of("unsatisfiable-rule")
    assert finding.reason == (
        "nothing that `a SEQ b` finds begins with one of `c` and ends before it",
        "`c` happens at instants only",
    )


def test_without_time_nothing_is_guaranteed() -> None:
    report = check("e(X) <- a(X) SEQ b WHERE X > 1.", 0)
    assert report.verdict("can-happen", "e, line 1") is Verdict.NOT_PROVED
    assert report.verdict("every-part-counts") is Verdict.NOT_PROVED
    assert report.exit_code == 4


def test_a_large_program_is_not_decided_and_does_not_hang() -> None:
    doubled = "e0 <- a SEQ b. " + " ".join(f"e{n + 1} <- e{n} SEQ e{n}." for n in range(12))
    started = time.monotonic()
    report = check(doubled, 0.2)
    assert report.verdict("can-happen", "e12, line 1") is Verdict.NOT_PROVED
    assert time.monotonic() - started < 60


def kept_to_schema(report: Report) -> None:
    """JSON as any check has it."""
    record = json.loads(json.dumps(report_to_json(report, "program")))
    jsonschema.validate(record, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_json_keeps_to_its_schema() -> None:
    for text, expected in CASES[::11]:
        if expected != ["error"]:
            kept_to_schema(check(text))


def test_every_code_has_a_case_and_stands_in_the_documentation() -> None:
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | `{code.guarantee}` |" in page for name, code in CODES.items())
    covered = {finding.split()[0] for _, expected in CASES for finding in expected} | {"unbounded-goals"}
    assert set(CODES) <= covered
    assert {code.guarantee for code in CODES.values()} == set(GUARANTEES)


@pytest.mark.parametrize(
    ("first", "second", "near"),
    [("open", "opens", True), ("alarm", "alram", True), ("alarm", "alert", False)],
)
def test_names_that_are_near(first: str, second: str, near: bool) -> None:
    assert is_near(first, second) is is_near(second, first) is near
