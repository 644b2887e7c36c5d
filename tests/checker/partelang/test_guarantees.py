"""Each verdict of the checker, positive and negative, with its code and its place."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parte.checker.partelang.check import check
from parte.checker.partelang.codes import CODES, GUARANTEES
from parte.checker.report.contents import Finding, Report, Severity
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.domain import read_domain
from parte.semantics.partelang.syntax import core, functions
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.spans import Position

TEMPLATES = """\
template A { id : Integer, k : Integer, x : Float, s : String, b : Boolean }
template B { k : Integer, x : Float, s : String }
template C { k : Integer }
template D { k : Integer }
"""
FIRST = TEMPLATES.count("\n") + 1
"""The line on which the rules of a program begin."""


def report_of(rules: str, *, timeout: float = 10) -> Report:
    return check(TEMPLATES + rules, timeout=timeout)


def place(rules: str, text: str, occurrence: int = 0) -> Position:
    """Where a text stands in the program that `rules` becomes."""
    offset = -1
    for _ in range(occurrence + 1):
        offset = rules.index(text, offset + 1)
    before = rules[:offset]
    return Position(FIRST + before.count("\n"), offset - (before.rfind("\n") + 1) + 1)


# Code, severity, the rules, and the text at which the finding points (with its occurrence).
REFUTED: list[tuple[str, Severity, str, str, int]] = [
    (
        "recursive-rules",
        Severity.ERROR,
        "rule R where a : A {} c : C {} when c in a [0 ms, 5 ms] then emit C at a.timestamp with { k = a.k }",
        "C at",
        0,
    ),
    (
        "recursive-rules",
        Severity.ERROR,
        "rule R where c : C {} then emit D at c.timestamp with { k = 1 }\n"
        "rule S where d : D {} then emit C at d.timestamp with { k = 1 }",
        "D at",
        0,
    ),
    ("unrelated-variables", Severity.ERROR, "rule R where a : A {} other : B {}", "other", 0),
    ("unbounded-negation", Severity.ERROR, "rule R where a : A {} no other : B {}", "other", 0),
    (
        "contradictory-windows",
        Severity.ERROR,
        "rule Rule where a : A {} b : B {} c : C {}\n"
        "when b in a [0 ms, 5 ms]\nc in b [0 ms, 5 ms]\nc in a [11 ms, 20 ms]",
        "Rule",
        0,
    ),
    (
        "contradictory-negation",
        Severity.WARNING,
        "rule R where a : A {} no other : B {} when no other in a [0 ms, 5 ms] no other in a [6 ms, 9 ms]",
        "other",
        0,
    ),
    (
        "useless-negation",
        Severity.WARNING,
        "rule R where a : A { k > 5 } no other : B { k = a.k, k < 3 } when no other in a [0 ms, 5 ms]",
        "other",
        0,
    ),
    (
        "redundant-constraint",
        Severity.NOTE,
        "rule R where a : A {} b : B {} when b in a [0 ms, 5 ms], b in a [-1 ms, 5 ms]",
        "b in a [-1",
        0,
    ),
    (
        "loose-constraint",
        Severity.NOTE,
        "rule R where a : A {} b : B {} c : C {} when b in a [0 ms, 5 ms], c in b [0 ms, 5 ms], c in a [-1 ms, 9 ms]",
        "c in a",
        0,
    ),
    (
        "unsatisfiable-pattern",
        Severity.ERROR,
        "rule R where a : A {} mad : A { k > 3, k < 3 } when mad in a [0 ms, 1 ms]",
        "mad",
        0,
    ),
    (
        "unsatisfiable-pattern",
        Severity.ERROR,
        'rule R where a : A {} no mad : A { s < "" } when no mad in a [0 ms, 1 ms]',
        "mad",
        0,
    ),
    (
        "never-matches",
        Severity.ERROR,
        "rule Rule where a : A { k > 3 } b : B { k = a.k, k < 3 } when b in a [0 ms, 5 ms]",
        "Rule",
        0,
    ),
    (
        "self-blocked",
        Severity.ERROR,
        "rule R where a : A { k > 3 } no other : A { k > 2 } when no other in a [0 ms, 5 ms]",
        "other",
        0,
    ),
    (
        "partly-self-blocked",
        Severity.WARNING,
        "rule R where a : A {} no other : A { k > 2 } when no other in a [0 ms, 5 ms]",
        "other",
        0,
    ),
    ("implied-condition", Severity.NOTE, "rule R where a : A { k > 3, k > 2 }", "k > 2", 0),
    ("implied-condition", Severity.NOTE, "rule R where a : A { s = s }", "s = s", 0),
]

# The nearest programs without the flaw.
HOLDING: list[tuple[str, str]] = [
    (
        "recursive-rules",
        "rule R where a : A {} c : C {} when c in a [0 ms, 5 ms] then emit D at a.timestamp with { k = a.k }",
    ),
    ("unrelated-variables", "rule R where a : A {} b : B {} c : C {} when c in a [0 ms, 1 ms], c in b [0 ms, 1 ms]"),
    ("unbounded-negation", "rule R where a : A {} no other : B {} when no other in a [0 ms, 0 ms]"),
    (
        "contradictory-windows",
        "rule Rule where a : A {} b : B {} c : C {}\n"
        "when b in a [0 ms, 5 ms] c in b [0 ms, 5 ms] c in a [10 ms, 20 ms]",
    ),
    (
        "contradictory-negation",
        "rule R where a : A {} no other : B {} when no other in a [0 ms, 5 ms] no other in a [5 ms, 9 ms]",
    ),
    (
        "useless-negation",
        "rule R where a : A { k > 5 } no other : B { k = a.k, k < 7 } when no other in a [0 ms, 5 ms]",
    ),
    ("redundant-constraint", "rule R where a : A {} b : B {} when b in a [0 ms, 5 ms], b in a [-1 ms, 4 ms]"),
    ("loose-constraint", "rule R where a : A {} b : B {} c : C {} when b in a [0 ms, 5 ms], c in b [0 ms, 5 ms]"),
    ("unsatisfiable-pattern", "rule R where a : A { k >= 3, k <= 3 }"),
    ("never-matches", "rule R where a : A { k >= 3 } b : B { k = a.k, k <= 3 } when b in a [0 ms, 5 ms]"),
    ("self-blocked", "rule R where a : A { k > 3 } no other : A { k > 3 } when no other in a [1 ms, 5 ms]"),
    ("partly-self-blocked", "rule R where a : A { k > 3 } no other : A { k <= 3 } when no other in a [0 ms, 5 ms]"),
    ("implied-condition", 'rule R where a : A { k > 2, k < 9, s > "a", x > 0.5 }'),
]


@pytest.mark.parametrize(("code", "severity", "rules", "text", "occurrence"), REFUTED)
def test_a_flaw_is_found(code: str, severity: Severity, rules: str, text: str, occurrence: int) -> None:
    report = report_of(rules)
    (finding,) = report.of(code)
    assert finding.severity is severity
    assert finding.verdict is Verdict.REFUTED
    assert finding.span.start == place(rules, text, occurrence)
    assert finding.source_line == (TEMPLATES + rules).split("\n")[finding.span.start.line - 1]
    assert finding.hint
    assert report.exit_code == (1 if severity is Severity.ERROR else 0)
    assert report.exit_code_of(strict=True) == (0 if severity is Severity.NOTE else 1)
    guarantee = CODES[code].guarantee
    assert Verdict.REFUTED in {claim.verdict for claim in report.guarantees if claim.name == guarantee}


@pytest.mark.parametrize(("code", "rules"), HOLDING)
def test_nothing_is_found_without_the_flaw(code: str, rules: str) -> None:
    report = report_of(rules)
    assert not report.of(code)
    assert report.exit_code == 0
    guarantee = CODES[code].guarantee
    verdicts = {claim.verdict for claim in report.guarantees if claim.name == guarantee}
    if code not in ("redundant-constraint",):  # another finding is about the same guarantee
        assert verdicts == {Verdict.PROVED}


def test_every_code_is_provoked() -> None:
    elsewhere = {
        "non-monotone-at",
        "unbounded-size",
        "falls-behind",
        "never-recovers",
    }  # test_monotone, test_deployment
    of_sets = {"empty-set", "unbounded-set", "unreachable-count", "unsatisfiable-having", "useless-having"}  # test_sets
    of_cases = {"covered-alternative"}  # test_level_2_alternatives
    of_schedules = {"unseen-match", "refuted-report"}  # scheduled/test_schedules
    tested = {code for code, *_ in REFUTED} | elsewhere | of_sets | of_cases | of_schedules
    assert tested == set(CODES)
    assert {code.guarantee for code in CODES.values()} == set(GUARANTEES)


def test_an_invalid_program_has_no_report() -> None:
    with pytest.raises(ProgramError) as caught:
        report_of("rule R where a : A { nothing = 1 } b : B {}")
    assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {"unknown-attribute", "unrelated-variables"}


# --- What the evidence says ----------------------------------------------------------------------------------------


def only(report: Report, code: str) -> Finding:
    (finding,) = report.of(code)
    return finding


def test_strata_are_a_certificate() -> None:
    report = report_of(
        "rule S where c : C {} then emit D at c.timestamp with { k = 1 }\n"
        "rule R where a : A {} then emit C at a.timestamp with { k = 1 }"
    )
    assert report.strata == {"A": 0, "B": 0, "C": 1, "D": 2}
    assert report.verdict("stratified") is Verdict.PROVED


def test_the_shortest_cycle_is_shown() -> None:
    rules = (
        'rule Long1 where a : A {} then emit B at a.timestamp with { k = 1, x = 1.0, s = "" }\n'
        "rule Long2 where b : B {} then emit C at b.timestamp with { k = 1 }\n"
        'rule Long3 where c : C {} then emit A at c.timestamp with { id = 1, k = 1, x = 1.0, s = "", b = true }\n'
        "rule Short1 where c : C {} then emit D at c.timestamp with { k = 1 }\n"
        "rule Short2 where d : D {} then emit C at d.timestamp with { k = 1 }"
    )
    finding = only(report_of(rules), "recursive-rules")
    cycle = finding.evidence["cycle"]
    assert cycle == [
        {"reacts_to": "D", "rule": "Short2", "emits": "C"},
        {"reacts_to": "C", "rule": "Short1", "emits": "D"},
    ]
    assert [edge.label for edge in finding.places] == ["`Short2` emits `C`"]


def test_clashing_constraints_are_minimal() -> None:
    rules = (
        "rule R where a : A {} b : B {} c : C {} d : D {}\n"
        "when d in a [0 ms, 9 ms]\nb in a [0 ms, 5 ms]\nc in b [0 ms, 5 ms]\nc in a [11 ms, 20 ms]"
    )
    finding = only(report_of(rules), "contradictory-windows")
    assert [named.span.start for named in finding.places] == [
        place(rules, "b in a"),
        place(rules, "c in b"),
        place(rules, "c in a"),
    ]


def test_the_closure_is_a_table() -> None:
    report = report_of("rule R where a : A {} b : B {} no c : C {} when b in a [1 ms, 2 ms] no c in b [-1 ms, 3 ms]")
    (table,) = report.closures
    rows = [(row.subject, row.reference, row.negated, row.lower, row.upper) for row in table.distances]
    assert rows == [("b", "a", False, 1, 2), ("c", "a", True, 0, 5), ("c", "b", True, -1, 3)]


def test_all_pairs_without_bounds_are_named() -> None:
    report = report_of("rule R where a : A {} b : B {} c : C {} d : D {} when c in a [0 ms, 1 ms], d in b [0 ms, 1 ms]")
    finding = only(report, "unrelated-variables")
    assert finding.evidence["pairs"] == [["b", "a"], ["c", "b"], ["d", "a"], ["d", "c"]]


def test_a_loose_constraint_is_tightened() -> None:
    rules = (
        "rule R where a : A {} b : B {} c : C {} when b in a [0 ms, 5 ms], c in b [0 ms, 5 ms], c in a [-9 ms, 4 ms]"
    )
    tight = {
        str(finding.evidence["constraint"]): (finding.evidence["lower"], finding.evidence["upper"])
        for finding in report_of(rules).of("loose-constraint")
    }
    assert tight == {"b in a [0 ms, 5 ms]": (0, 4), "c in b [0 ms, 5 ms]": (0, 4), "c in a [-9 ms, 4 ms]": (0, 4)}


@pytest.mark.parametrize(
    ("windows", "is_loose"),
    [
        ("b in a [1 ms, 1 minute], c in b [1 ms, 1 minute], c in a [1 ms, 1 minute]", False),
        ("b in a [1 ms, 1 seconds], c in b [1 ms, 1 seconds], c in a [1 ms, 1 seconds]", False),
        ("b in a [1 ms, 50 ms], c in b [1 ms, 50 ms], c in a [1 ms, 50 ms]", True),
        ("b in a [0 ms, 1 minute], c in b [0 ms, 1 minute], c in a [0 ms, 59 seconds]", True),
        ("b in a [5 ms, 1 minute], c in b [0 ms, 1 minute], c in a [0 ms, 1 minute]", True),
    ],
)
def test_strict_order_within_a_minute_loosens_nothing(windows: str, is_loose: bool) -> None:
    report = report_of(f"rule R where a : A {{}} b : B {{}} c : C {{}} when {windows}")
    assert bool(report.of("loose-constraint")) is is_loose
    assert not report.of("redundant-constraint")


def test_conditions_that_exclude_each_other_are_minimal() -> None:
    rules = "rule R where a : A { b = true, k > 3 } b : B { x > 1.0, k = a.k, k < 3 } when b in a [0 ms, 5 ms]"
    finding = only(report_of(rules), "never-matches")
    assert [named.label for named in finding.places] == ["a.k > 3", "b.k = a.k", "b.k < 3"]
    assert [named.span.start for named in finding.places] == [
        place(rules, "k > 3"),
        place(rules, "k = a.k"),
        place(rules, "k < 3"),
    ]


def test_implied_conditions_say_by_what() -> None:
    rules = "rule R where a : A { k > 3 } b : B { x < 9.0, k = a.k, k > 2 } when b in a [0 ms, 5 ms]"
    finding = only(report_of(rules), "implied-condition")
    assert finding.evidence == {"condition": "b.k > 2", "by": ["a.k > 3", "b.k = a.k"]}


def test_a_rule_that_can_match_has_a_trace() -> None:
    report = report_of("rule R where a : A { k > 3 } b : B { x = a.x } when b in a [2 ms, 5 ms]")
    (guarantee,) = (guarantee for guarantee in report.guarantees if guarantee.name == "can-match")
    assert guarantee.verdict is Verdict.PROVED
    trace = guarantee.evidence["trace"]
    assert isinstance(trace, list)
    assert len(trace) == 2


# --- Executed arithmetic -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "possible"),
    [
        ("k + 1 < k", False),  # an overflow has no value, and does not wrap around
        ("k * 2 < k, k > 0", False),
        ("-k = k, k < 0", False),
        ("abs(k) < 0", False),
        ("k * k = 1524157875019052100", True),
        ("k * k = 2", False),
        ("k + 1 > k", True),
        ("x + 1.0 = x", True),  # but only beyond 2^53
        ("x + 1.0 = x, x < 1000000.0, x > 0.0", False),
        ("x > 1.0, x < 1.0000000000000002", False),  # nothing lies between neighbours
        ("x > 1.0, x < 1.0000000000000004", True),
        ("x * 0.1 = 0.30000000000000004", True),
        ("x = 0.1, x + 0.2 = 0.3", False),  # as everyone knows
        ("x = 0.1, x + 0.2 > 0.3", True),
        ("x / 0.0 = 1.0", False),
        ("x * 1e308 > 1e308, x < 1.0", False),
        ("x > 0.0, x / 2.0 = 0.0", True),  # the least Float above zero
        ("x > 0.0, x < 5e-324", False),
        ("k = 9007199254740993, k = x", True),  # an Integer compared with a Float is converted first
        ("k = 9007199254740993, x = k, x > 9007199254740992.0", False),
        ("k = 9007199254740993, x = 9007199254740992.0, x >= k", True),
        ('s < ""', False),
        ('s > "a", s < "a\\u0000"', False),
        ('s > "a", s < "a\\u0000\\u0000"', True),
        ('s > "z", s < "\\u00e9"', True),
        ("min(k, 3) > 3", False),
        ("max(k, 3) < 4, k > 2", True),
        ("avg(k, 3) = 3.5", True),
        ("sum(k, 1) = -9223372036854775808", False),
        ("b = (k > 3), b = false, k > 4", False),
        ("b != b", False),
    ],
)
def test_verdicts_are_those_of_executed_arithmetic(condition: str, possible: bool) -> None:
    report = report_of(f"rule R where a : A {{ {condition} }}")
    expected = Verdict.PROVED if possible else Verdict.REFUTED
    assert report.verdict("can-match", "R") is expected
    assert bool(report.of("unsatisfiable-pattern")) is not possible


def test_what_is_over_approximated_is_not_proved() -> None:
    if functions.lookup("checker_test_root") is None:
        functions.register(functions.Function("checker_test_root", 1, 1, core.Scalar.FLOAT, lambda value: value**2))
    # Squares are not negative; of the function the solver knows nothing.
    report = report_of("rule R where a : A { checker_test_root(x) < 0.0 }", timeout=2)
    assert report.verdict("can-match", "R") is Verdict.NOT_PROVED
    finding = only(report, "never-matches")
    assert finding.severity is Severity.WARNING
    assert finding.hint.startswith("run it to see: this depends on the function `checker_test_root`, which the solver")
    assert report.exit_code == 4
    assert report_of("rule R where a : A { checker_test_root(x) < 0.0, x < 1.0, x > 2.0 }").exit_code == 1
    assert report_of("rule R where a : A { checker_test_root(x) >= 0.0 }").verdict("can-match", "R") is Verdict.PROVED


def test_no_question_hangs() -> None:
    hard = "x * x * x + a.x * x - x * 3.7 = 17.123456789, x * x - a.x / x = 3.3333333, a.x * x * a.x = 1.1"
    report = report_of(f"rule R where a : A {{}} b : B {{ {hard} }} when b in a [0 ms, 1 ms]", timeout=0.5)
    assert all(query.seconds < 3 for query in report.queries)
    assert report.seconds < 30


# --- Domains -------------------------------------------------------------------------------------------------------

PREDICATED = (
    "predicate near(Integer)\n"
    "rule R where a : A { near(k), k > 3 } no other : A { near(k), k < 0 } when no other in a [0 ms, 1 ms]"
)


def test_without_a_domain_predicates_may_be_anything() -> None:
    report = report_of(PREDICATED)
    assert report.verdict("can-match", "R") is Verdict.PROVED
    (guarantee,) = (guarantee for guarantee in report.guarantees if guarantee.name == "can-match")
    assert guarantee.evidence["domain"] == {"near": {"true_for": [[4]]}}


@pytest.mark.parametrize(
    ("domain", "verdict"),
    [
        ({"true_for": [[1], [2]]}, Verdict.REFUTED),
        ({"true_for": [[1], [7]]}, Verdict.PROVED),
        ({"false_for": [[4], [5]]}, Verdict.PROVED),
    ],
)
def test_with_a_domain_they_are_that(domain: dict[str, list[list[int]]], verdict: Verdict) -> None:
    report = check(TEMPLATES + PREDICATED, domain=read_domain({"near": domain}))
    assert report.verdict("can-match", "R") is verdict


@pytest.mark.parametrize(
    ("type_", "rows"), [("Integer", list(range(300))), ("Float", [float(number) for number in range(300)])]
)
def test_a_large_table_is_taken_for_any_relation(type_: str, rows: list[float]) -> None:
    text = f"template T {{ v : {type_} }}\npredicate listed({type_})\nrule R where a : T {{ listed(v)"
    domain = read_domain({"listed": {"true_for": [[row] for row in rows]}})
    report = check(text + ", v = -5 }", domain=domain)
    assert report.verdict("can-match", "R") is Verdict.NOT_PROVED
    assert "a table of more than 200 rows" in only(report, "never-matches").hint
    # The solver needs a second or two for this one; on a busy machine more than the usual limit.
    assert check(text + ", v != -5 }", domain=domain, timeout=120).verdict("can-match", "R") is Verdict.PROVED
    assert check(text + ", v > 3, v < 2 }", domain=domain).exit_code == 1


def test_a_program_that_was_built_needs_no_text() -> None:
    built = replace(parse(TEMPLATES + "rule R where a : A { k > 3, k < 2 }"), source=parse("").source)
    finding = only(check(built), "unsatisfiable-pattern")
    assert finding.source_line == ""
