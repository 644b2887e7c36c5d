"""Statistics of a log, computed by Spark: for the order of joins, hot keys, and the space for matches.

`parte.algebra.partelang.relational.work` queries the log, `skew` a sample of a long one.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from py4j.protocol import Py4JError  # type: ignore[import-untyped] # it has no types
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp

from parte.algebra.partelang.effort import TooMuch
from parte.algebra.partelang.relational.limits import spill
from parte.algebra.partelang.relational.programs import Plan, nearer
from parte.algebra.partelang.relational.rules import RuleQuery
from parte.algebra.partelang.relational.skew import Hot, hot_keys, large_probes, sliced
from parte.algebra.partelang.relational.work import Trial, ordered, sizes_of, trials
from parte.semantics.events.domain import Predicates
from parte.spark_adapter.match.views import DIALECT, Views

_SAMPLED: Final = 1_000_000
"""The approximate number of events that are sampled for hot keys, if there are more."""
_PATIENCE: Final = 60.0
"""Seconds after which a trial is cancelled."""


def suited(
    spark: SparkSession, plan: Plan, log: DataFrame, predicates: Predicates, counts: Mapping[str, int], plain_ids: bool
) -> tuple[Plan, tuple[Hot, ...]]:
    """Return the plan for the events of a log, and the hot keys: joins in a suitable order, hot keys by slices of time.

    TooMuch if the disk of this machine has no room for the matches of a rule.
    """
    with Views(spark, plain_ids=plain_ids) as views:
        views.supply(plan, predicates)
        views.load(plan, log)

        def ask(query: exp.Query) -> Sequence[Sequence[Any]]:
            return views.query(query).collect()

        plan = nearer(plan, ask, DIALECT)
        sizes = sizes_of(plan, counts, ask)
        # The order of joins comes first: a key is that of a pattern and of those before it.
        plan = ordered(plan, sizes, DIALECT)
        probes = large_probes(plan, counts)
        fraction = min(1.0, _SAMPLED / max(sum(counts.values()), 1))
        with Views(spark) as sampled:

            def ask_some(query: exp.Query) -> Sequence[Sequence[Any]]:
                return sampled.query(query).collect()

            sampled.supply(plan, predicates)
            sampled.load(plan, log if fraction == 1.0 else log.sample(fraction=fraction, seed=0))
            hot = hot_keys(probes, DIALECT, ask_some, fraction) if probes else ()
            plan = sliced(plan, hot, DIALECT)
            if (room := _room(spark)) is not None:
                most = room
                for trial in trials(
                    plan, sizes, hot, probes, ask_some, fraction, DIALECT, lambda query: most // _bytes(query)
                ):
                    if (problem := trial.too_many(_counted(spark, views, trial))) is not None:
                        raise TooMuch(f"{problem}, and there is room for {room / 2**30:,.1f} GiB on the disk")
    return plan, hot


def _room(spark: SparkSession) -> int | None:
    """Return the bytes that matches may take; None if another machine writes them."""
    context = spark.sparkContext
    if not (context.master or "").startswith("local"):
        return None
    try:
        return spill(context.getConf().get("spark.local.dir", "/tmp"))
    except OSError:
        return None


def _bytes(query: RuleQuery) -> int:
    """Return approximately the bytes that a match takes until it is written: exchanged, sorted, and in the output."""
    rule = query.rule
    return 100 + 60 * len(rule.positive) + sum(200 + 30 * len(emission.assignments) for emission in rule.emissions)


def _counted(spark: SparkSession, views: Views, trial: Trial) -> int | None:
    """Return the count of a trial, at most `trial.most`; None if it takes too long."""
    query = trial.stage.rule
    assert query is not None
    if query.alike is not None:
        views.make(query.alike.relation, spark.createDataFrame(query.alike.table()))
    frame = views.query(trial.query).limit(trial.most)
    tag, ended = f"parte-{uuid4().hex}", threading.Event()

    def end() -> None:
        ended.set()
        spark.sparkContext.cancelJobsWithTag(tag)

    timer = threading.Timer(_PATIENCE, end)
    spark.sparkContext.addJobTag(tag)
    timer.start()
    try:
        counted = frame.count()
    except (Py4JError, PySparkException):
        if not ended.is_set():
            raise
        return None
    finally:
        timer.cancel()
        spark.sparkContext.removeJobTag(tag)
    return counted
