"""Flink SQL as an engine: what Flink is asked, without asking it. Runs of Flink itself are in docs/engines.md."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from parte.conformance.engines import registry
from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.engines.registry import engine_called
from parte.conformance.partelang.engines.flink.expressions import MOST_ROWS, Expressions
from parte.conformance.partelang.engines.flink.intervals import Bounds, closure, interval, tightest
from parte.conformance.partelang.engines.flink.queries import decoded, rule_query, trace_table
from parte.conformance.partelang.engines.flink.tables import domain_lines, domain_table
from parte.conformance.partelang.engines.flink.watermarks import rows
from parte.conformance.partelang.engines.table import ENGINES
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import DomainTable, bind_domain, read_domain
from parte.semantics.events.installation import install_command
from parte.semantics.events.problems import DomainError
from parte.semantics.events.promises import arrivals
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.packages import Unavailable

TEMPLATES = "".join(f"template {name} {{ k : Integer }}\n" for name in "ABCD")
DIALECT = "spark"
"""What sqlglot has that reads the same: identifiers in backticks, CAST to STRING and DOUBLE."""


def compiled(text: str, domain: dict[str, Any] | None = None) -> tuple[core.Program, list[str]]:
    program = parse(text)
    expressions = Expressions(bind_domain(program, read_domain(domain or {})))
    return program, [rule_query(rule, program, expressions).sql for rule in program.rules]


def test_a_rule_as_a_query() -> None:
    _, (sql,) = compiled(
        TEMPLATES + "predicate odd(Integer)\n"
        "rule R where a : A { k > 1 }, b : B { k = a.k }, no c : C { k != b.k, odd(k) } "
        "when b in a [-1 ms, 2 days], no c in b [0 ms, 5 ms] "
        "then emit D at max(a.timestamp, b.timestamp) + 3 ms with { k = -a.k }",
        {"odd": {"true_for": [[1], [3]]}},
    )
    own = "`$id`, `$component`, `$timestamp`, `$rowtime`"
    assert sql == (
        "SELECT `a`.`$id` AS `c1`, `b`.`$id` AS `c2`, "
        "CONCAT('R(a=', `a`.`$component`, ',b=', `b`.`$component`, ')') AS `c3`, "
        "(GREATEST(`a`.`$timestamp`, `b`.`$timestamp`) + CAST('3' AS BIGINT)) AS `c4`, (- `a`.`k`) AS `c5`\n"
        f"FROM (SELECT * FROM (SELECT {own}, `A.k` AS `k` FROM `$trace` WHERE `$template` = 'A') AS `a` "
        "WHERE (`a`.`k` > CAST('1' AS BIGINT))) AS `a`\n"
        f"JOIN (SELECT {own}, `B.k` AS `k` FROM `$trace` WHERE `$template` = 'B') AS `b`\n"
        "  ON `b`.`$rowtime` BETWEEN `a`.`$rowtime` - INTERVAL '0 00:00:00.001' DAY(3) TO SECOND(3) "
        "AND `a`.`$rowtime` + INTERVAL '2 00:00:00.000' DAY(3) TO SECOND(3) AND (`b`.`k` = `a`.`k`)\n"
        f"LEFT JOIN (SELECT * FROM (SELECT {own}, `C.k` AS `k` FROM `$trace` WHERE `$template` = 'C') AS `c` "
        "WHERE ((`c`.`k` = CAST('1' AS BIGINT)) OR (`c`.`k` = CAST('3' AS BIGINT)))) AS `c`\n"
        "  ON `c`.`$rowtime` BETWEEN `b`.`$rowtime` + INTERVAL '0 00:00:00.000' DAY(3) TO SECOND(3) "
        "AND `b`.`$rowtime` + INTERVAL '0 00:00:00.005' DAY(3) TO SECOND(3) AND (`c`.`k` <> `b`.`k`)\n"
        "WHERE `c`.`$id` IS NULL"
    )


def test_a_large_domain_table_is_looked_up() -> None:
    text = TEMPLATES + "predicate odd(Integer)\nrule R where a : A { odd(k), k > 1 }"
    numbers = [[number] for number in range(MOST_ROWS + 1)]
    own = "`$id`, `$component`, `$timestamp`, `$rowtime`"
    scan = (
        f"SELECT * FROM (SELECT {own}, `A.k` AS `k` FROM `$trace` WHERE `$template` = 'A') AS `a` "
        "WHERE (`a`.`k` > CAST('1' AS BIGINT))"
    )
    for means, kind, where in (("true_for", "", ""), ("false_for", "LEFT ", " WHERE `$table1`.`c1` IS NULL")):
        _, (sql,) = compiled(text, {"odd": {means: numbers}})
        assert sql == (
            "SELECT `a`.`$id` AS `c1`\n"
            f"FROM (SELECT `a`.* FROM (SELECT *, `a`.`k` AS `$key1.1` FROM ({scan}) AS `a`) AS `a` "
            f"{kind}JOIN `$domain.odd` FOR SYSTEM_TIME AS OF `a`.`$rowtime` AS `$table1` "
            f"ON `a`.`$key1.1` = `$table1`.`c1`{where}) AS `a`"
        )
    _, (sql,) = compiled(text, {"odd": {"true_for": numbers[1:]}})
    assert "SYSTEM_TIME" not in sql


def test_the_table_that_is_looked_up() -> None:
    predicate = core.Predicate("warm", (core.Scalar.FLOAT, core.Scalar.STRING))
    assert domain_table(predicate, "/t") == (
        "CREATE TEMPORARY TABLE `$domain.warm` (`c1` DOUBLE NOT NULL, `c2` STRING NOT NULL, "
        "`$rowtime` AS TO_TIMESTAMP_LTZ(CAST('-62167219200000' AS BIGINT), 3), WATERMARK FOR `$rowtime` AS `$rowtime`, "
        "PRIMARY KEY (`c1`, `c2`) NOT ENFORCED) "
        "WITH ('connector' = 'filesystem', 'path' = '/t', 'format' = 'json')"
    )
    # The zeros are equal, and two keys.
    assert list(domain_lines(DomainTable(frozenset({(-0.0, "x")}), True))) == ['{"c1": 0.0, "c2": "x"}']
    text = "template F { x : Float }\npredicate warm(Float)\nrule R where a : F { warm(x) }"
    _, (sql,) = compiled(text, {"warm": {"true_for": [[float(number)] for number in range(MOST_ROWS + 1)]}})
    assert "CASE WHEN `a`.`x` = CAST('0.0' AS DOUBLE) THEN CAST('0.0' AS DOUBLE) ELSE `a`.`x` END AS `$key1.1`" in sql


def test_the_query_of_a_case_is_sql_with_a_join_for_each_further_pattern() -> None:
    asked = 0
    for case in list(load_suite(PARTELANG).cases.values())[::3]:
        try:
            program = parse(case.text)
            if program.level > 1:
                continue
            expressions = Expressions(bind_domain(program, read_domain(case.domain)))
            queries = [rule_query(rule, program, expressions) for rule in program.rules]
        except (ProgramError, DomainError, Inexpressible):
            continue
        for query in queries:
            tree = sqlglot.parse_one(query.sql, dialect=DIALECT)
            joins = list(tree.find_all(exp.Join))
            assert len(joins) == len(query.rule.patterns) - 1
            assert all(list(join.args["on"].find_all(exp.Between)) for join in joins)
            assert sum(join.side == "LEFT" for join in joins) == len(query.rule.patterns) - len(query.rule.positive)
            asked += 1
    assert asked > 200


def test_bounds_that_follow_from_others_and_constraints_that_remain() -> None:
    """c is bound by b alone, but joined before it: its bounds come through the closure."""
    _, (sql,) = compiled(
        TEMPLATES
        + "rule R where a : A, c : C, b : B when b in a [0 ms, 4 ms], c in b [1 ms, 2 ms], c in a [0 ms, 9 ms]"
    )
    assert (
        "`c`.`$rowtime` BETWEEN `a`.`$rowtime` + INTERVAL '0 00:00:00.001' DAY(3) TO SECOND(3) "
        "AND `a`.`$rowtime` + INTERVAL '0 00:00:00.006' DAY(3) TO SECOND(3)" in sql
    )
    assert "`c`.`$timestamp` BETWEEN `a`.`$timestamp` + CAST('0' AS BIGINT)" in sql


def test_closures_and_durations() -> None:
    most = closure("ab", [core.Constraint("b", "a", -3, 5, False), core.Constraint("a", "b", -4, 9, False)])
    assert tightest("b", "a", most) == Bounds("a", -3, 4)
    assert tightest("a", "b", most) == Bounds("b", -4, 3)
    assert interval(90_061_001) == "INTERVAL '1 01:01:01.001' DAY(3) TO SECOND(3)"
    assert interval(86_400_000_000) == "(INTERVAL '0.001' SECOND * 86400000000)"
    with pytest.raises(Inexpressible):
        interval(2**63 - 1)


def lines(text: str, trace: list[Any], read: set[str], disorder: int = 0, moved: int = 0) -> list[tuple[Any, Any]]:
    """The id and the watermark of each row."""
    program = parse(text)
    items = conform(program, read_trace([json.dumps(line) for line in trace]))
    emitted = [{"id": "R(a=1)", "template": "D", "timestamp": 7, "attributes": {"k": 1}}]
    found = [json.loads(line) for line in rows(arrivals(items, disorder=disorder), emitted, read, moved)]
    return [(row["$id"], row["$watermark"]) for row in found]


def event(id_: str, template: str, timestamp: int, source: str = "s") -> dict[str, Any]:
    return {"id": id_, "template": template, "timestamp": timestamp, "source": source, "attributes": {"k": 0}}


RULE = TEMPLATES + "rule R where a : A, b : B when b in a [0 ms, 5 ms]"
LATEST = 253_402_300_799_999


def test_the_watermark_is_that_of_the_pair_that_is_furthest_behind() -> None:
    trace = [event("a1", "A", 5), event("b1", "B", 3), event("c1", "C", 0), event("a2", "A", 9), event("b2", "B", 8)]
    assert lines(RULE, trace, {"A", "B"})[:4] == [("a1", None), ("b1", 2), ("a2", 2), ("b2", 7)]
    assert lines(RULE, trace, {"A", "B"}, disorder=2)[:4] == [("a1", None), ("b1", 0), ("a2", 0), ("b2", 5)]
    assert lines(RULE, trace, {"A", "D"})[:3] == [("R(a=1)", None), ("a1", 4), ("a2", 8)]
    progress = [{"source": "s", "template": "A", "progress": 20}]
    assert lines(RULE, [event("a1", "A", 5), *progress], {"A"})[:2] == [("a1", None), ("", 19)]


def test_floats_that_json_does_not_have() -> None:
    emitted = [{"id": "R(a=1)", "template": "D", "timestamp": 7, "attributes": {"k": [float("inf"), -1.5]}}]
    (line,) = rows([], emitted, {"D"}, 0)
    assert json.loads(line)["D.k"] == ["Infinity", -1.5]


def test_time_that_flink_does_not_have() -> None:
    assert lines(RULE, [event("a1", "A", LATEST)], {"A"})[0] == ("a1", LATEST - 1)
    with pytest.raises(Inexpressible):
        lines(RULE, [event("a1", "A", LATEST + 1)], {"A"})
    with pytest.raises(Inexpressible):
        lines(RULE, [event("a1", "A", LATEST)], {"A"}, moved=1)
    earliest = -62_167_219_200_000
    assert lines(RULE, [event("a1", "A", earliest)], {"A"})[0] == ("a1", None)
    with pytest.raises(Inexpressible):
        lines(RULE, [event("a1", "A", earliest - 1)], {"A"})


def test_rows_are_matches() -> None:
    program = parse(
        "template A { k : Integer }\ntemplate L { ks : [Integer; 2] }\n"
        "rule R where a : A then emit L at a.timestamp with { ks = list(a.k, 5) } "
        "emit L at a.timestamp with { ks = list(7) }"
    )
    query = rule_query(program.rules[0], program, Expressions({}))
    assert decoded(query, ("a1", "R#1(a=a1)", 3, [1, 5], "R#2(a=a1)", 3, [7])) == {
        "rule": "R",
        "bindings": {"a": "a1"},
        "emits": [
            {"id": "R#1(a=a1)", "template": "L", "timestamp": 3, "attributes": {"ks": [1, 5]}},
            {"id": "R#2(a=a1)", "template": "L", "timestamp": 3, "attributes": {"ks": [7]}},
        ],
    }
    assert "`L.ks` ARRAY<BIGINT>" in trace_table(program, "/t'", 5)
    assert "'path' = '/t'''" in trace_table(program, "/t'", 5)


def test_what_flink_cannot_be_asked() -> None:
    with pytest.raises(Inexpressible, match="empty list"):
        compiled(
            "template A { k : Integer }\ntemplate L { ks : [Integer; 2] }\n"
            "rule R where a : A then emit L at a.timestamp with { ks = list() }"
        )
    table = {"near": {"true_for": [[number, number + 1] for number in range(MOST_ROWS + 1)]}}
    near = TEMPLATES + "predicate near(Integer, Integer)\nrule R where a : A, b : B "
    with pytest.raises(Inexpressible, match="not asked by a condition on one event"):
        compiled(near + "{ near(k, a.k) } when b in a [0 ms, 1 ms]", table)
    with pytest.raises(Inexpressible, match="asked about a constant"):
        compiled(near + "{ near(k, 1) } when b in a [0 ms, 1 ms]", table)
    text = TEMPLATES + "predicate odd(Integer)\nrule R where a : A { odd(k) }"
    program = parse(text)
    with pytest.raises(Inexpressible, match="callable"):
        rule_query(program.rules[0], program, Expressions(bind_domain(program, {"odd": lambda _: True})))


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    with pytest.raises(Unavailable, match=re.escape(install_command("flink"))):
        engine_called(ENGINES, "flink")
