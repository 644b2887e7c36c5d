"""The columns of a log, for events of any language; each language defines the types of their attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from parte.algebra.partelang.relational.columns import COLUMNS, OPTIONAL
from parte.semantics.events.event import NO_LINE
from parte.semantics.events.problems import Problem, TraceError
from parte.semantics.events.strictjson import quoted

Found = Iterator[tuple[str, str]]
"""Messages, each with a hint."""

WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
SHAPE = (
    "a log has the columns id, template, timestamp (integer milliseconds, or a TIMESTAMP), attributes (a struct with a "
    "field for each attribute, null where a template has no such attribute) and, if it likes, source"
)


ZONE = (
    "a timestamp without a zone is another moment in each zone: have the writer name it, or convert it to integer "
    "milliseconds"
)


def in_milliseconds(log: DataFrame) -> DataFrame:
    """Return a log whose column `timestamp` contains integer milliseconds. The microseconds of Spark's timestamps are
    truncated."""
    if dict(log.dtypes).get("timestamp") != "timestamp":
        return log
    return log.withColumn("timestamp", F.unix_millis("timestamp"))


def check_columns(
    log: DataFrame, name: str, attributes: Callable[[T.DataType], Found], *, needed: bool, besides: tuple[str, ...] = ()
) -> None:
    """Raise TraceError with every column that is missing, surplus or of the wrong type.

    `attributes` yields the problems of the type of that column, which must be present if it is `needed`. Columns with
    names in `besides` are not part of the log.
    """
    problems = [
        Problem(name, NO_LINE, message, hint) for message, hint in _problems(log.drop(*besides), attributes, needed)
    ]
    if problems:
        raise TraceError(problems)


def _problems(log: DataFrame, attributes: Callable[[T.DataType], Found], needed: bool) -> Found:
    types = {field.name: field.dataType for field in log.schema.fields}
    if len(types) < len(log.columns):
        yield f"two columns have the same name: {', '.join(log.columns)}", "give every column a name of its own"
        return
    for name in types:
        if name not in COLUMNS:
            near = get_close_matches(name, COLUMNS, 1)
            hint = f"did you mean {near[0]}?" if near else f"leave it out: {SHAPE}"
            yield f"the column {quoted(name)} is not one of a log", hint
    for name in COLUMNS:
        if name not in types:
            if name not in OPTIONAL and (name != "attributes" or needed):
                yield f"the column {quoted(name)} is missing", SHAPE
        elif name == "attributes":
            yield from attributes(types[name])
        elif name == "timestamp":
            if not isinstance(types[name], WHOLE):
                without_zone = isinstance(types[name], T.TimestampNTZType)
                hint = ZONE if without_zone else "timestamps are integer milliseconds, or timestamps of Spark"
                yield f"the column timestamp: expected BIGINT or TIMESTAMP, found {type_text(types[name])}", hint
        elif not is_text(types[name]):
            yield f"the column {name}: expected STRING, found {type_text(types[name])}", SHAPE


def is_text(kind: T.DataType) -> bool:
    """Return whether values are strings that compare by code point, unlike those of another collation."""
    return type(kind) is T.StringType and kind == T.StringType()


def type_text(of: T.DataType) -> str:
    """Return the name of a type for messages."""
    return of.simpleString().upper() if len(of.simpleString()) < 60 else of.typeName().upper()
