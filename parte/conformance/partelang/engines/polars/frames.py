"""A rule as one query over lazy frames: `join_where` for positive patterns, an anti join for negated ones.

`join_where` takes windows, which are inequalities; an anti join does not. So `join_where` finds the matches that a
negated pattern excludes, and an anti join on the ids of their events removes them. It finds the events of a set, too,
which are grouped by the ids of their match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from parte.conformance.partelang.engines.polars.expressions import (
    COMPONENT,
    IDENTITY,
    TIMESTAMP,
    Scope,
    constant,
    timestamp_of,
    type_of,
)
from parte.conformance.partelang.engines.polars.level_2 import column_of, finished, gathered
from parte.semantics.events.domain import Predicates
from parte.semantics.events.match import shortened
from parte.semantics.partelang.summaries import aggregates_of
from parte.semantics.partelang.syntax import core

Schema = Mapping[str, pl.DataType]

_COMPUTED = (
    core.Constant
    | core.AttributeOf
    | core.TimestampOf
    | core.TimeConstant
    | core.ToFloat
    | core.Negation
    | core.Arithmetic
    | core.Comparison
)


def schema_of(template: core.Template) -> Schema:
    """Return the columns of the events of a template."""
    own: Schema = {IDENTITY: pl.String(), COMPONENT: pl.String(), TIMESTAMP: pl.Int64()}
    return {**own, **{attribute.name: type_of(attribute.type) for attribute in template.attributes}}


def matches(rule: core.Rule, frames: Mapping[str, pl.LazyFrame], domain: Predicates) -> pl.LazyFrame:
    """Return the matches of a rule, with all columns of its positive variables; `frames` has the events of each
    template."""
    scope, bound = Scope(domain), set[str]()
    matched: pl.LazyFrame | None = None
    for pattern in rule.positive:
        bound.add(pattern.variable)
        windows = [
            constraint
            for constraint in rule.constraints
            if not constraint.negated and pattern.variable in (ends := {constraint.subject, constraint.reference})
            if ends <= bound
        ]
        matched = _joined(matched, pattern, frames, windows, scope)
    assert matched is not None  # a rule has a positive pattern
    ids = [f"{variable}.{IDENTITY}" for variable in bound]
    for pattern in rule.patterns:
        if pattern.positive:
            continue
        windows = [item for item in rule.constraints if item.negated and item.subject == pattern.variable]
        events = _joined(matched, pattern, frames, windows, scope)
        if pattern.negated:
            matched = matched.join(events, on=ids, how="anti")
        elif aggregates := aggregates_of(rule, pattern.variable):
            values = events.group_by(ids).agg(*(_gathered(item) for item in aggregates))
            matched = matched.join(values, on=ids, how="left").with_columns(*map(finished, aggregates))
    having = [scope.value(condition) for condition in rule.having]
    return matched.filter(*having) if having else matched


def _gathered(aggregate: core.Aggregate) -> pl.Expr:
    timestamp = timestamp_of(aggregate.variable)
    of_timestamps = aggregate.attribute in (None, "timestamp")
    value = timestamp if of_timestamps else pl.col(f"{aggregate.variable}.{aggregate.attribute}")
    return gathered(aggregate, value, timestamp).alias(column_of(aggregate))


def required(emission: core.Emission) -> list[str]:
    """Return the columns of an emission in which a null means that it fails."""
    return [TIMESTAMP, *(assignment.attribute for assignment in emission.assignments if not assignment.optional)]


def emitted(rule: core.Rule, position: int, matched: pl.LazyFrame, domain: Predicates) -> pl.LazyFrame:
    """Return the events of an emission of a rule, failed ones too, in the order of the matches."""
    emission, scope = rule.emissions[position - 1], Scope(domain)
    number = f"#{position}" if len(rule.emissions) > 1 else ""
    parts: list[pl.Expr] = []
    for pattern in rule.positive:
        before = "," if parts else f"{rule.name}{number}("
        parts += [pl.lit(f"{before}{pattern.variable}="), pl.col(f"{pattern.variable}.{COMPONENT}")]
    identity = pl.concat_str(*parts, pl.lit(")")).map_elements(shortened, return_dtype=pl.String)
    return matched.select(
        identity.alias(IDENTITY),
        identity.alias(COMPONENT),
        scope.value(emission.at).alias(TIMESTAMP),
        *(scope.value(assignment.value).alias(assignment.attribute) for assignment in emission.assignments),
    )


def _joined(
    partial: pl.LazyFrame | None,
    pattern: core.Pattern,
    frames: Mapping[str, pl.LazyFrame],
    windows: Sequence[core.Constraint],
    scope: Scope,
) -> pl.LazyFrame:
    """Return the partial matches, each with every event of a pattern that its windows and conditions admit."""
    variable, frame = pattern.variable, frames[pattern.template]
    events = frame.rename(lambda name: f"{variable}.{name}")
    own = [scope.value(condition) for condition in pattern.conditions if core.variables_of(condition) == {variable}]
    joint = [condition for condition in pattern.conditions if core.variables_of(condition) != {variable}]
    keys = [scope.value(condition) for condition in joint if _is_key(condition, variable)]
    rest = [scope.value(condition) for condition in joint if not _is_key(condition, variable)]
    events = events.filter(*own) if own else events
    if partial is None:
        joined = events
    elif demands := [side for window in windows for side in _window(window)] + keys:
        joined = partial.join_where(events, *demands)
    else:
        joined = partial.join(events, how="cross")
    return joined.filter(*rest) if rest else joined


def _is_key(condition: core.Expression, variable: str) -> bool:
    """Return whether `join_where` takes a condition: a comparison of an event with earlier ones by arithmetic."""
    computed = all(isinstance(part, _COMPUTED) for part in core.EXPRESSIONS.within(condition))
    return isinstance(condition, core.Comparison) and core.variables_of(condition) > {variable} and computed


def _window(constraint: core.Constraint) -> Iterator[pl.Expr]:
    subject, reference = timestamp_of(constraint.subject), timestamp_of(constraint.reference)
    if constraint.lower is not None:
        yield subject >= reference + constant(constraint.lower)
    yield subject <= reference + constant(constraint.upper)
