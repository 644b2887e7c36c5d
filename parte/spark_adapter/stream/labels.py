"""The names of the buckets of a stream: chosen so that Spark, which hashes the names, uses all of its partitions.

Spark keeps the number of partitions of a checkpoint's first start, and an event must go to the same bucket as long as
the checkpoint exists; so there are as many buckets as partitions, and the checkpoint fixes the number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from parte.spark_adapter.stream.job import Job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Labels = Mapping[tuple[str, int], tuple[str, ...]]
"""The names of the buckets of a group, by job and part; a group without a key has one."""

_TRIED: Final = 16
"""The number of names that are tried for each partition."""


def labels_of(spark: SparkSession, jobs: Mapping[str, Job], partitions: int) -> Labels:
    """Return the names of all buckets: for a group with keys as many as there are partitions, each in one of its own if
    such names are found; groups without a key take turns."""
    from pyspark.sql import functions as f

    groups = [(name, part, group.keyed) for name, job in jobs.items() for part, group in enumerate(job.groups)]
    names = spark.range(_TRIED * partitions).select(f.col("id").cast("string").alias("key"))
    rows = spark.createDataFrame([(name, part) for name, part, _ in groups], "job string, part int").crossJoin(names)
    hashed = f.pmod(f.hash("job", "part", "key"), f.lit(partitions))
    names_by_partition: dict[tuple[str, int], dict[int, str]] = {}
    for row in rows.select("job", "part", "key", hashed.alias("partition")).orderBy(f.col("key").cast("int")).collect():
        names_by_partition.setdefault((row.job, row.part), {}).setdefault(row.partition, row.key)
    labels: dict[tuple[str, int], tuple[str, ...]] = {}
    for number, (name, part, keyed) in enumerate(groups):
        known = names_by_partition[name, part]
        spare = (str(-1 - place) for place in range(partitions))
        whole = [known.get(place) or next(spare) for place in range(partitions)]
        labels[name, part] = tuple(whole) if keyed else (whole[number % partitions],)
    return labels
