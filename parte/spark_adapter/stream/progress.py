"""What is known of a stream while it runs: the metrics of its batches, and why it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from parte.spark_adapter.stream.detection import LINES, METRICS

if TYPE_CHECKING:
    from pyspark.sql.streaming.listener import StreamingQueryProgress
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass(frozen=True, slots=True)
class BatchMetrics:
    """One batch: what came in, what came out, and what the keys hold.

    `keys` counts the keys, or the buckets, that had something to do, `entries` is the most that the histories of one
    key hold after it, or the most events that one bucket retains, `waiting` the most events that wait for their turn at
    a key, `bound` the most that the checker allows a key (None without a deployment), `beyond_bound` how many keys hold
    more, which cannot be. `watermark` is as Spark writes it.
    """

    batch: int
    rows: int
    milliseconds: int
    watermark: str
    matches: int = 0
    failures: int = 0
    late: int = 0
    rejected: int = 0
    keys: int = 0
    entries: int = 0
    waiting: int = 0
    bound: int | None = None
    beyond_bound: int = 0

    def to_json(self) -> str:
        """The metrics as one line of JSON."""
        return json.dumps(asdict(self))


def metrics_of(progress: StreamingQueryProgress) -> BatchMetrics:
    """The metrics of a batch."""
    observed = _observed(progress, METRICS)
    bound = observed.pop("bound", None)
    return BatchMetrics(
        progress.batchId,
        _observed(progress, LINES).get("lines", 0),
        progress.durationMs.get("triggerExecution", 0),
        str(progress.eventTime.get("watermark", "")),
        bound=bound,
        **{name: value or 0 for name, value in observed.items()},
    )


def _observed(progress: StreamingQueryProgress, name: str) -> dict[str, int]:
    found = progress.observedMetrics.get(name)
    return {} if found is None else found.asDict()


def batches_of(query: StreamingQuery, seconds: int = 1) -> Iterator[BatchMetrics]:
    """The metrics of each batch as it ends, until the query does; what ended it is raised.

    Spark keeps the last hundred: of a query with more within `seconds` some would be missed.
    """
    told = -1
    ended = False
    while not ended:
        try:
            ended = bool(query.awaitTermination(seconds))
        finally:
            fresh = [progress for progress in query.recentProgress if progress.batchId > told]
        for progress in fresh:
            # Without data Spark reports that nothing happens, under the number of the batch to come.
            if "addBatch" in progress.durationMs:
                told = progress.batchId
                yield metrics_of(progress)
