"""The relational compiler on DuckDB against the evaluator that defines the truth."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from parte.algebra.partelang import relational
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import Unsupported, explain, skew
from parte.algebra.partelang.relational import duckdb as duckdb_engine
from parte.algebra.partelang.relational.alike import RULE, Alike, alike
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.implied import implied
from parte.algebra.partelang.relational.order import joins_of
from parte.algebra.partelang.relational.programs import compile_program
from parte.conformance.partelang.strategies import cases
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import DomainTable, MissingPredicate, Predicates, bind_domain, load_domain
from parte.semantics.events.event import Event, TraceItem, Value
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.trace import load_trace
from parte.semantics.events.types import Scalar
from parte.semantics.events.values import ScalarValue
from parte.semantics.partelang.syntax import core, functions, parse
from tests.algebra.partelang.strategies import DOMAIN, events, programs, tables, with_copies

ROOT = Path(__file__).parents[3]
FRAUD = ROOT / "examples" / "fraud"
LEAST, GREATEST = -(2**63), 2**63 - 1


def agree(
    program: core.Program, trace: list[Event] | tuple[TraceItem, ...], domain: Predicates | None = None
) -> Outcome:
    """What the relational engine gives, which must be what the naive evaluator gives, to the sign of zeros."""
    expected, outcome = run(program, trace, domain), relational.run(program, trace, domain)
    assert [match.to_json() for match in outcome.matches] == [match.to_json() for match in expected.matches]
    assert repr(outcome) == repr(expected)
    return outcome


# --- Any program ------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(cases())
def test_the_cases_of_the_conformance_suite(case: tuple[core.Program, tuple[TraceItem, ...]]) -> None:
    agree(*case)


@settings(max_examples=60)
@given(programs(), events(), st.just(DOMAIN) | tables())
def test_programs_with_every_kind_of_expression(program: core.Program, trace: list[Event], domain: Predicates) -> None:
    agree(program, trace, domain)


# --- Rules that are alike ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("apart", [False, True])
@settings(max_examples=10)
@given(programs(), events(), tables(), st.integers(0, 2**32), st.sampled_from([10**6, 20]))
def test_rules_that_differ_in_constants(
    apart: bool, program: core.Program, trace: list[Event], domain: Predicates, seed: int, together: int
) -> None:
    # `apart` is how Spark joins and slices; with at most 20 rows, the table of the constants is cut.
    spark = mock.patch.multiple(DuckDB, distributed=apart, tells_hot_keys=apart)
    hot = mock.patch.multiple(skew, EVENTS=1, PAIRS=2)
    with spark, hot, mock.patch.object(duckdb_engine, "_TOGETHER", together):
        agree(with_copies(program, seed), trace, domain)


@settings(max_examples=8)
@given(cases(), st.integers(0, 2**32))
def test_cases_with_rules_that_differ_in_constants(case: tuple[core.Program, tuple[TraceItem, ...]], seed: int) -> None:
    agree(with_copies(case[0], seed), case[1])


def test_rules_that_differ_in_constants_only_are_one_query() -> None:
    rules = [
        f"""rule R{n} where a: A {{ k = {n}, x > 0.{n}, s = "{n}" }}, no b: B {{ k < a.k }}
        when no b in a [{n} ms, 9 ms] then"""
        for n in (1, 2, 3, 4)
    ]
    feeding = """rule Other where a: A { s = "2", x > 0.5 }
        then emit B at a.timestamp with { k = 1, x = 1.0, s = "", b = true }"""
    plan = duckdb_engine.planned(program("\n".join([*rules[:2], feeding, *rules[2:]])), {})
    assert plan.feeding == {"Other"}
    (group,) = (stage.rule.alike for stage in plan.stages if stage.rule is not None and stage.rule.alike is not None)
    assert len(plan.stages) == 3  # Other and the stream of B besides
    assert [rule.name for rule in group.rules] == ["R1", "R2", "R3", "R4"]
    assert {tuple(values) for _, values in group.constants.values()} == {
        ("R1", "R2", "R3", "R4"),
        (1, 2, 3, 4),
        ("1", "2", "3", "4"),
        (0.1, 0.2, 0.3, 0.4),
    }
    assert list(group.table(1, 2).to_pydict()[RULE]) == ["R2", "R3"]
    sql = explain(program("\n".join(rules)))["matches1"]
    assert "-- constants1: rule R2, lower1 is the integer 2, k1 is the integer 2, k2 is the number 0.2" in sql


def test_rules_of_other_shapes_are_not_alike() -> None:
    conditions = [
        "k = 1",
        "k = 2",
        "k < 2",
        "2 = k",
        "x = 1",
        "x = 0.0",
        "x = -0.0",
        's = "1"',
        "b = true",
        "b = false",
    ]
    read = program("\n".join(f"rule R{n} where a: A {{ {condition} }} then" for n, condition in enumerate(conditions)))
    groups = [group.rules if isinstance(group, Alike) else (group,) for group in alike(read.rules, count(1))]
    together = [{conditions[int(rule.name[1:])] for rule in group} for group in groups]
    assert together == [
        {"k = 1", "k = 2"},
        {"k < 2"},
        {"2 = k"},
        {"x = 1"},
        {"x = 0.0", "x = -0.0"},
        {'s = "1"'},
        {"b = true", "b = false"},
    ]


# --- Hot keys ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("apart", [False, True])
@settings(max_examples=25)
@given(st.data())
def test_slices_of_time_change_no_result(apart: bool, data: st.DataObject) -> None:
    # Any key of two events is hot; `apart` is how Spark slices.
    least = mock.patch.multiple(skew, EVENTS=1, PAIRS=2)
    with least, mock.patch.object(DuckDB, "tells_hot_keys", apart):
        agree(*data.draw(cases()))
        agree(data.draw(programs()), data.draw(events()), DOMAIN)


HOT = """
rule First where a : A, b : A { s = a.s, k = a.k }, no n : B { s = b.s, x > b.x }
when b in a [0 ms, 6 ms], no n in b [-3 ms, -1 ms]
then emit D at b.timestamp with { k = b.k, x = 0.0, s = a.s, b = true }
rule Second where a : D, b : A { s = a.s } when b in a [-2 ms, 2 ms] then
"""


@pytest.mark.parametrize("apart", [False, True])
def test_a_key_that_most_events_share(apart: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew, "EVENTS", 12)
    monkeypatch.setattr(skew, "PAIRS", 100)
    monkeypatch.setattr(DuckDB, "tells_hot_keys", apart)
    read = program(HOT)
    # Two events of each time; A reaches below zero, and three in four share a key.
    trace = [
        event(f"{t}{i}", i // 2 - 9, t, s="" if i % 4 else f"s{i % 8}", x=i % 3 - 1.0) for i in range(36) for t in "AB"
    ]
    agree(read, trace)
    with duckdb_engine.Connection(1) as connection:
        plain = duckdb_engine.planned(read, {})
        connection.load(plain, trace)
        keys = skew.hot_keys(skew.large_probes(plain, {"A": 36, "B": 36, "D": 0}), DuckDB(), connection.answers)
        sql = connection.prepared(plain).stages[0].query.sql("duckdb")
    assert [(key.rule, key.position, key.values, key.events, key.others) for key in keys] == [
        ("First", 1, ("", 0), 27, 27),
        ("First", 2, ("",), 27, 27),
    ]
    assert sql.count("UNNEST(") == 2
    assert ("UNNEST(CASE WHEN" in sql) == apart


def test_some_of_many_events_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew, "EVENTS", 200)
    monkeypatch.setattr(skew, "PAIRS", 40_000)
    monkeypatch.setattr(duckdb_engine, "_LOOKED_AT", 100)
    read = program("rule R where a : A, b : B { s = a.s } when b in a [0 ms, 3 ms] then")
    trace = [event(f"{t}{i}", i, t, s="" if i % 4 else f"s{i}") for i in range(900) for t in "AB"]
    queries: list[str] = []
    with duckdb_engine.Connection(1) as connection:
        plain = duckdb_engine.planned(read, {})
        connection.load(plain, trace)

        def ask(query: exp.Query) -> list[tuple[Any, ...]]:
            queries.append(query.sql("duckdb"))
            return connection.answers(query)

        plan = duckdb_engine.looked_at(plain, ask)
    assert ["(HASH(rowid) & 7) = 0" in query for query in queries] == [*4 * [False], True, True]
    assert "UNNEST(" in plan.stages[0].query.sql("duckdb")
    agree(read, trace)


# --- What follows from several conditions ----------------------------------------------------------------------------

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@pytest.mark.parametrize("first", COMPARE)
@pytest.mark.parametrize("second", COMPARE)
def test_what_two_comparisons_imply(first: str, second: str) -> None:
    read = program(
        f"rule R where a : A {{ k {second} 1 }}, no b : B {{ k {first} a.k }} when no b in a [0 ms, 9 ms] then"
    )
    a, b = read.rules[0].patterns
    few = range(-2, 5)
    chains = {(x, z) for x in few for y in few for z in few if COMPARE[first](x, y) and COMPARE[second](y, z)}
    true = [name for name, holds in COMPARE.items() if all(holds(x, z) for x, z in chains)]
    operators = [condition.operator for condition in implied(b.conditions, "b", a.conditions)]
    pairs = [(x, z) for x in few for z in few]
    assert operators == sorted(true, key=lambda name: sum(COMPARE[name](*pair) for pair in pairs))[:1]
    agree(read, [event(f"{t}{k}{at}", at, t, k=k) for t in "AB" for k in (0, 1, 2) for at in (0, 5)])
    for pair in (
        f"a : A {{ k {second} 1 }}, b : B {{ k {first} a.k }}",
        f"a : A, b : B {{ k {first} 1, k {second} a.k }}",
    ):
        several = program(f"rule R where {pair} when b in a [0 ms, 9 ms] then")
        agree(several, [event(f"{t}{k}", 0, t, k=k) for t in "AB" for k in (0, 1, 2)])


def test_a_bound_is_that_of_the_attribute_and_of_the_variable() -> None:
    rule = (
        "rule R where a : A {{ k >= 1, x < 1.0 }} no {} : B {{ k >= a.k, x > a.x }} when no {} in a [0 ms, 9 ms] then"
    )
    (sql,) = explain(program(rule.format("b", "b"))).values()
    assert sql.count(">= CAST(1 AS BIGINT)") == 2
    assert sql.count("< CAST('1.0' AS DOUBLE)") == 1


# --- Examples and boundaries ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["scenarios", "refund-scam-as-printed"])
def test_the_fraud_example(name: str) -> None:
    program = parse((FRAUD / f"{name}.parte").read_text(encoding="utf-8"))
    trace = conform(program, load_trace(FRAUD / "trace.jsonl"))
    domain = bind_domain(program, load_domain(FRAUD / "domain.json")) if program.predicates else {}
    outcome = agree(program, trace, domain)
    assert len(outcome.matches) == (11 if name == "scenarios" else 0)


def event(name: str, timestamp: int, template: str = "A", **replaced: Value) -> Event:
    return Event(name, template, timestamp, {"k": 0, "x": 0.0, "s": "", "b": False, **replaced})


def program(rules: str, attributes: str = "") -> core.Program:
    slots = f"{{ k: Integer, x: Float, s: String, b: Boolean {attributes} }}"
    return parse("".join(f"template {name} {slots}\n" for name in "ABDE") + rules)


def bindings_of(rules: str, *trace: Event, domain: Predicates | None = None) -> list[str]:
    """The bindings of all matches, after a comparison with the naive evaluator."""
    outcome = agree(program(rules), trace, domain)
    return [" ".join(identity for _, identity in match.bindings) for match in outcome.matches]


EDGES = (LEAST, LEAST + 1, -5, -1, 0, 1, 5, GREATEST - 1, GREATEST)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(0, 0), (-1, 1), (2, 5), (-5, -2), (0, GREATEST), (LEAST, 0), (GREATEST, GREATEST), (LEAST, LEAST), (1, GREATEST)],
)
@pytest.mark.parametrize("negated", [False, True])
def test_windows_are_closed_and_do_not_wrap_around(lower: int, upper: int, negated: bool) -> None:
    rule = f"rule R where a: A, {'no' if negated else ''} b: B when {'no' if negated else ''} b in a"
    trace = [event(f"{template}{at}", at, template) for at in EDGES for template in "AB"]
    matches = bindings_of(f"{rule} [{lower} ms, {upper} ms] then", *trace)
    pairs = [(a, b) for a in EDGES for b in EDGES if lower <= b - a <= upper]
    assert len(matches) == (len(EDGES) - len({a for a, _ in pairs}) if negated else len(pairs))


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("k + 1 > k", False),
        ("k * k = k * k", False),
        ("-k - 2 = -k - 2", False),
        ("abs(-k - 1) != 0", False),
        ("sum(k, 1, -1) = k", False),
        ("sum(1, -1, k) = k", True),
        ("k = 9223372036854775807.0", True),
        ("9007199254740993 = 9007199254740992.0", True),
        ("x / 0.0 = x / 0.0", False),
        ("x / -0.0 != 1.0", False),
        ("x * 10.0 > x", False),
        ("1.0 / (x * 10.0) = 0.0", False),
        ("min(x * 10.0, 1.0) = 1.0", False),
        ("x * 10.0 - x * 10.0 != 0.0", False),
        ("avg(x, x) > 0.0", False),
        ("avg(1, 2) = 1.5", True),
        ("(k + 1 > k) != true", False),
        ("(k > 0) = (x > 0.0)", True),
        ("0.1 + 0.2 = 0.3", False),
        ("0.0 = -0.0", True),
        ("5e-324 > 0.0", True),
        ('s > "\\uffff"', True),
        ('s != "a\\u0000b\'\\\\"', True),
        ("min(k, k + 1) = k", False),
        ("max(3, 1, 2, 3) = 3", True),
        ("- (-(-k)) < 0", True),
    ],
)
def test_a_condition_without_value_does_not_hold(condition: str, holds: bool) -> None:
    extreme = event("a", 0, k=GREATEST, x=1.7e308, s="\U00010000", b=True)
    assert bindings_of(f"rule R where a: A {{ {condition} }} then", extreme) == ["a"] * holds
    absent = f"rule R where a: A, no n: A {{ {condition} }} when no n in a [0 ms, 0 ms] then"
    assert bindings_of(absent, extreme) == ["a"] * (not holds)


def test_zeros_of_either_sign_join_and_keep_their_signs() -> None:
    rules = """rule R where a: A, b: B { x = a.x } when b in a [0 ms, 0 ms]
        then emit D at a.timestamp with
          { k = 0, x = min(b.x, a.x), s = "", b = max(a.x, b.x) = 0.0 }"""
    zeros = [event("a", 0, x=0.0), event("b", 0, "B", x=-0.0), event("c", 0, x=-0.0), event("d", 0, "B", x=0.0)]
    assert len(bindings_of(rules, *zeros)) == 4
    lone = 'rule R where a: A then emit D at a.timestamp with { k = 0, x = abs(-a.x), s = "", b = true }'
    bindings_of(lone, *zeros)


def test_names_that_differ_in_case_only() -> None:
    source = """template a { x: Integer, X: Integer }
        template A { x: Integer }
        rule r where v: a { x = 1, X = 2 }, V: A { x = v.X } when V in v [0 ms, 0 ms] then
        rule R where v: A then"""
    trace = [Event("e", "a", 0, {"x": 1, "X": 2}), Event("f", "A", 0, {"x": 2}), Event("g", "a", 0, {"x": 2, "X": 1})]
    assert len(agree(parse(source), trace).matches) == 2


def test_equal_contents_are_two_events_and_ids_are_quoted() -> None:
    rules = """rule R where a: A, b: A { s = a.s } when b in a [0 ms, 0 ms]
          then emit D at a.timestamp with { k = a.k, x = 0.0, s = a.s, b = false }
        rule S where d: D, a: A when a in d [0 ms, 0 ms]
          then emit E at a.timestamp with { k = a.k, x = 0.0, s = a.s, b = false }"""
    names = ["plain", "a,b=(c)", 'quo"te\\', "é\u2028", "R(x)", "", " "]
    assert len(bindings_of(rules, *[event(name, 0, s="\x00'") for name in names])) == 7**2 + 7**3


def test_strata_several_emissions_and_those_without_value() -> None:
    rules = """rule First where a: A
          then emit D at a.timestamp - 2 ms with { k = a.k + 1, x = a.x, s = a.s, b = a.b }
               emit D at avg(a.timestamp, a.timestamp - 1 ms) with { k = a.k, x = a.x * 10.0, s = a.s, b = a.k > 0 }
               emit E at a.timestamp with { k = a.timestamp, x = 1 / a.k, s = "", b = a.k + 1 > 0 }
        rule Second where d: D, no n: D { k > d.k } when no n in d [-9 ms, 9 ms]
          then emit E at d.timestamp with { k = d.k, x = d.x, s = d.s, b = d.b }"""
    trace = [event("a", LEAST, k=1), event("b", -3, k=GREATEST, x=1e308), event("c", 0, k=0), event("d", 4, "D", k=2)]
    outcome = agree(program(rules), trace)
    assert [failure.without_value for failure in outcome.failures if failure.rule == "First"] == [
        ("timestamp",),
        ("timestamp",),
        ("k",),
        ("x",),
        ("b",),
        ("x",),
    ]


def test_lists() -> None:
    source = """template A { k: Integer, s: String }
        template D { all: [Integer; 3], none: [String; 2], texts: [String; 2] }
        template E { copy: [Integer; 4] }
        rule R where a: A then emit D at a.timestamp with
          { all = list(a.k, a.k + 1), none = list(), texts = list("", a.s) }
        rule S where d: D then emit E at d.timestamp with { copy = d.all }"""
    trace = [Event("a", "A", 0, {"k": 1, "s": "x"}), Event("b", "A", 0, {"k": GREATEST, "s": "x"})]
    outcome = agree(parse(source), trace)
    assert [event.attributes for match in outcome.matches for event in match.emits] == [
        {"all": (1, 2), "none": (), "texts": ("", "x")},
        {"copy": (1, 2)},
    ]


def test_a_negated_pattern_may_be_filled_by_a_positive_event() -> None:
    rule = "rule R where a: A, no n: A {{ s {} a.s }} when no n in a [-1 ms, 0 ms] then"
    trace = [event("a", 0, s="a"), event("b", 5, s="b")]
    assert bindings_of(rule.format("="), *trace) == []
    assert bindings_of(rule.format("!="), *trace) == ["a", "b"]


def test_a_negation_between_two_positive_patterns() -> None:
    rules = """rule R where a: A, b: B { k = a.k }, no n: A { k = b.k, x > a.x + b.x }, c: A
        when b in a [0 ms, 5 ms], no n in a [1 ms, 9 ms], no n in b [-9 ms, 0 ms], c in b [0 ms, 1 ms] then"""
    trace = [event(f"a{at}", at, x=float(at)) for at in range(6)] + [event(f"b{at}", at, "B") for at in range(6)]
    bindings_of(rules, *trace)


# --- Domains ----------------------------------------------------------------------------------------------------------

PREDICATE = "predicate p(Integer, Float)\npredicate q()\n"


@pytest.mark.parametrize("member_means", [True, False])
@pytest.mark.parametrize("rows", [frozenset(), frozenset({(1, 0.0)}), frozenset({(1, -0.0), (GREATEST, 1.0)})])
def test_tables(member_means: bool, rows: frozenset[tuple[ScalarValue, ...]]) -> None:
    domain: Predicates = {"p": DomainTable(rows, member_means), "q": DomainTable(frozenset({()}), member_means)}
    trace = [event("a", 0, k=1, x=-0.0), event("b", 0, k=GREATEST, x=1.0), event("c", 1, "B", k=1)]
    for condition in ("p(k, x)", "p(k + 1, x)", "p(k, x / x)", "q()", "p(k, x) = q()", "p(k, x) != p(k + 1, 0.0)"):
        bindings_of(PREDICATE + f"rule R where a: A {{ {condition} }} then", *trace, domain=domain)
        rule = f"rule R where a: A, no n: B {{ {condition}, p(a.k, x) }} when no n in a [0 ms, 9 ms] then"
        bindings_of(PREDICATE + rule, *trace, domain=domain)


def test_callables_are_asked_and_their_errors_are_raised() -> None:
    domain: Predicates = {"p": lambda k, x: k > x, "q": lambda: True}
    rule = PREDICATE + "rule R where a: A, b: B {{ {} }} when b in a [0 ms, 0 ms] then"
    trace = [event("a", 0, x=1.0), event("b", 0, "B", k=2), event("c", 0, "B", k=GREATEST)]
    assert bindings_of(rule.format("p(k, a.x), q()"), *trace, domain=domain) == ["a b", "a c"]
    assert bindings_of(rule.format("p(k + 1, a.x)"), *trace, domain=domain) == ["a b"]

    def fails(_k: int, _x: float) -> bool:
        raise KeyError("no answer")

    with pytest.raises(KeyError, match="no answer"):
        relational.run(program(rule.format("p(k, a.x)")), trace, {"p": fails, "q": lambda: True})
    with pytest.raises(MissingPredicate):
        relational.run(program(rule.format("q()")), trace, {})


# --- What it cannot do, and what it shows -----------------------------------------------------------------------------


def test_registered_functions_are_unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_registered", dict(functions._registered))
    functions.register(functions.Function("twice", 1, 1, Scalar.INTEGER, lambda number: 2 * number))
    with pytest.raises(Unsupported, match="function twice"):
        relational.run(program("rule R where a: A { twice(k) = 2 } then"), [])


def test_an_expression_that_would_grow_without_end_is_unsupported() -> None:
    deep = "k"
    for _ in range(20):
        deep = f"min({deep}, x)"
    with pytest.raises(Unsupported, match="nested too deeply"):
        relational.run(program(f"rule R where a: A {{ {deep} = x }} then"), [])
    linear = "x" + " + x" * 98
    assert bindings_of(f"rule R where a: A {{ {linear} = 0.0 }} then", event("a", 0)) == ["a"]


def test_only_windows_without_an_equality_are_joined_by_buckets() -> None:
    rule = "rule R where a: A, {} b: B {{ {} }} when {} b in a [0 ms, 9 ms] then"
    for no in ("", "no"):
        for condition, expected in (("k = a.k", False), ("k = 1", True), ("b = a.b", True), ("k + a.k = 2", True)):
            (sql,) = explain(program(rule.format(no, condition, no))).values()
            assert ('"$bucket"' in sql) == expected


def test_the_documentation_shows_the_sql_that_is_run() -> None:
    domain = {"uncommon_route": DomainTable(frozenset({("E", "F")}), False)}
    queries = explain(parse((FRAUD / "scenarios.parte").read_text(encoding="utf-8")), domain)
    assert list(queries) == ["matches1", "matches2", "matches3"]
    page = (ROOT / "docs" / "relational.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n(.*?)\n```", page, re.DOTALL)
    assert block == queries["matches1"]


def test_no_progress_bar_is_drawn_between_the_matches() -> None:
    with duckdb_engine.Connection(threads=1) as connection:
        (setting,) = connection._database.execute("SELECT current_setting('enable_progress_bar')").fetchone() or ()
    assert setting is False


def test_spark_joins_in_an_order_that_is_chosen() -> None:
    rule = parse(
        """template A { k: Integer }
        template B { k: Integer }
        rule R where x: A, far: A, near: A { k = x.k }, few: B { k = near.k }
        when far in x [0 ms, 90 ms], near in x [0 ms, 9 ms], few in near [0 ms, 5 ms] then"""
    ).rules[0]
    in_order = [pattern.variable for pattern in joins_of(rule, {}).order]
    assert in_order == ["x", "near", "few", "far"]
    by_counts = [
        pattern.variable for pattern in joins_of(rule, {"x": 1000, "far": 1000, "near": 1000, "few": 10}).order
    ]
    assert by_counts == ["few", "near", "x", "far"]


def test_what_scans_ask_of_a_table_is_asked_once() -> None:
    rule = """predicate p(Integer)
        rule R where a: A { p(k), x > 0.0 }, b: A { p(k), s = "b" }, c: A { p(k) }
        when b in a [0 ms, 1 ms], c in a [0 ms, 1 ms] then"""
    (sql,) = explain(program(rule)).values()
    assert sql.count("domain1") == 1
    trace = [event(name, 0, k=k, x=float(k), s=name) for name, k in (("a", 1), ("b", 1), ("c", 2))]
    assert bindings_of(rule, *trace, domain={"p": DomainTable(frozenset({(1,)}), True)}) == [
        "a b a",
        "a b b",
        "b b a",
        "b b b",
    ]


def test_variables_with_the_same_scans_and_keys_are_probed_by_the_same_queries() -> None:
    whole = parse((FRAUD / "scenarios.parte").read_text(encoding="utf-8"))
    domain = {"uncommon_route": DomainTable(frozenset({("E", "F")}), False)}
    (probes,) = (
        stage.rule.probes
        for stage in compile_program(whole, domain, DuckDB()).stages
        if stage.rule is not None and stage.rule.rule.name == "FraudDiffusion"
    )
    assert [probe.variable for probe in probes] == ["outgoing_1", "outgoing_2", "outgoing_3"]
    assert len({(probe.own.sql("duckdb"), probe.counterpart.sql("duckdb")) for probe in probes}) == 1


def test_lack_of_memory_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = duckdb.connect

    def narrow(database: str, config: dict[str, Any]) -> Any:
        return connect(database, config={**config, "memory_limit": "1MB"})

    monkeypatch.setattr("duckdb.connect", narrow)
    program = parse("template A {} rule R where a : A, b : A, c : A when b in a [0 ms, 1 ms], c in a [0 ms, 1 ms]")
    plan = duckdb_engine.planned(program, {})
    with duckdb_engine.Connection(1) as connection:  # not the database that all share
        connection.load(plan, [Event(f"event {number}" * 9, "A", 0, {}) for number in range(400)])
        with pytest.raises(MemoryError, match="DuckDB ran out of memory"):
            connection.outcome(plan)
