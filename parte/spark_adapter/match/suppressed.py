"""Suppression on Spark: each task walks on the events of its keys, sorted by key, time and id.

All events of a key are in one task, because each decision depends on the one before it. Spark sorts on disk what
exceeds the memory, and the walk stores one event, so no group has to fit in memory; but the events of a key are walked
on one after the other, and so are all events of `once` without keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from parte.algebra.partelang.relational.rules import EmissionColumns, RuleQuery
from parte.algebra.partelang.relational.suppressed import IDENTITY, PASSED, Passing, suppressing
from parte.semantics.partelang.syntax import core

_EMITTED: Final = "$emitted"
_KEY: Final = "$key"
_CASE: Final = "$case"


def passed_column(position: int) -> str:
    """Return the column that `Suppressed` adds for an emission of a rule."""
    return f"$passed{position}"


class Suppressed:
    """The matches of a rule with `once`: of its cases together, for their events suppress one another."""

    def __init__(self, queries: Sequence[RuleQuery], frames: Sequence[DataFrame]) -> None:
        self._query, self._titles = queries[0], [frame.columns for frame in frames]
        numbered = [frame.withColumn(_CASE, F.lit(number)) for number, frame in enumerate(frames)]
        whole = reduce(DataFrame.unionAll, numbered)
        for position, once in suppressing(self._query.rule):
            emission, columns = self._query.rule.emissions[position - 1], self._query.emissions[position - 1]
            whole = _walked(whole, _Walk(once.milliseconds, columns, passed_column(position)), emission, once)
        self._whole = whole

    @property
    def cases(self) -> Iterator[DataFrame]:
        """The matches of each case with a column for each emission with `once`: the id of the event that passed, where
        the event is suppressed, else null."""
        passed = [passed_column(position) for position, _ in suppressing(self._query.rule)]
        for number, titles in enumerate(self._titles):
            yield self._whole.where(_column(_CASE) == number).drop(_CASE).toDF(*titles, *passed)

    def ids(self, position: int) -> DataFrame:
        """Return the relation of the suppressed events of an emission."""
        passed = _column(passed_column(position))
        identity = _column(self._query.emissions[position - 1].identity)
        return self._whole.where(passed.isNotNull()).select(identity.alias(IDENTITY), passed.alias(PASSED))


def _walked(frame: DataFrame, walk: _Walk, emission: core.Emission, once: core.Suppression) -> DataFrame:
    assigned = dict(zip([part.attribute for part in emission.assignments], walk.columns.attributes, strict=True))
    optional = {part.attribute for part in emission.assignments if part.optional}
    needed = [walk.columns.timestamp, *(name for key, name in assigned.items() if key not in optional)]
    # Keys that are never assigned are missing in all events.
    keys = [_key(frame, assigned[key]) for key in once.keys if key in assigned]
    emitted = reduce(Column.__and__, [_column(name).isNotNull() for name in needed])
    names = [f"{_KEY}{number}" for number in range(len(keys))]
    frame = frame.withColumns({_EMITTED: emitted, **dict(zip(names, keys, strict=True))})
    frame = frame.repartition(*map(_column, names)) if names else frame.repartition(1)
    order = [*names, walk.columns.timestamp, walk.columns.identity]
    schema = T.StructType([*frame.schema.fields, T.StructField(walk.passed, T.StringType())])
    walked = frame.sortWithinPartitions(*map(_column, order)).mapInArrow(_Mapper(walk, names), schema)
    return walked.drop(_EMITTED, *names)


def _key(frame: DataFrame, name: str) -> Column:
    """Return a key in a form in which equal values are the same: there is one zero."""
    value = _column(name)
    if isinstance(frame.schema[name].dataType, T.DoubleType):
        return F.when(value == 0.0, F.lit(0.0)).otherwise(value)
    return value


@dataclass(frozen=True, slots=True)
class _Walk:
    """A walk over the events in `columns`, which writes the column `passed`."""

    milliseconds: int
    columns: EmissionColumns
    passed: str


class _Mapper:
    """A callable class, since Spark inspects the parameter names of functions."""

    def __init__(self, walk: _Walk, keys: Sequence[str]) -> None:
        self._walk = walk
        self._keys = keys

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        passing = Passing(self._walk.milliseconds)
        timestamp, identity = self._walk.columns.timestamp, self._walk.columns.identity
        for batch in batches:
            columns = [batch.column(name).to_pylist() for name in (*self._keys, timestamp, identity, _EMITTED)]
            passed = [
                passing.suppressing(tuple(key), when, event) if emitted else None
                for *key, when, event, emitted in zip(*columns, strict=True)
            ]
            yield batch.append_column(self._walk.passed, pa.array(passed, pa.string()))


def _column(name: str) -> Column:
    return F.col("`" + name + "`")
