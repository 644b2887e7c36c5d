"""Hot keys of a log on Spark: `parte.algebra.parte.relational.skew` asks about the log, or a sample of a long one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from parte.algebra.parte.relational.programs import Plan
from parte.algebra.parte.relational.skew import Hot, hot_keys, large_probes
from parte.semantics.events.domain import Predicates
from parte.spark_adapter.match.views import DIALECT, Views

_SAMPLED: Final = 1_000_000
"""Of more events, about so many are looked at."""


def hot_keys_of(
    spark: SparkSession, plan: Plan, log: DataFrame, predicates: Predicates, counts: Mapping[str, int]
) -> tuple[Hot, ...]:
    """The hot keys of the rules that read nothing which rules emit."""
    wanted = large_probes(plan, counts)
    if not wanted:
        return ()
    fraction = min(1.0, _SAMPLED / max(sum(counts.values()), 1))
    with Views(spark) as views:
        views.supply(plan, predicates)
        views.load(plan, log if fraction == 1.0 else log.sample(fraction=fraction, seed=0))
        return hot_keys(wanted, DIALECT, lambda query: views.query(query).collect(), fraction)
