"""The matches of a log as Parquet files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import functions as F

from parte.algebra.partelang.relational.suppressed import suppressing
from parte.spark_adapter.match.results import Matches, events_of, failures_of, matches_of, suppressed_of

_TABLES = {"matches": matches_of, "events": events_of, "failures": failures_of}


@dataclass(frozen=True, slots=True)
class Written:
    """The number of matches of each rule, in the order of the program, of emissions without a value, and of suppressed
    events."""

    matches: Mapping[str, int]
    failures: int
    suppressed: int


def write(matches: Matches, directory: str) -> Written:
    """Write the tables `matches`, `events` and `failures` below a directory, each sorted through all its files, and
    `suppressed` if the program has `once`.

    Everything is computed once: the tables are derived from Spark's cache. AnalysisException if a table exists.
    """
    tables = dict(_TABLES)
    if any(any(suppressing(rule)) for rule in matches.plan.program.rules):
        tables["suppressed"] = suppressed_of
    every = matches.all.persist()
    try:
        for name, table in tables.items():
            table(every).write.parquet(f"{directory}/{name}")
        counts = {row["rule"]: row["count"] for row in every.groupBy("rule").count().collect()}
        lacking = F.size(F.filter("emissions", lambda emission: F.size(emission["without_value"]) > 0))
        passed = F.size(F.filter("emissions", lambda emission: emission["passed"].isNotNull()))
        sums = [F.coalesce(F.sum(count), F.lit(0)) for count in (lacking, passed)]
        ((failures, suppressed),) = every.agg(*sums).collect()
    finally:
        every.unpersist()
    return Written(
        {rule.reported: counts.get(rule.reported, 0) for rule in matches.plan.program.rules}, failures, suppressed
    )
