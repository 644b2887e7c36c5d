"""No name of a program reaches SQL as a name (specification: relational-names), on DuckDB and on Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import duckdb
import pytest
from pyspark.sql import SparkSession
from sqlglot import exp

from parte.algebra.partelang import relational
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational.dialects import Dialect, DuckDB
from parte.algebra.partelang.relational.programs import compile_program
from parte.algebra.partelang.relational.sparksql import Spark
from parte.semantics.events.domain import DomainTable
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.expectations import KEYWORDS
from parte.semantics.partelang.syntax.functions import BUILT_IN
from parte.semantics.partelang.text import parsed
from tests.spark_adapter.match.matching import Case, outcomes, small

SHAPE = """
template {T} {{ {a} : Integer, {b} : Float, {c} : [String; 2] }}
template {E} {{ {a} : Integer }}
predicate {P}(Integer)
rule {R} where {v} : {T} {{ {P}({a}) }}, {w} : {T} {{ {b} = {v}.{b} }}, no {n} : {T} {{ {a} = {v}.{a} + {w}.{a} }}
when {w} in {v} [0 ms, 9 ms], no {n} in {v} [1 ms, 9 ms], no {n} in {w} [0 ms, 9 ms]
then emit {E} at {w}.timestamp with {{ {a} = {v}.{a} + {w}.{a} }}
rule {S} where {v} : {E} {{ {a} > 0 }}, {w} : {T}, no {n} : {E} {{ {a} = {v}.{a} }}
when {w} in {v} [-9 ms, 0 ms], no {n} in {w} [1 ms, 9 ms], no {n} in {v} [1 ms, 9 ms]
"""
"""Names in every place: a negated pattern over two variables, and a stratum that reads what another emits."""
PLACES = ("T", "E", "a", "b", "c", "P", "R", "S", "v", "w", "n")
TAME = dict(zip(PLACES, ("Tt", "Te", "ta", "tb", "tc", "tp", "Tr", "Ts", "tv", "tw", "tn"), strict=True))

OURS = (
    *("p1", "p2", "n1", "a1", "a2", "a3", "b1", "c1", "events1", "events2", "trace1", "trace2", "matches1", "matches2"),
    *(
        "predicate1",
        "domain1",
        "constants1",
        "k1",
        "upper1",
        "key0",
        "item",
        "id",
        "event",
        "events",
        "attributes",
        "source",
        "handed",
    ),
    *("log", "hash", "bindings", "emissions", "position", "without_value", "variable", "PARTE_COMPONENT"),
)
"""What the compiler and its surroundings call things themselves."""


@pytest.fixture(scope="module")
def keywords(spark: SparkSession) -> Sequence[str]:
    """The keywords of both engines, as they list them."""
    ours = [name for (name,) in duckdb.execute("SELECT keyword_name FROM duckdb_keywords()").fetchall()]
    theirs = [row.keyword for row in spark.sql("SELECT keyword FROM sql_keywords()").collect()]
    assert {"select", "lateral"} <= set(ours)
    assert {"SELECT", "LATERAL"} <= set(theirs)
    return sorted(
        {name.lower() for name in (*ours, *theirs) if name.isidentifier()} - {*KEYWORDS, *BUILT_IN, "list", "timestamp"}
    )


def shadowed(name: str) -> Iterator[dict[str, str]]:
    """The shape with one name in as many places as may have it at once; templates, predicates and rules differ."""
    variant = name.swapcase() if name.swapcase() != name else f"{name}_"
    for variables in ({"v": name, "w": variant}, {"w": name, "n": variant}, {"n": name, "v": variant}):
        variable, *_ = variables
        yield TAME | {"T": name, "P": variant, "a": name, "b": variant} | variables
        yield TAME | {"E": name, "R": variant, "b": name, "c": variant, variable: name}
        yield TAME | {"R": name, "S": variant, "c": name, "a": variant} | variables


def program(names: Mapping[str, str]) -> core.Program:
    return parsed(SHAPE.format(**names))


def shape_of(read: core.Program, dialect: Dialect, names: Mapping[str, str]) -> list[str]:
    """The queries of a program without the strings in them, which are ids and no names."""
    queries = []
    for stage in compile_program(read, {names["P"]: DomainTable(frozenset({(1,)}), True)}, dialect).stages:
        query = stage.query.copy()
        for literal in list(query.find_all(exp.Literal)):
            if literal.is_string:
                literal.replace(exp.Literal.string(""))
        queries.append(f"{stage.name}: {query.sql(dialect.name)}")
    return queries


def test_queries_are_the_same_whatever_the_names(keywords: Sequence[str]) -> None:
    hostile = [names for name in OURS for names in list(shadowed(name))[::4]]
    for start in range(0, len(keywords) - len(PLACES), len(PLACES)):
        hostile.append(dict(zip(PLACES, keywords[start:], strict=False)))
    dialects = (DuckDB(), Spark())
    tame = [shape_of(program(TAME), dialect, TAME) for dialect in dialects]
    for names in hostile:
        read = program(names)
        assert [shape_of(read, dialect, names) for dialect in dialects] == tame, names


def case(names: Mapping[str, str]) -> Case:
    """The shape with a trace on which both rules match and both negations bar something."""
    trace = [
        Event(f"e{number}", names["T"], time, {names["a"]: value, names["b"]: 0.5, names["c"]: ("x",)})
        for number, (time, value) in enumerate([(0, 1), (1, 2), (2, 3), (5, 1), (9, 4)])
    ]
    return program(names), trace, {names["P"]: DomainTable(frozenset({(1,), (2,)}), True)}


def test_duckdb_finds_the_same_whatever_the_names() -> None:
    for name in ("v", *OURS[::3]):
        for names in list(shadowed(name))[::4]:
            expected = run(*case(names))
            assert len(expected.matches) > 3
            assert repr(relational.run(*case(names))) == repr(expected), names


def test_spark_finds_the_same_whatever_the_names(spark: SparkSession) -> None:
    cases = [case(names) for name in ("attributes",) for names in list(shadowed(name))[::4]]
    assert [repr(outcome) for outcome in outcomes(small(spark, ansi=True), cases)] == [
        repr(run(*case)) for case in cases
    ]


def test_a_variable_called_like_an_attribute_of_the_negated_template(spark: SparkSession) -> None:
    """Spark took `v.$timestamp` in the subquery for a field of the attribute `v` of `n`."""
    read = parsed(
        """template A {} template B { v : Float }
        rule R where v : A, w : A, no n : B
        when w in v [0 ms, 1 ms], no n in v [0 ms, 1 ms], no n in w [0 ms, 1 ms]"""
    )
    trace = [*(Event(f"a{time}", "A", time, {}) for time in (0, 1, 7, 8, 9)), Event("b", "B", 8, {"v": 1.0})]
    expected = run(read, trace)
    assert len(expected.matches) == 5
    assert repr(relational.run(read, trace)) == repr(expected)
    assert repr(outcomes(small(spark, ansi=True), [(read, trace, {})])) == repr([expected])


@pytest.mark.exhaustive
def test_spark_takes_every_keyword_of_both_engines(spark: SparkSession, keywords: Sequence[str]) -> None:
    """In small letters and in capitals: all as attributes, and in turn as everything else."""
    cases = []
    for start in range(0, len(keywords), 120):
        words = [word for keyword in keywords[start : start + 120] for word in (keyword, keyword.upper())]
        names = dict(zip(PLACES, words, strict=False))
        names |= {"v": names["a"], "w": names["b"], "n": names["T"]}
        read, trace, domain = case(names)
        slots = {word: 7 for word in words if word not in names.values()}
        more = "".join(f", {word} : Integer" for word in slots)
        read = parsed(SHAPE.format(**names).replace(f"{names['c']} : [String; 2]", f"{names['c']} : [String; 2]{more}"))
        events = [
            replace(event, attributes={**event.attributes, **slots}) for event in trace if isinstance(event, Event)
        ]
        cases.append((read, events, domain))
    observed = outcomes(small(spark, ansi=True), cases)
    assert [repr(outcome) for outcome in observed] == [repr(run(*case)) for case in cases]
