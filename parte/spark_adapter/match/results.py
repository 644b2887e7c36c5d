"""The result of `match`: DataFrames, and the Parquet files that are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from types import TracebackType

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from parte.algebra.partelang.relational.alike import RULE
from parte.algebra.partelang.relational.columns import COLUMNS, Field, fields
from parte.algebra.partelang.relational.programs import Plan
from parte.algebra.partelang.relational.rules import EmissionColumns, RuleQuery
from parte.algebra.partelang.relational.skew import Hot
from parte.algebra.partelang.relational.suppressed import suppressing
from parte.semantics.events.match import PRODUCTION_SOURCE
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.match.schema import spark_type
from parte.spark_adapter.match.suppressed import passed_column
from parte.spark_adapter.results import FAILURE, MATCH, SUPPRESSED

_TEXT, _LONG = T.StringType(), T.LongType()
_BINDINGS = T.ArrayType(T.StructType().add("variable", _TEXT).add("event", _TEXT))
"""The same type as in `parte.spark_adapter.results`."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of a program in a log. Nothing is computed before the rows of a DataFrame are read.

    `rules` has a DataFrame for each rule with a row for each match: the id of the event that each positive variable is
    bound to, under the name of the variable, then for each emission its id, timestamp and attributes, as `1$id`,
    `1$timestamp`, `1$…`; a timestamp or an attribute is null if it has no value. At the end stands, for each emission
    with `once`, `1$passed`: the id of the event that passed, if the event is suppressed. `hot` are the keys that too
    many events share. Use as a context, or call `close`: results that several strata read stay in Spark's cache until
    then.
    """

    spark: SparkSession
    plan: Plan
    frames: Mapping[str, DataFrame]
    """By rule, with the columns of its query; rules that are alike share one, under the name of the first."""
    queries: Mapping[str, str]
    hot: tuple[Hot, ...]
    cached: frozenset[str]

    def __enter__(self) -> Matches:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the DataFrames from Spark's cache; they remain usable."""
        for name in self.cached:
            self.frames[name].unpersist()

    @property
    def rules(self) -> Mapping[str, DataFrame]:
        """The DataFrame of each rule, with a row for each match; it is created on access."""
        return _ByRule(self.plan, self.frames)

    @property
    def all(self) -> DataFrame:
        """All matches, in no order: `rule`, `bindings` (variables and event ids in pattern order) and `emissions`.

        An emission is a struct: `position` in the rule, the columns of an event, `without_value`: its parts without a
        value (`timestamp`, attributes), and `passed`: the id of the event because of which it is suppressed. The event
        was emitted if the former is empty and the latter null. It is one query, so that Spark reads shared inputs of
        several rules once.
        """
        queries = [stage.rule for stage in self.plan.stages if stage.rule is not None]
        emitted = emitted_fields(self.plan.program)
        frames = [_unified(query, self.frames[query.rule.name], emitted) for query in queries]
        nothing = T.StructType().add("rule", _TEXT).add("bindings", _BINDINGS)
        nothing = nothing.add("emissions", T.ArrayType(_emission_type(_attributes(emitted))))
        return reduce(DataFrame.unionAll, frames) if frames else self.spark.createDataFrame([], nothing)

    def explain(self) -> str:
        """Return the SQL of each stage, and Spark's plan for each rule."""
        parts = []
        rules = {stage.name: stage.rule for stage in self.plan.stages if stage.rule is not None}
        for name, sql in self.queries.items():
            parts.append(f"{sql}\n")
            if (query := rules.get(name)) is not None:
                subject = f"rule {query.rule.name}" if query.alike is None else f"the rules of {query.alike.relation}"
                parts.append(f"-- {subject} on Spark\n{_plan_of(self.frames[query.rule.name])}")
        return "\n".join(parts)


class _ByRule(Mapping[str, DataFrame]):
    """The matches of each rule, selected from those of all rules that are like it."""

    def __init__(self, plan: Plan, frames: Mapping[str, DataFrame]) -> None:
        queries = [stage.rule for stage in plan.stages if stage.rule is not None]
        of = {rule.name: query for query in queries for rule in query.rules}
        self._queries: dict[str, list[RuleQuery]] = {}
        for rule in plan.program.rules:
            self._queries.setdefault(rule.reported, []).append(of[rule.name])
        self._frames = frames

    def __getitem__(self, name: str) -> DataFrame:
        return reduce(DataFrame.unionAll, [self._of_case(query, name) for query in self._queries[name]])

    def _of_case(self, query: RuleQuery, name: str) -> DataFrame:
        frame = self._frames[query.rule.name]
        if query.alike is not None:
            frame = frame.where(_column(RULE) == F.lit(name)).drop(RULE)
        passed = [f"{position}$passed" for position, _ in suppressing(query.rule)]
        return frame.toDF(*query.titles, *passed)

    def __iter__(self) -> Iterator[str]:
        return iter(self._queries)

    def __len__(self) -> int:
        return len(self._queries)


def matches_of(every: DataFrame) -> DataFrame:
    """Return a row for each match, with the columns `MATCH` of `parte.spark_adapter.results`; sorted."""
    emitted = F.filter("emissions", lambda emission: _is_emitted(emission["without_value"], emission["passed"]))
    ids = F.transform(emitted, lambda emission: emission["id"])
    return every.select("rule", "bindings", ids.alias("emits")).select(*MATCH).orderBy("rule", "bindings")


