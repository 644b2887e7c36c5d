"""The DataFrame of the results of a query in a log."""

from __future__ import annotations

from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.languages.cel.spark_adapter.batches import LINES, RESULTS, Task, line_batches, result_batches
from parte.languages.cel.spark_adapter.logs import check_lines
from parte.spark_adapter.columns import in_milliseconds
from parte.spark_adapter.mapping import mapped
from parte.spark_adapter.positions import POSITION, Results, check_schema

ORDER = ("end", "start", "positions")
"""The order of results."""


def match(
    spark: SparkSession,
    query: tree.Query,
    log: DataFrame,
    *,
    processes: int = 1,
    rivals: str = "interval",
    check: bool = True,
    name: str = "log",
) -> Results:
    """Return the results of a query in a log, shared among `processes` processes: `start`, `end`, `positions` and
    `events`, the ids of the events, in no order.

    A process is a task with a copy of the log, which Spark broadcasts; it computes its share, and does not communicate.
    With PARTITION BY, events go to tasks by the values of the attributes instead, once for each process, and a share is
    a share of the results of each substream. `CONSUME BY ANY` lets substreams end each other, so it has no groups.

    With `check` the rows are checked first; without it, the results for an invalid log are undefined. Messages call the
    log `name`. Raise TraceError for a log that does not fit the query, Unsupported for a query that only the definition
    evaluates.
    """
    Machine(query, processes=processes, rivals=rivals)
    log = in_milliseconds(log)
    check_schema(log, name)
    task = Task(print_query(query), processes, rivals, bool(query.attributes) and not _consumes_everywhere(query))
    lines = mapped(log, partial(line_batches, task), LINES).persist()
    if check:
        check_lines(query, lines, name)
    events = lines.where("key is not null").select("key", POSITION, "line")
    shares = spark.range(0, processes, 1, processes).withColumnRenamed("id", "share")
    if task.grouped:
        placed = events.crossJoin(F.broadcast(shares)).repartition("key", "share")
    else:
        placed = shares.crossJoin(F.broadcast(events))
    ordered = placed.select("share", "key", POSITION, "line").sortWithinPartitions("key", "share", POSITION)
    # Persisted, because Spark reads the input of a sort twice: once to find the ranges.
    results = mapped(ordered, partial(result_batches, task), RESULTS).persist()
    return Results(results, ORDER, (results, lines))


def _consumes_everywhere(query: tree.Query) -> bool:
    return query.consumption is tree.Consumption.ANY
