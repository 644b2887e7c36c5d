"""Stream: a program live, on Structured Streaming. It runs as queries over the rows that buckets of keys retain in
Spark's state, or as a sound machine for each key.

    from parte.spark_adapter.stream import Stream, job_of, lines_of, results

    lines = lines_of(spark, "events/")
    stream = Stream(lines, {"": job_of(program, domain)}, out="matches/", checkpoint="checkpoint/", disorder=5000)
    stream.start().awaitTermination()
    results(spark, "matches/").where("kind = 'match'").show()

`detected` is the same from DataFrame to DataFrame, for other sinks.
"""

from __future__ import annotations

from parte.spark_adapter.stream.checkpoint import CheckpointError
from parte.spark_adapter.stream.detection import SETTINGS, detected
from parte.spark_adapter.stream.job import Job, job_of
from parte.spark_adapter.stream.query import Stream, results
from parte.spark_adapter.stream.sources import SourceError, lines_of

__all__ = ["SETTINGS", "CheckpointError", "Job", "SourceError", "Stream", "detected", "job_of", "lines_of", "results"]
