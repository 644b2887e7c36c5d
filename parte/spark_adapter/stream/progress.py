"""The progress of a stream while it runs: the metrics of its batches, and the error that ended it."""

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
    """The metrics of one batch: input, output, and the state of the keys.

    `keys` counts the keys, or the buckets, that were processed, `entries` is the most entries of the histories of one
    key after the batch, or the most events that one bucket retains, `waiting` the most events that wait at a key,
    `bound` the most entries that the checker allows a key (None without a deployment), `beyond_bound` the number of
    keys with more, which is 0 unless there is an error. `watermark` is in Spark's form.
    """

    batch: int
    rows: int
    milliseconds: int
    watermark: str
    matches: int = 0
    failures: int = 0
    suppressed: int = 0
    late: int = 0
    rejected: int = 0
    keys: int = 0
    entries: int = 0
    waiting: int = 0
    bound: int | None = None
    beyond_bound: int = 0

    def to_json(self) -> str:
        """Return the metrics as one line of JSON."""
        return json.dumps(asdict(self))


def metrics_of(progress: StreamingQueryProgress) -> BatchMetrics:
    """Return the metrics of a batch."""
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
    metrics = progress.observedMetrics.get(name)
    return {} if metrics is None else metrics.asDict()


def batches_of(query: StreamingQuery, seconds: int = 1) -> Iterator[BatchMetrics]:
    """Yield the metrics of each batch as it ends, until the query does; an error that ended it is raised.

    Spark stores the last hundred: if a query has more within `seconds`, some are missed.
    """
    last_batch = -1
    ended = False
    while not ended:
        try:
            ended = bool(query.awaitTermination(seconds))
        finally:
            fresh = [progress for progress in query.recentProgress if progress.batchId > last_batch]
        for progress in fresh:
            # Without data Spark reports an idle trigger, under the number of the batch to come.
            if "addBatch" in progress.durationMs:
                last_batch = progress.batchId
                yield metrics_of(progress)
