"""The sources of lines: a growing directory of JSON Lines or Parquet files, or Kafka."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from parte.spark_adapter.errors import Unusable, cause_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

FORMATS: Final = ("json", "parquet", "kafka")

EVENT: Final = ("id", "template", "timestamp", "source", "attributes")

_FILES: Final[Mapping[str, str]] = {
    # Otherwise Spark would silently ignore files a week older than the newest.
    "maxFileAge": "36500d",
}


class SourceError(Unusable):
    """A source that cannot be read."""


def lines_of(
    spark: SparkSession, source: str, format: str = "json", options: Mapping[str, str] | None = None, job: str = ""
) -> DataFrame:
    """Return a stream for `detected`, for one job.

    `json`: a directory, each line of its files an event. `parquet`: a directory of files with the columns id, template,
    timestamp (an integer in milliseconds, or a timestamp, whose microseconds are truncated), source (optional), and
    attributes (a struct or map, or JSON text; a null in a struct is no attribute) or, in its place, a column for each
    attribute. A field or column `Template.attribute` is that attribute in the events of that template, as in the logs
    that `match` reads. `kafka`: the bootstrap servers; each value is an event, `options` name the topic (`subscribe`).
    `options` are those of Spark's source.

    SourceError if the format is unknown, columns are missing, or there is no table that defines them.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as f

    source_options = dict(options or {})
    if format not in FORMATS:
        raise SourceError(f"no format of sources is called {format!r}; there are: {', '.join(FORMATS)}")
    if format == "kafka":
        reader = spark.readStream.format("kafka").option("kafka.bootstrap.servers", source).options(**source_options)
        line = f.col("value")
        try:
            read = reader.load()
        except AnalysisException as problem:
            if problem.getCondition() != "DATA_SOURCE_NOT_FOUND" and "data source: kafka" not in str(problem):
                raise
            raise SourceError(
                "Spark has no connector for Kafka here: it is a package of its own, "
                "--conf spark.jars.packages=org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0"
            ) from None
    elif format == "json":
        read = spark.readStream.options(**{**_FILES, **source_options}).text(source)
        line = f.col("value").cast("binary")
    else:
        schema = _schema(spark, source)
        read = spark.readStream.schema(schema).options(**{**_FILES, **source_options}).parquet(source)
        line = as_line(schema).cast("binary")
    return read.select(f.lit(job).alias("job"), line.alias("line"))


def _schema(spark: SparkSession, source: str) -> StructType:
    """Return the columns of the present tables. SourceError if there are none yet, or if they cannot be read."""
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]  # py4j has no stubs
    from pyspark.errors import AnalysisException

    try:
        return spark.read.parquet(source).schema
    except AnalysisException as problem:
        if problem.getCondition() != "UNABLE_TO_INFER_SCHEMA":
            raise
        raise SourceError(
            f"{source}: there is no Parquet file to take the columns from: put one there first, without rows if need be"
        ) from None
    except Py4JJavaError as problem:
        raise SourceError(f"{source}: the columns cannot be read: {cause_of(problem)}") from None


def as_line(schema: StructType) -> Column:
    """Return a row of a table of events as a line of JSON. SourceError if a column is missing."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import StringType, StructType, TimestampNTZType, TimestampType

    from parte.spark_adapter.columns import ZONE

    names = schema.names
    missing = [name for name in ("id", "template", "timestamp") if name not in names]
    if missing:
        raise SourceError(
            f"a table of events has the columns id, template and timestamp; {', '.join(missing)} not found among "
            f"{', '.join(names)}"
        )
    time: Column = f.col("timestamp")
    if isinstance(schema["timestamp"].dataType, TimestampNTZType):
        raise SourceError(f"the column timestamp is a TIMESTAMP_NTZ: {ZONE}")
    if isinstance(schema["timestamp"].dataType, TimestampType):
        time = f.unix_millis(time)
    columns = {"id": f.col("id"), "template": f.col("template"), "timestamp": time}
    if "source" in names:
        columns["source"] = f.col("source")
    attributes: Column
    if "attributes" not in names:
        return _record(columns, {name: f.col(_quoted(name)) for name in names if name not in EVENT})
    held = schema["attributes"].dataType
    if isinstance(held, StructType) and any("." in name for name in held.names):
        return _record(columns, {name: f.col("attributes").getField(name) for name in held.names})
    if isinstance(held, StringType):
        # The text is used unchanged: parsing it here could change its numbers.
        head = _json(columns)
        attributes = f.coalesce(f.col("attributes"), f.lit("{}"))
        open_ended = head.substr(f.lit(1), f.length(head) - 1)
        return f.concat(open_ended, f.lit(',"attributes":'), attributes, f.lit("}"))
    return _json({**columns, "attributes": f.col("attributes")})


def _record(columns: Mapping[str, Column], fields: Mapping[str, Column]) -> Column:
    """Return a row as JSON: `Template.attribute` is the attribute in the events of that template, and itself in all
    others.

    There a null is left out; any other value is not an attribute of the event, and will be rejected, not lost.
    """
    from pyspark.sql import functions as f

    def of(owner: str) -> Column:
        attributes = [column.alias(name.removeprefix(f"{owner}.")) for name, column in fields.items()]
        return _json({**columns, "attributes": f.struct(*attributes)})

    line = of("")
    for owner in sorted({name.partition(".")[0] for name in fields if "." in name}):
        line = f.when(f.col("template") == owner, of(owner)).otherwise(line)
    return line


def _json(columns: Mapping[str, Column]) -> Column:
    from pyspark.sql import functions as f

    return f.to_json(f.struct(*[column.alias(name) for name, column in columns.items()]))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
