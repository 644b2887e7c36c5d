"""The matches of a log as Parquet files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import functions as F

from parte.spark_adapter.match.results import Matches, events_of, failures_of, matches_of

TABLES = ("matches", "events", "failures")


@dataclass(frozen=True, slots=True)
class Written:
    """The number of matches of each rule, in the order of the program, and the number of emissions without a value."""

    matches: Mapping[str, int]
    failures: int


def write(matches: Matches, directory: str) -> Written:
    """Write the tables `matches`, `events` and `failures` below a directory, each sorted through all its files.

    Everything is computed once: the three tables are derived from Spark's cache. AnalysisException if a table exists.
    """
    every = matches.all.persist()
    try:
        for name, table in zip(TABLES, (matches_of(every), events_of(every), failures_of(every)), strict=True):
            table.write.parquet(f"{directory}/{name}")
        counts = {row["rule"]: row["count"] for row in every.groupBy("rule").count().collect()}
        lacking = F.size(F.filter("emissions", lambda emission: F.size(emission["without_value"]) > 0))
        (failed,) = every.agg(F.coalesce(F.sum(lacking), F.lit(0)).alias("failed")).collect()
    finally:
        every.unpersist()
    return Written({rule.name: counts.get(rule.name, 0) for rule in matches.plan.program.rules}, failed.failed)
