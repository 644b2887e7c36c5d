"""Rules as sequences: what Flink CEP, MATCH_RECOGNIZE and Siddhi are asked, without asking them.

Runs of them are in docs/engines.md; docs/conformance.md says how to repeat them.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from parte.conformance.engines import registry
from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.engines.summary import read_causes
from parte.conformance.kit import KIT
from parte.conformance.partelang.engines.flink.expressions import MOST_ROWS, Expressions
from parte.conformance.partelang.engines.flink.manifest import RECOGNIZED
from parte.conformance.partelang.engines.flink.recognition import recognition_query
from parte.conformance.partelang.engines.flink_cep import jdk
from parte.conformance.partelang.engines.flink_cep.adapter import rows
from parte.conformance.partelang.engines.flink_cep.translation import describe
from parte.conformance.partelang.engines.orders import MOST_ORDERS, Order, absences, farthest, itself, orders
from parte.conformance.partelang.engines.siddhi import jdk as siddhi_jdk
from parte.conformance.partelang.engines.siddhi.expressions import literal
from parte.conformance.partelang.engines.siddhi.queries import app
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.runner.specs import SpecError, spec_of
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.domain import bind_domain, read_domain
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event
from parte.semantics.events.installation import install_command
from parte.semantics.events.problems import DomainError
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.constructs import undeclared
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.packages import Unavailable

TEMPLATES = "".join(f"template {name} {{ k : Integer }}\n" for name in "ABCD")
DIALECT = "snowflake"
"""What sqlglot knows MATCH_RECOGNIZE in."""


def rule(text: str) -> core.Rule:
    return parse(TEMPLATES + text).rules[0]


# --- Orders -----------------------------------------------------------------------------------------------------------


def test_the_orders_are_those_that_the_windows_admit() -> None:
    places = {
        "rule R where a : A, b : B when b in a [1 ms, 5 ms]": ["a b"],
        "rule R where a : A, b : B when b in a [0 ms, 5 ms]": ["a b", "b a"],
        "rule R where a : A, b : A when b in a [0 ms, 5 ms]": ["a b", "b a", "a=b"],
        "rule R where a : A, b : A when b in a [-5 ms, -1 ms]": ["b a"],
        "rule R where a : A, b : B, c : C when b in a [1 ms, 5 ms], c in b [1 ms, 5 ms]": ["a b c"],
        "rule R where a : A, b : B, c : C when b in a [1 ms, 5 ms], c in a [2 ms, 9 ms]": ["a b c", "a c b"],
    }
    for text, expected in places.items():
        written = [" ".join("=".join(place) for place in order.places) for order in orders(rule(text))]
        assert written == expected
    chain = orders(rule("rule R where a : A, b : B, c : C when b in a [1 ms, 5 ms], c in b [2 ms, 7 ms]"))
    assert [order.span for order in chain] == [12]
    both = orders(rule("rule R where a : A, b : B when b in a [-3 ms, 5 ms]"))
    assert [order.span for order in both] == [5, 3]


def test_orders_that_are_none_or_too_many() -> None:
    with pytest.raises(Inexpressible, match="windows that no order"):
        orders(rule("rule R where a : A, b : B when b in a [1 ms, 2 ms], a in b [1 ms, 2 ms]"))
    variables = [f"v{number}" for number in range(16)]
    patterns = ", ".join(f"{name} : A" for name in variables)
    windows = ", ".join(f"{name} in v0 [0 ms, 9 ms]" for name in variables[1:])
    with pytest.raises(Inexpressible, match=f"more than {MOST_ORDERS} orders"):
        orders(rule(f"rule R where {patterns} when {windows}"))


def absent(text: str) -> list[tuple[int, int, bool]]:
    """Of the one order: after which place, how many windows are asked, whether tied."""
    read_rule = rule(text)
    (order,) = orders(read_rule)
    (negated,) = (pattern for pattern in read_rule.patterns if pattern.negated)
    return [(absence.after, len(absence.windows), absence.tied) for absence in absences(read_rule, order, negated)]


def test_an_absence_is_asked_where_it_could_be() -> None:
    text = "rule R where a : A, b : B, no c : C when b in a [1 ms, 5 ms], {}"
    assert absent(text.format("no c in a [0 ms, 9 ms]")) == [(0, 1, False), (1, 1, False)]
    assert absent(text.format("no c in b [0 ms, 9 ms]")) == [(1, 1, False)]
    assert absent(text.format("no c in a [0 ms, 9 ms], no c in b [-9 ms, 0 ms]")) == [(0, 1, False), (1, 2, True)]
    assert absent(text.format("no c in a [3 ms, 3 ms], no c in a [6 ms, 7 ms]")) == []  # nothing defeats


def test_absences_that_no_sequence_can_ask_for() -> None:
    text = "rule R where a : A, b : B, no c : C {} when b in a [1 ms, 5 ms], {}"
    for condition, windows, why in (
        ("{}", "no c in a [-1 ms, 9 ms]", "before the first event"),
        ("{}", "no c in a [0 ms, 9 ms], no c in b [-1 ms, 9 ms]", "a window around a later event"),
        ("{ k = b.k }", "no c in a [0 ms, 9 ms]", "a condition about a later event"),
    ):
        with pytest.raises(Inexpressible, match=why):
            absent(text.format(condition, windows))


def test_an_event_of_the_match_may_defeat_it() -> None:
    read_rule = rule("rule R where a : A, b : B, no c : A when b in a [1 ms, 5 ms], no c in a [0 ms, 9 ms]")
    (order,) = orders(read_rule)
    assert itself(read_rule, order, read_rule.patterns[2]) == [0]
    assert farthest(read_rule, order) == 9
    assert order == Order((("a",), ("b",)), 5)


# --- MATCH_RECOGNIZE --------------------------------------------------------------------------------------------------


def query(text: str, domain: dict[str, Any] | None = None) -> str:
    program = parse(TEMPLATES + text)
    expressions = Expressions(bind_domain(program, read_domain(domain or {})))
    return recognition_query(program.rules[0], program, expressions).sql


def test_a_rule_as_a_sequence_of_rows() -> None:
    sql = query(
        "rule R where a : A { k > 1 }, b : B { k = a.k }, no c : C { k = a.k } "
        "when b in a [1 ms, 2 days], no c in a [0 ms, 1 days], no c in b [-2 days, 0 ms] "
        "then emit D at b.timestamp with { k = -a.k }"
    )
    assert sql == (
        "SELECT `c1`, `c2`, `c3`, `c4`, `c5` FROM `$trace` MATCH_RECOGNIZE (\n"
        "  ORDER BY `$rowtime`\n"
        "  MEASURES `a`.`$id` AS `c1`, `b`.`$id` AS `c2`, "
        "CONCAT('R(a=', `a`.`$component`, ',b=', `b`.`$component`, ')') AS `c3`, "
        "`b`.`$timestamp` AS `c4`, (- `a`.`A.k`) AS `c5`\n"
        "  ONE ROW PER MATCH\n"
        "  AFTER MATCH SKIP TO NEXT ROW\n"
        "  PATTERN (`a` `between$1`*? `b`) WITHIN INTERVAL '2 00:00:00.001' DAY(3) TO SECOND(3)\n"
        "  DEFINE `a` AS `a`.`$template` = 'A' AND (`a`.`A.k` > CAST('1' AS BIGINT)), "
        "`between$1` AS NOT ((`between$1`.`$template` = 'C' AND (`between$1`.`C.k` = `a`.`A.k`) "
        "AND `between$1`.`$timestamp` BETWEEN `a`.`$timestamp` + CAST('0' AS BIGINT) "
        "AND `a`.`$timestamp` + CAST('86400000' AS BIGINT)) IS TRUE), "
        "`b` AS `b`.`$template` = 'B' AND (`b`.`B.k` = `a`.`A.k`) "
        "AND `b`.`$timestamp` BETWEEN `a`.`$timestamp` + CAST('1' AS BIGINT) "
        "AND `a`.`$timestamp` + CAST('172800000' AS BIGINT)\n)"
    )


def test_each_order_is_a_query_and_one_row_may_be_two_events() -> None:
    sql = query("rule R where a : A, b : A { k != a.k } when b in a [0 ms, 5 ms]")
    assert sql.count("UNION ALL") == 2
    assert "PATTERN (`a`)\n  DEFINE `a` AS `a`.`$template` = 'A' AND (`a`.`A.k` <> `a`.`A.k`)" in sql
    assert "WITHIN" not in query("rule R where a : A, b : B when b in a [1 ms, 2000 days]")  # no literal is so long


def test_what_rows_cannot_be_asked() -> None:
    with pytest.raises(Inexpressible, match="a pattern ends with a row"):
        query("rule R where a : A, no b : B when no b in a [1 ms, 2 ms]")
    numbers = {"odd": {"true_for": [[number] for number in range(MOST_ROWS + 1)]}}
    with pytest.raises(Inexpressible, match="DEFINE looks up no table"):
        query("predicate odd(Integer)\nrule R where a : A { odd(k) }", numbers)


def test_the_first_event_has_no_earlier_one_between_the_rows() -> None:
    program = parse(
        "level 2 template A { k : Integer? } template B { s : String } "
        'rule R where a : A, first b : B { like(s, "x*") } when b in a [1 ms, 5 ms]'
    )
    (sql,) = (recognition_query(rule, program, Expressions({})).sql for rule in program.rules)
    wanted = "`{0}`.`$template` = 'B' AND REGEXP(`{0}`.`B.s`, '(?s)\\A(?:x.*)\\z')".format
    within = "`{0}`.`$timestamp` BETWEEN `a`.`$timestamp` + CAST('1' AS BIGINT) AND".format
    assert "PATTERN (`a` `between$1`*? `b`)" in sql
    assert f"`between$1` AS NOT (({wanted('between$1')} AND {within('between$1')}" in sql
    assert f"`b` AS {wanted('b')} AND {within('b')}" in sql
    lost = parse("level 2 template A { k : Integer } rule R where a : A, last b : A when b in a [1 ms, 5 ms]")
    with pytest.raises(Inexpressible, match="a pattern ends with a row"):
        recognition_query(lost.rules[0], lost, Expressions({}))


def test_queries_of_the_suite_are_sql() -> None:
    query_count = 0
    for case in list(load_suite(PARTELANG).cases.values())[::8]:
        try:
            program = parse(case.text)
            if list(undeclared(program, RECOGNIZED)):
                continue
            expressions = Expressions(bind_domain(program, read_domain(case.domain)))
            queries = [recognition_query(rule, program, expressions).sql for rule in program.rules]
        except (ProgramError, DomainError, Inexpressible):
            continue
        for sql in queries:
            # WITHIN is Flink's own, and the dialect quotes names otherwise.
            standard = re.sub(r" WITHIN INTERVAL .*", "", sql).replace('"', "").replace("`", '"')
            tree = sqlglot.parse_one(standard, dialect=DIALECT)
            assert len(list(tree.find_all(exp.MatchRecognize))) == sql.count("MATCH_RECOGNIZE")
            query_count += 1
    assert query_count > 30


# --- Flink CEP --------------------------------------------------------------------------------------------------------


def described(text: str) -> Any:
    program = parse(TEMPLATES + text)
    return describe(program, {})["rules"]["R"]


def test_a_rule_as_a_pattern() -> None:
    description = described(
        "rule R where a : A, b : B { k = a.k }, no c : C, no d : B { k != b.k } "
        "when b in a [1 ms, 5 ms], no c in a [0 ms, 9 ms], no d in b [0 ms, 2 ms]"
    )
    assert description["variables"] == ["a", "b"]
    (sequence,) = description["sequences"]
    assert sequence["within"] == 10
    assert [(stage["name"], stage["negated"]) for stage in sequence["stages"]] == [
        ("a", False),
        ("no$0", True),
        ("b", False),
        ("no$1", True),
    ]
    first, between, second, after = (stage["options"] for stage in sequence["stages"])
    assert first[0]["conditions"] == []
    assert [option["variables"] for option in between] == [["c"]]
    assert [option["variables"] for option in after] == [["c"], ["d"]]
    assert second[0]["windows"] == [{"subject": "b", "reference": "a", "lower": 1, "upper": 5}]
    assert [(option["variables"], option["at"]) for option in second[0]["unless"]] == [(["d"], "b")]
    assert described("rule R where a : A")["sequences"][0]["within"] is None


def test_watermarks_are_one_less_than_what_is_promised() -> None:
    def arrival(name: str, template: str, time: int, bound: int) -> Arrival:
        return Arrival("s", template, bound, Event(name, template, time, {"k": 0}))

    arrivals = [
        arrival("a1", "A", 5, 5),
        arrival("c1", "C", 1, 1),
        arrival("b1", "B", 3, 3),
        Arrival("s", "B", 9, None),
        arrival("a2", "A", 9, POSITIVE_INFINITY),
        Arrival("s", "B", POSITIVE_INFINITY, None),
    ]
    numbered = [(row["number"], row["template"], row.get("watermark")) for row in rows(arrivals, {"A", "B"})]
    last = 2**63 - 1
    assert numbered == [(0, "A", None), (2, "B", 2), (-1, "", 4), (3, "A", 8), (-1, "", last)]


def test_the_jars_are_those_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Found:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(jdk, "find_spec", lambda _: Found)
    (tmp_path / "lib").mkdir()
    for name in ("flink-dist-2.3.0", "flink-cep-2.3.0"):
        with pytest.raises(Unavailable, match=r"apache-flink-libraries, which is not installed: pip install"):
            jdk.find_jars()
        (tmp_path / "lib" / f"{name}.jar").touch()
    assert jdk.flink_version(jdk.find_jars()) == "2.3.0"
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    with pytest.raises(SpecError) as error:
        spec_of("model:flink-cep", ENGINES)
    assert error.value.hint == install_command("flink-cep")


# --- Siddhi -----------------------------------------------------------------------------------------------------------


def siddhi(text: str, domain: dict[str, Any] | None = None) -> str:
    program = parse(TEMPLATES + text)
    return app(program, program.rules, bind_domain(program, read_domain(domain or {}))).split(
        "(n int, t long, a_k long);\n"
    )[-1]


def test_a_rule_as_a_query_of_siddhi() -> None:
    query = siddhi(
        "predicate odd(Integer)\n"
        "rule R where a : A { odd(k) }, b : B { k = a.k }, no c : C { k > 1 } "
        "when b in a [1 ms, 5 ms], no c in a [0 ms, 9 ms] then emit D at b.timestamp + 3 ms with { k = -a.k }",
        {"odd": {"true_for": [[1], [3]]}},
    )
    absent = "S_C[(a_k > 1L) and (t >= (v_a.t + 0L) and t <= (v_a.t + 9L))]"
    assert query == (
        "from every v_a=S_A[((a_k == 1L) or (a_k == 3L))] -> "
        f"not {absent} and v_b=S_B[(a_k == v_a.a_k) and (t >= (v_a.t + 1L) and t <= (v_a.t + 5L))] -> "
        f"not {absent} for 9 milliseconds within 14 milliseconds\n"
        "select v_a.n as c1, v_b.n as c2, (v_b.t + 3L) as c3, (0L - v_a.a_k) as c4 insert into M_R;"
    )


def test_an_event_of_the_match_that_defeats_it_is_asked_at_the_last_place() -> None:
    query = siddhi("rule R where a : A, no b : A { k > a.k } when no b in a [0 ms, 2 ms]")
    assert "v_a=S_A[not ((a_k > a_k) and (t >= (t + 0L) and t <= (t + 2L)))]" in query


def test_conditions_of_level_2_have_two_truths_in_siddhi() -> None:
    program = parse(
        "level 2 template A { k : Integer? } template E { k : Integer?, b : Boolean } "
        "rule R where a : A { not (k = 1 or k > 5) } then emit E at a.timestamp with { k = a.k + 1, b = true }"
    )
    assert app(program, program.rules, {}).splitlines()[-2:] == [
        "from every v_a=S_A["
        "(((not (a_k is null)) and (not (a_k == 1L))) and ((not (a_k is null)) and (not (a_k > 5L))))]",
        "select v_a.n as c1, v_a.t as c2, (v_a.a_k + 1L) as c3, true as c4 insert into M_R;",
    ]
    lost = parse(
        "level 2 template A { k : Integer? } template E { b : Boolean } "
        "rule R where a : A then emit E at a.timestamp with { b = a.k = 1 }"
    )
    with pytest.raises(Inexpressible, match="a condition or a function of what may be missing"):
        app(lost, lost.rules, {})


def test_what_siddhi_cannot_be_asked() -> None:
    lists = "template L { xs : [Integer; 3] }\ntemplate O { xs : [Integer; 3] }\ntemplate T { s : String }\n"
    for text, why in (
        ("rule R where l : L then emit O at l.timestamp with { xs = l.xs }", "a list"),
        ('rule R where x : T { s > "b" }', "an order of texts"),
        (
            "rule R where a : A, no b : B, no c : C when no b in a [0 ms, 1 ms], no c in a [0 ms, 1 ms]",
            "several absences",
        ),
        ("rule R where a : A, no b : B when no b in a [1 ms, 9223372036854775807 ms]", "no longer duration"),
    ):
        with pytest.raises(Inexpressible, match=why):
            siddhi(lists + text)


def test_texts_have_no_escapes() -> None:
    assert [literal(text) for text in ("it", "it's", 'a "b" c', "line\n")] == [
        "'it'",
        '"""it\'s"""',
        '"""a "b" c"""',
        '"""line\n"""',
    ]
    for text in ('"""', 'a "b"'):
        with pytest.raises(Inexpressible, match="no escapes"):
            literal(text)
    with pytest.raises(Inexpressible, match="a variable of the environment"):
        literal("${HOME}")


