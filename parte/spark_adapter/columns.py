"""The columns of a log, whatever language its events are for; what their attributes must be is the language's."""

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
    """A log whose column `timestamp` holds integer milliseconds. Of a timestamp of Spark microseconds are cut off."""
    if dict(log.dtypes).get("timestamp") != "timestamp":
        return log
    return log.withColumn("timestamp", F.unix_millis("timestamp"))


def check_columns(
    log: DataFrame, name: str, attributes: Callable[[T.DataType], Found], *, needed: bool, besides: tuple[str, ...] = ()
) -> None:
    """TraceError with every column that is missing, surplus or of the wrong type.

    `attributes` says what is wrong with the type of that column, which must be there if it is `needed`. Columns called
    as those `besides` are no part of the log.
    """
    found = [
        Problem(name, NO_LINE, message, hint) for message, hint in _problems(log.drop(*besides), attributes, needed)
    ]
    if found:
        raise TraceError(found)


def _problems(log: DataFrame, attributes: Callable[[T.DataType], Found], needed: bool) -> Found:
    found = {field.name: field.dataType for field in log.schema.fields}
    if len(found) < len(log.columns):
        yield f"two columns have the same name: {', '.join(log.columns)}", "give every column a name of its own"
        return
    for name in found:
        if name not in COLUMNS:
            near = get_close_matches(name, COLUMNS, 1)
            hint = f"did you mean {near[0]}?" if near else f"leave it out: {SHAPE}"
            yield f"the column {quoted(name)} is not one of a log", hint
    for name in COLUMNS:
        if name not in found:
            if name not in OPTIONAL and (name != "attributes" or needed):
                yield f"the column {quoted(name)} is missing", SHAPE
        elif name == "attributes":
            yield from attributes(found[name])
        elif name == "timestamp":
            if not isinstance(found[name], WHOLE):
                without_zone = isinstance(found[name], T.TimestampNTZType)
                hint = ZONE if without_zone else "timestamps are integer milliseconds, or timestamps of Spark"
                yield f"the column timestamp: expected BIGINT or TIMESTAMP, found {shown(found[name])}", hint
        elif not is_text(found[name]):
            yield f"the column {name}: expected STRING, found {shown(found[name])}", SHAPE


def is_text(found: T.DataType) -> bool:
    """Whether values are strings that compare by code point, as those of another collation do not."""
    return type(found) is T.StringType and found == T.StringType()


def shown(of: T.DataType) -> str:
    """A type as messages name it."""
    return of.simpleString().upper() if len(of.simpleString()) < 60 else of.typeName().upper()
