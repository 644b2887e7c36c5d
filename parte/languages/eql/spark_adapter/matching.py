"""The DataFrame of the results of a sequence in a log."""

from __future__ import annotations

from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.eql.spark_adapter.batches import LINES, RESULTS, line_batches, result_batches
from parte.semantics.events.problems import Problems, TraceError
from parte.spark_adapter.columns import in_milliseconds
from parte.spark_adapter.mapping import mapped
from parte.spark_adapter.positions import POSITION, Results, check_schema, row_problems

ORDER = ("end", "last", "start", "first")
"""The order of results: by the last event, then the first."""


def match(log: DataFrame, query: tree.Sequence, *, check: bool = True, name: str = "log") -> Results:
    """Return the results of a sequence in a log, in the order of timestamps and positions: `batches.RESULTS`.

    Events go to tasks by the values of the keys, an event to each key in which it fits a stage; without keys one task
    has them all. With `check` the rows are checked first; without it, the results for an invalid log are undefined.
    Messages call the log `name`. Raise TraceError for a log with errors.
    """
    log = in_milliseconds(log)
    check_schema(log, name)
    text = print_query(query)
    lines = mapped(log, partial(line_batches, text), LINES).persist()
    if check:
        problems = Problems()
        problems.extend(row_problems(lines, name))
        if problems:
            raise TraceError(problems)
    events = lines.select(F.explode("keys").alias("key"), "timestamp", POSITION, "line").repartition("key")
    ordered = events.sortWithinPartitions("key", "timestamp", POSITION).drop("timestamp")
    results = mapped(ordered, partial(result_batches, text), RESULTS).persist()
    piped: DataFrame = results
    for pipe in query.pipes:
        is_head = pipe.end is tree.End.HEAD
        piped = piped.orderBy(*(F.asc(column) if is_head else F.desc(column) for column in ORDER)).limit(pipe.count)
    return Results(piped, ORDER, (results, lines))