def test_the_jars_of_siddhi_come_without_what_their_package_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Found:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(siddhi_jdk, "find_spec", lambda _: Found)
    with pytest.raises(SpecError) as error:
        spec_of("model:siddhi", ENGINES)
    assert error.value.hint == "pip install --no-deps PySiddhi"
    (tmp_path / "target" / "lib").mkdir(parents=True)
    (tmp_path / "target" / "lib" / "siddhi-core-5.1.7.jar").touch()
    assert siddhi_jdk.siddhi_version(siddhi_jdk.find_jars()) == "5.1.7"


# --- What the runs showed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["match-recognize", "siddhi"])
def test_where_an_event_begins_one_match_only_there_is_a_choice_of_partners(label: str) -> None:
    suite = load_suite(PARTELANG)
    causes = read_causes(PARTELANG[KIT].recorded, label)
    blamed = [suite.cases[case] for case, cause in causes.items() if cause == "one-match-a-row"]
    assert blamed
    for case in blamed:
        matches = case.expected.matches
        came = Counter([item["template"] for item in case.trace if "template" in item and "progress" not in item])
        came.update(event["template"] for match in matches for event in match["emits"])
        positive = [rule.positive for rule in parse(case.text).rules if len(rule.positive) > 1]
        assert any(came[pattern.template] > 1 for patterns in positive for pattern in patterns), case.id
        assert matches
