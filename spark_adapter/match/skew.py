"""Hot keys: values that so many events share that the equality on them joins next to everything with everything.

Spark hashes on equalities and compares all events of a key with each other; a window does not help it. Events of a hot
key are joined by slices of time as well (`algebra.parte.relational.windows`): an event is compared with those of the
key in two slices as wide as the window, and the slices go to different tasks. Other keys pay nothing for that. What is
left is the pairs that the window itself admits, and the report says how many events a hot key has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from parte.algebra.parte.relational.keys import HotKeys, Key, Probe
from parte.algebra.parte.relational.programs import Plan
from parte.semantics.events.domain import Predicates
from parte.semantics.events.values import ScalarValue, describe
from parte.semantics.parte.syntax import core
from parte.spark_adapter.match.views import Views

EVENTS: Final = 10_000
"""A key is hot from so many events of one variable on, ..."""
PAIRS: Final = 100_000_000
"""... if they make so many pairs with those of the other."""
LARGEST: Final = 20
"""Hot keys of a join that are reported and sliced, the greatest."""
_SAMPLED: Final = 1_000_000
"""Of more events, about so many are looked at."""


@dataclass(frozen=True, slots=True)
class Hot:
    """A hot key: `events` of `variable` and `others` of `reference` have its values. Estimates if the log is long."""

    rule: str
    variable: str
    reference: str
    keys: tuple[Key, ...]
    values: tuple[ScalarValue, ...]
    events: int
    others: int

    def __str__(self) -> str:
        shown = ", ".join(map(describe, self.values))
        return (
            f"rule {self.rule}: about {self.events:,} events may be {self.variable} and {self.others:,} may be "
            f"{self.reference} with one key, {shown}; they are joined by slices of time"
        )


def hot_keys(
    spark: SparkSession,
    plan: Plan,
    log: DataFrame,
    predicates: Predicates,
    counts: Mapping[str, int],
) -> tuple[Hot, ...]:
    """The hot keys of the rules that read nothing which rules emit."""
    total = sum(counts.values())
    fraction = min(1.0, _SAMPLED / max(total, 1))
    wanted = [(rule, probe) for rule, probe in _probes(plan) if _is_large(rule, probe, counts)]
    if not wanted:
        return ()
    looked_at = log if fraction == 1.0 else log.sample(fraction=fraction, seed=0)
    found: list[Hot] = []
    with Views(spark) as views:
        views.supply(plan, predicates)
        views.load(plan, looked_at)
        seen: dict[str, list[tuple[tuple[ScalarValue, ...], int, int]]] = {}
        for rule, probe in wanted:
            text = f"{probe.own} {probe.other}"
            if text not in seen:
                seen[text] = list(_looked_up(views, probe, fraction))
            found.extend(
                Hot(rule.name, probe.variable, probe.reference, probe.keys, values, own, other)
                for values, own, other in seen[text]
            )
    return tuple(found)


def sliced(hot: Iterable[Hot]) -> dict[tuple[str, str], HotKeys]:
    """The hot keys as the compiler takes them."""
    grouped: dict[tuple[str, str], list[Hot]] = {}
    for key in hot:
        grouped.setdefault((key.rule, key.variable), []).append(key)
    return {where: HotKeys(keys[0].keys, tuple(key.values for key in keys)) for where, keys in grouped.items()}


def _probes(plan: Plan) -> Iterator[tuple[core.Rule, Probe]]:
    for stage in plan.stages:
        if stage.rule is not None:
            rule = stage.rule.rule
            if not any(plan.templates[pattern.template].mixed for pattern in rule.patterns):
                yield from ((rule, probe) for probe in stage.rule.probes)


def _is_large(rule: core.Rule, probe: Probe, counts: Mapping[str, int]) -> bool:
    of = {pattern.variable: pattern.template for pattern in rule.positive}
    own, other = counts[of[probe.variable]], counts[of[probe.reference]]
    return own >= EVENTS and own * other >= PAIRS


def _looked_up(views: Views, probe: Probe, fraction: float) -> Iterator[tuple[tuple[ScalarValue, ...], int, int]]:
    """The values of the keys that are hot, with the events of both variables that have them."""
    names = [f"key{number}" for number in range(len(probe.keys))]

    def counted(frame: DataFrame) -> DataFrame:
        return frame.dropna(subset=names).groupBy(*names).count()

    many = counted(views.query(probe.own)).where(F.col("count") >= EVENTS * fraction)
    own = {
        tuple(row[name] for name in names): row["count"]
        for row in many.orderBy(F.desc("count"), *names).limit(LARGEST).collect()
    }
    if not own:
        return
    others = counted(views.query(probe.other).where(_one_of(names, own)))
    other = {tuple(row[name] for name in names): row["count"] for row in others.collect()}
    for values, count in own.items():
        left, right = round(count / fraction), round(other.get(values, 0) / fraction)
        if left * right >= PAIRS:
            yield values, left, right


def _one_of(names: list[str], values: Iterable[tuple[ScalarValue, ...]]) -> Column:
    some = F.lit(False)
    for row in values:
        these = F.lit(True)
        for name, value in zip(names, row, strict=True):
            these &= F.col(name) == F.lit(value)
        some |= these
    return some
