"""From a query and a log to the DataFrame of its results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import TracebackType

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.languages.cel.spark_adapter.batches import LINES, RESULTS, Task, line_batches, result_batches
from parte.languages.cel.spark_adapter.logs import POSITION, check_lines, check_schema
from parte.spark_adapter.columns import in_milliseconds
from parte.spark_adapter.mapping import mapped

ORDER = ("end", "start", "positions")
"""In which results are shown."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a query, computed when Spark is asked for their rows: `start`, `end`, `positions` and `events`,
    the ids of these, in no order. Use as a context, or `close`: Spark keeps them until then, and what tasks read.
    """

    results: DataFrame
    _kept: tuple[DataFrame, ...]

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back what Spark keeps; the DataFrame stays good."""
        for frame in self._kept:
            frame.unpersist()

    def write(self, directory: str) -> int:
        """Write the table `matches` below a directory, sorted through all its files; how many there are."""
        self.ordered.write.parquet(f"{directory}/matches")
        return self.results.count()

    @property
    def ordered(self) -> DataFrame:
        """The results by end, start and positions."""
        return self.results.orderBy(*ORDER)


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
    """The results of a query in a log, shared among so many processes.

    A process is a task with a copy of the log, which Spark broadcasts; it prints its share, and hears of no other. With
    PARTITION BY events go to tasks by the values of the attributes instead, for each process once, and a share is one
    of each substream's results. `CONSUME BY ANY` lets substreams end each other, so it has no groups.

    With `check` the rows are looked at before; without, a log with faults gives what it gives. `name` is what messages
    call the log. Raises TraceError for a log that is not one for the query, Unsupported for a query that only the
    definition evaluates.
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
    # Kept, as Spark reads what it sorts twice: once for where to cut it.
    results = mapped(ordered, partial(result_batches, task), RESULTS).persist()
    return Results(results, (results, lines))


def _consumes_everywhere(query: tree.Query) -> bool:
    return query.consumption is tree.Consumption.ANY
