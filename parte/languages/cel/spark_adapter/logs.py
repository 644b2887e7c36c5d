"""Checks of the rows of a log for a query (specification: cel-stream, cel-time)."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.problems import Problem, Problems, TraceError
from parte.spark_adapter.positions import POSITION, SHOWN, others, row_problems

_FALLS = "under a window of time events come in the order of their timestamps; sort the log"


def check_lines(query: tree.Query, lines: DataFrame, name: str) -> None:
    """Raise TraceError with the errors in the rows of a log (`batches.LINES`): rows that are no events, ids that are
    used more than once, timestamps that decrease under a window of time."""
    problems = Problems()
    problems.extend(row_problems(lines, name))
    if isinstance(query.window, tree.TimeWindow):
        problems.extend(_falling(lines, name))
    if problems:
        raise TraceError(problems)


def _falling(lines: DataFrame, name: str) -> Iterator[Problem]:
    order = Window.orderBy(POSITION)
    falling = lines.select(POSITION, "timestamp", F.lag("timestamp").over(order).alias("before"))
    falling = falling.where("timestamp < before")
    for row in falling.orderBy(POSITION).limit(SHOWN).collect():
        message = f"the timestamp {row.timestamp} is before {row.before}, that of the event before"
        yield Problem(name, row.position + 1, message, _FALLS)
    yield from others(falling.count(), "timestamps that fall", name)
