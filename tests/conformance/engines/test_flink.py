"""Flink SQL as an engine: what Flink is asked, without asking it. Runs of Flink itself are in docs/engines.md."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from parte.conformance.engines import registry
from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.engines.registry import engine_called
from parte.conformance.partelang.engines.flink.expressions import MOST_ROWS, Expressions
from parte.conformance.partelang.engines.flink.intervals import Bounds, closure, interval, tightest
from parte.conformance.partelang.engines.flink.manifest import JOINED
from parte.conformance.partelang.engines.flink.queries import decoded, rule_query
from parte.conformance.partelang.engines.flink.sets import withdraw
from parte.conformance.partelang.engines.flink.tables import domain_lines, domain_table
from parte.conformance.partelang.engines.flink.trace import trace_table
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
from parte.semantics.partelang.syntax.constructs import undeclared
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
    query_count = 0
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
            query_count += 1
    assert query_count > 200


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
    read_rows = [json.loads(line) for line in rows(arrivals(items, disorder=disorder), emitted, read, moved)]
    return [(row["$id"], row["$watermark"]) for row in read_rows]


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


# --- Level 2 ----------------------------------------------------------------------------------------------------------

LEVEL_2 = """level 2
template A { k : Integer?, s : String, x : Float? }
template B { k : Integer, s : String? }
template D { k : Integer, s : String? }
template L { ks : [Integer; 2] }
"""


def where(condition: str, domain: dict[str, Any] | None = None) -> str:
    """The condition of a query on one event."""
    predicate = "predicate odd(Integer)\n" if domain else ""
    _, (sql,) = compiled(f"{LEVEL_2}{predicate}rule R where a : A {{ {condition} }}", domain)
    return sql.split(" AS `a` WHERE ")[1].removesuffix(") AS `a`")


def test_conditions_of_level_2() -> None:
    k, constant = "`a`.`k`", "CAST('1' AS BIGINT)"
    assert where("not (k = 1 or x > 0.5)") == f"(NOT (({k} = {constant}) OR (`a`.`x` > CAST('0.5' AS DOUBLE))))"
    assert where("k is missing") == f"({k} IS NULL)"
    assert where("(k = 1) is present") == f"(({k} = {constant}) IS NOT NULL)"
    assert where("timestamp > @1000") == "(`a`.`$timestamp` > CAST('1000' AS BIGINT))"
    # What has no value is in no row, nor in none.
    member = f"(({k} = {constant}))"
    assert where("odd(k)", {"odd": {"true_for": [[1]]}}) == f"(CASE WHEN {k} IS NOT NULL THEN {member} END)"
    with pytest.raises(Inexpressible, match="after arithmetic"):
        where("k + 1 is present")


def test_functions_of_strings_are_exact() -> None:
    assert where('starts_with(s, "a")') == "STARTSWITH(`a`.`s`, CAST('a' AS STRING))"
    assert where('ends_with(s, "a")') == "ENDSWITH(`a`.`s`, CAST('a' AS STRING))"
    assert where('contains(s, "it\'s")') == "(POSITION(CAST('it''s' AS STRING) IN `a`.`s`) > 0)"
    assert where("length(s) = 1") == "(CAST(CHAR_LENGTH(`a`.`s`) AS BIGINT) = CAST('1' AS BIGINT))"
    upper, lower = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
    assert where("lower(s) = s") == f"(TRANSLATE(`a`.`s`, '{upper}', '{lower}') = `a`.`s`)"
    assert where("upper(s) = s") == f"(TRANSLATE(`a`.`s`, '{lower}', '{upper}') = `a`.`s`)"
    joined = "CONCAT(`a`.`s`, `a`.`s`)"
    assert where("concat(s, s) = s") == f"((CASE WHEN CHAR_LENGTH({joined}) <= 65536 THEN {joined} END) = `a`.`s`)"


def test_patterns_are_regular_expressions_of_java_with_both_ends() -> None:
    assert where('like(s, "a.*?\\\\*")') == r"REGEXP(`a`.`s`, '(?s)\A(?:a\..*.\*)\z')"
    assert where('matches(s, "(a|b)+c{2}")') == r"REGEXP(`a`.`s`, '(?s)\A(?:(a|b)+c{2})\z')"


def test_clocks_show_utc_only() -> None:
    time = "`a`.`$timestamp`"
    passed = f"MOD(MOD({time}, 86400000) + 86400000, 86400000)"
    dated = f"{time} >= CAST('-62135596800000' AS BIGINT) AND {time} <= CAST('253402300799999' AS BIGINT)"
    part = f"CAST({passed} AS BIGINT)"
    assert where("time_of_day(a) = 1 ms") == f"((CASE WHEN {dated} THEN {part} END) = CAST('1' AS BIGINT))"
    part = f"(MOD(({time} - {passed}) / 86400000 + 719162, 7) + CAST('1' AS BIGINT))"
    assert where("weekday(a) = 1") == f"((CASE WHEN {dated} THEN {part} END) = CAST('1' AS BIGINT))"
    assert f"DATE_FORMAT(TO_TIMESTAMP_LTZ({time}, 3), 'yyyy-MM-dd') END" in where('date(a) = "1970-01-01"')
    with pytest.raises(Inexpressible, match="a clock of a zone"):
        where('weekday(a, "Europe/Berlin") = 1')


def test_a_table_that_is_looked_up_has_no_row_for_what_is_missing() -> None:
    text = LEVEL_2 + "predicate odd(Integer)\nrule R where a : A { odd(k) }"
    _, (sql,) = compiled(text, {"odd": {"false_for": [[number] for number in range(MOST_ROWS + 1)]}})
    assert "WHERE `$table1`.`c1` IS NULL AND `a`.`k` IS NOT NULL) AS `a`" in sql


def test_an_emission_has_what_it_has_a_value_for() -> None:
    program, _ = compiled(
        LEVEL_2
        + "rule R where a : A then emit D at a.timestamp with { k = a.k, s = a.s } "
        + "emit L at a.timestamp with { ks = list(a.k, 1) }"
    )
    query = rule_query(program.rules[0], program, Expressions({}))
    assert "(CASE WHEN `a`.`k` IS NOT NULL THEN ARRAY[`a`.`k`, CAST('1' AS BIGINT)] END)" in query.sql
    emitted = decoded(query, ("a1", "R#1(a=a1)", 3, 5, None, "R#2(a=a1)", 3, None))["emits"]
    assert emitted == [{"id": "R#1(a=a1)", "template": "D", "timestamp": 3, "attributes": {"k": 5}}]
    assert decoded(query, ("a1", "R#1(a=a1)", 3, None, "x", "R#2(a=a1)", 3, None))["emits"] == []


def test_the_cases_of_a_rule_have_its_name() -> None:
    program, queries = compiled(
        LEVEL_2 + "rule R where either a : A or a : B then emit D at a.timestamp with { k = a.k }"
    )
    assert [f"`$template` = '{name}'" in sql for name, sql in zip("AB", queries, strict=True)] == [True, True]
    assert all("CONCAT('R(a=', " in sql for sql in queries)
    query = rule_query(program.rules[1], program, Expressions({}))
    assert decoded(query, ("b1", "R(a=b1)", 3, 5))["rule"] == "R"


def test_a_window_without_a_beginning_has_the_longest_past() -> None:
    _, (sql,) = compiled(LEVEL_2 + "rule R where a : A, no b : B when no b in a [-ever, -1 ms]")
    assert (
        "`b`.`$rowtime` BETWEEN `a`.`$rowtime` - (INTERVAL '0.001' SECOND * 62167219200000) "
        "AND `a`.`$rowtime` - INTERVAL '0 00:00:00.001' DAY(3) TO SECOND(3)\nWHERE `b`.`$id` IS NULL" in sql
    )
    _, (sql,) = compiled(
        LEVEL_2 + "rule R where a : A, c : A, no b : B when c in a [0 ms, 5 ms], no b in a [-ever, 2 ms], "
        "no b in c [-9 ms, 3 ms]"
    )
    assert "AND `b`.`$timestamp` <= `a`.`$timestamp` + CAST('2' AS BIGINT)\nWHERE" in sql


def test_a_set_is_a_group_that_is_joined_with_the_matches() -> None:
    program, (sql,) = compiled(
        LEVEL_2 + "rule R where a : A, no c : B, all b : B { k = a.k } when no c in a [-1 ms, 0 ms], "
        "b in a [1 ms, 5 ms] having count(b) >= 2, last(b.s) != a.s "
        "then emit D at max(b.timestamp) with { k = sum(b.k) }"
    )
    scan_a, scan_b = (
        f"(SELECT `$id`, `$component`, `$timestamp`, `$rowtime`, {columns} FROM `$trace` WHERE `$template` = '{name}')"
        for name, columns in (
            ("A", "`A.k` AS `k`, `A.s` AS `s`, `A.x` AS `x`"),
            ("B", "`B.k` AS `k`, `B.s` AS `s`"),
        )
    )
    millisecond = "INTERVAL '0 00:00:00.00{}' DAY(3) TO SECOND(3)".format
    own, absent, collected = "`a`.`$rowtime`", "`c`.`$rowtime`", "`b`.`$rowtime`"
    events = (
        f"FROM {scan_a} AS `a`\nLEFT JOIN {scan_b} AS `b`\n  ON {collected} BETWEEN {own} + {millisecond(1)} "
        f"AND {own} + {millisecond(5)} AND (`b`.`k` = `a`.`k`)\n"
    )
    total = "SUM(CAST(`b`.`k` AS DECIMAL(38, 0)))"
    least, most = (f"CAST('{end}' AS DECIMAL(38, 0))" for end in (-(2**63), 2**63 - 1))
    same = "`$match`.`a.$id` = `$set{0}`.`a.$id`".format
    assert sql == (
        "SELECT `$match`.`a.$id` AS `c1`, CONCAT('R(a=', `$match`.`a.$component`, ')') AS `c2`, "
        "`$set1`.`max timestamp` AS `c3`, `$set1`.`sum k` AS `c4`\n"
        "FROM (SELECT `a`.`$id` AS `a.$id`, `a`.`$component` AS `a.$component`, `a`.`$timestamp` AS `a.$timestamp`, "
        f"`a`.`k` AS `a.k`, `a`.`s` AS `a.s`, `a`.`x` AS `a.x`\nFROM {scan_a} AS `a`\nLEFT JOIN {scan_b} AS `c`\n"
        f"  ON {absent} BETWEEN {own} - {millisecond(1)} AND {own} + {millisecond(0)}\nWHERE `c`.`$id` IS NULL"
        ") AS `$match`\n"
        "LEFT JOIN (SELECT `a`.`$id` AS `a.$id`, COUNT(`b`.`$id`) AS `count`, "
        f"(CASE WHEN COUNT(`b`.`k`) = 0 THEN CAST('0' AS BIGINT) WHEN {total} BETWEEN {least} AND {most} "
        f"THEN CAST({total} AS BIGINT) END) AS `sum k`, MAX(`b`.`$timestamp`) AS `max timestamp`\n"
        f"{events}GROUP BY `a`.`$id`) AS `$set1`\n  ON {same(1)}\n"
        "LEFT JOIN (SELECT `$value`.* FROM (SELECT `a`.`$id` AS `a.$id`, `b`.`$timestamp` AS `$timestamp`, "
        f"MAX(`b`.`s`) AS `last s`\n{events}WHERE `b`.`s` IS NOT NULL\nGROUP BY `a`.`$id`, `b`.`$timestamp`"
        ") AS `$value`\n"
        "JOIN (SELECT `a`.`$id` AS `a.$id`, MAX(`b`.`$timestamp`) AS `$timestamp`\n"
        f"{events}WHERE `b`.`s` IS NOT NULL\nGROUP BY `a`.`$id`) AS `$time`\n"
        "  ON `$value`.`a.$id` = `$time`.`a.$id` AND `$value`.`$timestamp` = `$time`.`$timestamp`) AS `$set2`\n"
        f"  ON {same(2)}\n"
        "WHERE (`$set1`.`count` >= CAST('2' AS BIGINT)) AND (`$set2`.`last s` <> `$match`.`a.s`)"
    )
    assert rule_query(program.rules[0], program, Expressions({})).updating


def test_rows_that_are_withdrawn() -> None:
    rows_sent: list[Any] = [("a1", float("nan")), ("a2", 1.0), ("a2", 1.0)]
    withdraw(rows_sent, ("a1", float("nan")))
    withdraw(rows_sent, ("a2", 1.0))
    assert rows_sent == [("a2", 1.0)]
    with pytest.raises(EngineFailure, match="did not send"):
        withdraw(rows_sent, ("a3", 1.0))


def test_queries_of_level_2_are_sql() -> None:
    query_count = sets = 0
    for case in load_suite(PARTELANG).cases.values():
        if case.profile != "level-2":
            continue
        try:
            program = parse(case.text)
            if list(undeclared(program, JOINED)):
                continue
            expressions = Expressions(bind_domain(program, read_domain(case.domain)))
            queries = [rule_query(rule, program, expressions) for rule in program.rules]
        except (ProgramError, DomainError, Inexpressible):
            continue
        for query in queries:
            tree = sqlglot.parse_one(query.sql, dialect=DIALECT)
            assert query.updating is bool(query.rule.collected)
            assert query.updating or not list(tree.find_all(exp.Group))  # a set that nothing reads is not grouped
            query_count += 1
            sets += query.updating
    assert query_count > 300
    assert sets > 30


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda _: None)
    with pytest.raises(Unavailable, match=re.escape(install_command("flink"))):
        engine_called(ENGINES, "flink")
