"""Replay on DataFrames: traces in, one row a trace out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from parte.semantics.events.values import GREATEST_INTEGER
from parte.spark_adapter.errors import Unusable
from parte.spark_adapter.mapping import mapped
from parte.spark_adapter.replay.batches import generate_batches, replay_batches, replay_random_batches
from parte.spark_adapter.replay.plan import Plan
from parte.spark_adapter.replay.rows import RESULTS
from parte.spark_adapter.traces.format import DOMAINS, EVENT, PROGRAMS, TRACES
from parte.spark_adapter.traces.random import Recipe

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType

TASKS_PER_CORE: Final = 4
"""Tasks for each core of Spark: enough that the last ones do not keep the other cores waiting for long."""

MOST_PER_TASK: Final = 20_000


class BadTable(Unusable):
    """A table that lacks a column, has one of the wrong type, or contains an id twice."""


def replay(
    spark: SparkSession,
    traces: DataFrame,
    *,
    programs: DataFrame | None = None,
    domains: DataFrame | None = None,
    plan: Plan | None = None,
) -> DataFrame:
    """Run every trace through the models of a plan: one row a trace, with the columns of `replay_rows.RESULTS`.

    `traces` has the columns of `traces_format.TRACES`, of which only `trace_id` and `events` are required; attributes
    may be a struct or a map instead of JSON text. `programs` and `domains` are found by id. A trace that cannot be run
    is a row with the verdict `error`. Nothing is computed before the result is read, except the check that ids of
    programs and domains are unique.

    Raises BadTable for tables with the wrong columns.
    """
    rows = joined(traces, programs, domains).repartition(spark.sparkContext.defaultParallelism * TASKS_PER_CORE)
    return mapped(rows, partial(replay_batches, plan or Plan()), RESULTS)


def replay_random(
    spark: SparkSession, count: int, *, first: int = 0, recipe: Recipe | None = None, plan: Plan | None = None
) -> DataFrame:
    """Run random cases, from number `first` on, through the models of a plan; the columns are those of `replay`."""
    numbers = _numbers(spark, first, count)
    return mapped(numbers, partial(replay_random_batches, plan or Plan(), recipe or Recipe()), RESULTS)


def random_traces(spark: SparkSession, count: int, *, first: int = 0, recipe: Recipe | None = None) -> DataFrame:
    """Return the random cases themselves, with the columns of `traces_format.TRACES`."""
    return mapped(_numbers(spark, first, count), partial(generate_batches, recipe or Recipe()), TRACES)


def _numbers(spark: SparkSession, first: int, count: int) -> DataFrame:
    if min(first, count) < 0 or first + count > GREATEST_INTEGER:
        raise Unusable(f"random traces are numbered from 0 to {GREATEST_INTEGER}; found {count} from {first} on")
    tasks = max(spark.sparkContext.defaultParallelism * TASKS_PER_CORE, -(-count // MOST_PER_TASK))
    return spark.range(first, first + count, 1, max(1, min(count, tasks)))


# --- Tables ----------------------------------------------------------------------------------------------------------


def joined(traces: DataFrame, programs: DataFrame | None, domains: DataFrame | None) -> DataFrame:
    """Return the traces with the texts of their programs and domains, in the columns that the workers read."""
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_type

    rows = _normal(traces)
    for table, name, schema in ((programs, "program_id", PROGRAMS), (domains, "domain_id", DOMAINS)):
        text_fields = [field for field in schema if field.name != name]
        if table is None:
            rows = rows.select(
                "*",
                *(
                    f.lit(None).cast(from_arrow_type(text_field.type)).alias(text_field.name)
                    for text_field in text_fields
                ),
            )
        else:
            rows = rows.join(_with_unique(table, name, schema), on=name, how="left")
    return rows


def _normal(traces: DataFrame) -> DataFrame:
    """Return the columns of `TRACES`, the absent ones null."""
    from pyspark.sql import functions as f
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import ArrayType, StructType

    _require(traces, ("trace_id", "events"), "traces")
    events = traces.schema["events"].dataType
    if not isinstance(events, ArrayType) or not isinstance(events.elementType, StructType):
        raise BadTable(f"traces: expected events to be an array of structs, found {events.simpleString()}")
    element = events.elementType
    unknown = [name for name in element.names if name not in {field.name for field in EVENT}]
    if unknown:
        known = ", ".join(field.name for field in EVENT)
        raise BadTable(f"traces: an item of events has the field {unknown[0]}; expected some of {known}")

    nested = "attributes" in element.names and element["attributes"].dataType.typeName() in ("struct", "map", "variant")

    for field in EVENT:
        if field.name in element.names and not (field.name == "attributes" and nested):
            _check_type("traces", f"events.{field.name}", element[field.name].dataType, field.type)

    def item(event: Column) -> Column:
        fields = []
        for field in EVENT:
            value = event[field.name] if field.name in element.names else f.lit(None)
            if field.name == "attributes" and nested:
                value = f.to_json(value)
            elif field.name in element.names and element[field.name].dataType.typeName() == "timestamp":
                value = f.unix_millis(value)  # a cast would count seconds
            fields.append(value.cast(from_arrow_type(field.type)).alias(field.name))
        return f.when(event.isNotNull(), f.struct(*fields))

    columns = []
    for field in TRACES:
        if field.name == "events":
            columns.append(f.transform("events", item).alias("events"))
        else:
            if field.name in traces.columns:
                _check_type("traces", field.name, traces.schema[field.name].dataType, field.type)
            value = f.col(field.name) if field.name in traces.columns else f.lit(None)
            columns.append(value.cast(from_arrow_type(field.type)).alias(field.name))
    return traces.select(*columns)


def _with_unique(table: DataFrame, name: str, schema: pa.Schema) -> DataFrame:
    """Return the columns of a schema; BadTable if an id occurs twice, which would give two rows for one trace."""
    from pyspark.sql import functions as f

    plural = name.removesuffix("_id") + "s"
    needed = [field.name for field in schema if field.name != "escaped"]
    _require(table, needed, plural)
    if "escaped" in schema.names and "escaped" not in table.columns:
        table = table.withColumn("escaped", f.lit(False))
    for field in schema:
        _check_type(plural, field.name, table.schema[field.name].dataType, field.type)
    twice = table.groupBy(name).count().where("count > 1").orderBy(name).head(3)
    if twice:
        raise BadTable(f"{plural}: the id {twice[0][0]!r} is used {twice[0][1]} times; expected each once")
    return table.select(*schema.names)


_TEXTS: Final = frozenset({"string", "char", "varchar", "binary", "void"})
_INTEGERS: Final = frozenset({"byte", "short", "integer", "long", "void"})


def _check_type(table: str, column: str, actual: DataType, wanted: pa.DataType) -> None:
    """Raise BadTable for a column whose cast would change its values, or fail for some and so end the whole job."""
    name = actual.typeName()
    moment = column in ("events.timestamp", "events.progress")
    if pa.types.is_int64(wanted):
        fits, expected = name in _INTEGERS or (moment and name == "timestamp"), "an integer (ms)"
    elif pa.types.is_boolean(wanted):
        fits, expected = name in ("boolean", "void"), "a boolean"
    else:
        fits, expected = name in _TEXTS or (column.endswith("id") and name in _INTEGERS), "a string"
    if not fits:
        expected += " or a timestamp" if moment else ""
        raise BadTable(f"{table}: expected {column} to be {expected}, found {actual.simpleString()}")


def _require(table: DataFrame, names: Iterable[str], table_name: str) -> None:
    for name in names:
        if name not in table.columns:
            raise BadTable(f"{table_name}: there is no column {name}; found {', '.join(table.columns)}")
