"""A rule as one query over lazy frames: `join_where` for positive patterns, an anti join for negated ones.

`join_where` takes windows, which are inequalities; an anti join does not. So `join_where` finds the matches that a
negated pattern excludes, and an anti join on the ids of their events removes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from parte.semantics.events.domain import Predicates
from parte.semantics.events.match import shortened
from parte.semantics.partelang.syntax import core

Schema = Mapping[str, pl.DataType]


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
        if pattern.negated:
            windows = [item for item in rule.constraints if item.negated and item.subject == pattern.variable]
            matched = matched.join(_joined(matched, pattern, frames, windows, scope), on=ids, how="anti")
    return matched


def emitted(rule: core.Rule, position: int, matched: pl.LazyFrame, domain: Predicates) -> pl.LazyFrame:
    """Return the emitted events of an emission of a rule, in the order of the matches."""
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
    """Return whether `join_where` takes a condition: a comparison of an event with earlier ones, without a
    predicate."""
    asks = any(isinstance(part, core.PredicateCall) for part in core.EXPRESSIONS.within(condition))
    return isinstance(condition, core.Comparison) and core.variables_of(condition) > {variable} and not asks


def _window(constraint: core.Constraint) -> tuple[pl.Expr, pl.Expr]:
    subject, reference = timestamp_of(constraint.subject), timestamp_of(constraint.reference)
    return subject >= reference + constant(constraint.lower), subject <= reference + constant(constraint.upper)
