"""Each claim of level 1 about rules of level 2 without sets: a rule of which it is so, and one of which it is not."""

from __future__ import annotations

import pytest

from parte.checker.partelang.check import check
from parte.semantics.partelang.syntax.elaborate import parse
from tests.checker.partelang.test_sets import attack_report

TEMPLATES = "level 2\ntemplate T { k : Integer, t : String? }\nrule R where "


@pytest.mark.parametrize(
    ("rule", "codes"),
    [
        ('a : T { t is missing, t = "a" }', ["unsatisfiable-pattern"]),
        ('a : T { t is present, t != "a" }', ["implied-condition"]),
        ('a : T { t is missing or t = "a" }', []),
        ("a : T { k > 3 or k > 5, k < 2 }", ["unsatisfiable-pattern"]),
        ("a : T { k > 3 or k > 5, k < 5 }", []),
        ("a : T { k in (1, 2), k < 3 }", ["implied-condition"]),
        ("a : T { k in (1, 3), k < 3 }", []),
        ("a : T { not (k < 5), k > 3 }", ["implied-condition"]),
        ("a : T { not (k < 5), k < 9 }", []),
        ("a : T {} no b : T { k = a.k or k = 1 } when no b in a (-1 ms, 1 ms)", ["self-blocked"]),
        ("a : T {} no b : T { k = a.k or k = 1 } when no b in a (0 ms, 2 ms)", []),
        ("a : T { k > 3 } no b : T { k = a.k, k in (1, 2) } when no b in a [1 ms, 2 ms]", ["useless-negation"]),
        ("a : T { k > 3 } no b : T { k = a.k } when no b in a [-ever, -1 ms]", []),
    ],
)
def test_claims_about_rules_of_level_2(rule: str, codes: list[str]) -> None:
    report = check(TEMPLATES + rule, timeout=20.0)
    assert [finding.code for finding in report.findings] == codes
    attack_report(parse(TEMPLATES + rule), report, ())