def events_of(every: DataFrame) -> DataFrame:
    """Return the emitted events, with the columns of a log; sorted by id."""
    emission = every.select(F.explode("emissions").alias("emission"))
    emitted = emission.where(_is_emitted(F.col("emission.without_value"), F.col("emission.passed")))
    events = emitted.select("emission.*")
    return events.select(*(name for name in COLUMNS if name in events.columns)).orderBy("id")


def failures_of(every: DataFrame) -> DataFrame:
    """Return the emissions that emitted nothing, with the columns `FAILURE` of `parte.spark_adapter.results`;
    sorted."""
    emission = every.select("rule", "bindings", F.explode("emissions").alias("emission"))
    failed = emission.where(F.size("emission.without_value") > 0)
    position, lacking = F.col("emission.position").alias("emission"), F.col("emission.without_value")
    return failed.select("rule", "bindings", position, lacking).select(*FAILURE).orderBy("rule", "bindings", "emission")


def suppressed_of(every: DataFrame) -> DataFrame:
    """Return the events that `once` suppressed, with the columns `SUPPRESSED` of `parte.spark_adapter.results`;
    sorted."""
    emission = every.select("rule", "bindings", F.explode("emissions").alias("emission"))
    suppressed = emission.where(F.col("emission.passed").isNotNull())
    position, event = F.col("emission.position").alias("emission"), F.col("emission.id").alias("event")
    parts = suppressed.select("rule", "bindings", position, event, F.col("emission.passed"))
    return parts.select(*SUPPRESSED).orderBy("rule", "bindings", "emission")


def emitted_fields(program: core.Program) -> dict[tuple[str, str], Field]:
    """Return the fields of the attributes that emitted events have."""
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    return {where: field for where, field in fields(program).items() if where[0] in emitted}


def _unified(query: RuleQuery, frame: DataFrame, emitted: Mapping[tuple[str, str], Field]) -> DataFrame:
    rule = query.rule
    name = F.lit(rule.reported) if query.alike is None else _column(RULE)
    bound = [
        F.struct(F.lit(pattern.variable).alias("variable"), _column(columns).alias("event"))
        for pattern, columns in zip(rule.positive, query.bindings, strict=True)
    ]
    attributes = _attributes(emitted)
    emissions = [
        _emission(rule, name, position, columns, emitted, attributes)
        for position, columns in enumerate(query.emissions, start=1)
    ]
    kind = T.ArrayType(_emission_type(attributes))
    return frame.select(
        name.alias("rule"),
        F.array(*bound).cast(_BINDINGS).alias("bindings"),
        F.array(*emissions).cast(kind).alias("emissions"),
    )


def _attributes(emitted: Mapping[tuple[str, str], Field]) -> T.StructType:
    attributes = T.StructType()
    for field in {field.name: field for field in emitted.values()}.values():
        attributes.add(field.name, spark_type(field.type))
    return attributes


def _emission_type(attributes: T.StructType) -> T.StructType:
    shape = T.StructType().add("position", T.IntegerType()).add("id", _TEXT).add("template", _TEXT)
    shape = shape.add("timestamp", _LONG).add("source", _TEXT)
    if attributes.fields:
        shape = shape.add("attributes", attributes)
    return shape.add("without_value", T.ArrayType(_TEXT)).add("passed", _TEXT)


def _is_emitted(without_value: Column, passed: Column) -> Column:
    return (F.size(without_value) == 0) & passed.isNull()


def _emission(
    rule: core.Rule,
    name: Column,
    position: int,
    columns: EmissionColumns,
    emitted: Mapping[tuple[str, str], Field],
    attributes: T.StructType,
) -> Column:
    emission = rule.emissions[position - 1]
    names = [assignment.attribute for assignment in emission.assignments]
    values = dict(zip(names, columns.attributes, strict=True))
    by_field = {emitted[emission.template, name].name: column for name, column in values.items()}
    parts = [
        F.lit(position).alias("position"),
        _column(columns.identity).alias("id"),
        F.lit(emission.template).alias("template"),
        _column(columns.timestamp).alias("timestamp"),
        F.concat(F.lit(PRODUCTION_SOURCE), name, F.lit(f"#{position}")).alias("source"),
    ]
    if attributes.fields:
        slots = [
            (_column(by_field[field.name]) if field.name in by_field else F.lit(None)).cast(field.dataType)
            for field in attributes.fields
        ]
        named = (slot.alias(field.name) for slot, field in zip(slots, attributes.fields, strict=True))
        parts.append(F.struct(*named).alias("attributes"))
    optional = {assignment.attribute for assignment in emission.assignments if assignment.optional}
    lacking = [
        F.when(_column(column).isNull(), F.lit(name))
        for name, column in {"timestamp": columns.timestamp, **values}.items()
        if name not in optional
    ]
    parts.append(F.array_compact(F.array(*lacking)).alias("without_value"))
    passed = F.lit(None).cast(_TEXT) if emission.once is None else _column(passed_column(position))
    parts.append(passed.alias("passed"))
    return F.struct(*parts)


def _column(name: str) -> Column:
    return F.col("`" + name + "`")


def _plan_of(frame: DataFrame) -> str:
    jvm = frame.sparkSession._jvm
    assert jvm is not None
    return str(jvm.PythonSQLUtils.explainString(frame._jdf.queryExecution(), "formatted"))
