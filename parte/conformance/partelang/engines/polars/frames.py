"""A rule as one query over lazy frames: `join_where` for what must be there, an anti join for what must not.

`join_where` takes windows, which are inequalities; an anti join does not. So those that a negated pattern rules out are
found by `join_where`, and an anti join on the ids of their events takes them away.
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
    """The columns of the events of a template."""
    own: Schema = {IDENTITY: pl.String(), COMPONENT: pl.String(), TIMESTAMP: pl.Int64()}
    return {**own, **{attribute.name: type_of(attribute.type) for attribute in template.attributes}}


def matches(rule: core.Rule, frames: Mapping[str, pl.LazyFrame], domain: Predicates) -> pl.LazyFrame:
    """The matches of a rule, with all columns of its positive variables; `frames` has the events of each template."""
    scope, bound = Scope(domain), set[str]()
    found: pl.LazyFrame | None = None
    for pattern in rule.positive:
        bound.add(pattern.variable)
        windows = [
            constraint
            for constraint in rule.constraints
            if not constraint.negated and pattern.variable in (ends := {constraint.subject, constraint.reference})
            if ends <= bound
        ]
        found = _joined(found, pattern, frames, windows, scope)
    assert found is not None  # a rule has a positive pattern
    ids = [f"{variable}.{IDENTITY}" for variable in bound]
    for pattern in rule.patterns:
        if pattern.negated:
            windows = [given for given in rule.constraints if given.negated and given.subject == pattern.variable]
            found = found.join(_joined(found, pattern, frames, windows, scope), on=ids, how="anti")
    return found


def emitted(rule: core.Rule, position: int, found: pl.LazyFrame, domain: Predicates) -> pl.LazyFrame:
    """What an emission of a rule makes of its matches: events, in the order of the matches."""
    emission, scope = rule.emissions[position - 1], Scope(domain)
    number = f"#{position}" if len(rule.emissions) > 1 else ""
    parts: list[pl.Expr] = []
    for pattern in rule.positive:
        before = "," if parts else f"{rule.name}{number}("
        parts += [pl.lit(f"{before}{pattern.variable}="), pl.col(f"{pattern.variable}.{COMPONENT}")]
    identity = pl.concat_str(*parts, pl.lit(")")).map_elements(shortened, return_dtype=pl.String)
    return found.select(
        identity.alias(IDENTITY),
        identity.alias(COMPONENT),
        scope.value(emission.at).alias(TIMESTAMP),
        *(scope.value(given.value).alias(given.attribute) for given in emission.assignments),
    )


def _joined(
    found: pl.LazyFrame | None,
    pattern: core.Pattern,
    frames: Mapping[str, pl.LazyFrame],
    windows: Sequence[core.Constraint],
    scope: Scope,
) -> pl.LazyFrame:
    """What was found, with each event of a pattern that its windows and conditions admit."""
    variable, frame = pattern.variable, frames[pattern.template]
    events = frame.rename(lambda name: f"{variable}.{name}")
    own = [scope.value(given) for given in pattern.conditions if core.variables_of(given) == {variable}]
    joint = [given for given in pattern.conditions if core.variables_of(given) != {variable}]
    keys = [scope.value(given) for given in joint if _is_key(given, variable)]
    rest = [scope.value(given) for given in joint if not _is_key(given, variable)]
    events = events.filter(*own) if own else events
    if found is None:
        joined = events
    elif demands := [side for window in windows for side in _window(window)] + keys:
        joined = found.join_where(events, *demands)
    else:
        joined = found.join(events, how="cross")
    return joined.filter(*rest) if rest else joined


def _is_key(condition: core.Expression, variable: str) -> bool:
    """Whether `join_where` takes a condition: a comparison of an event with those before it, without a predicate."""
    asks = any(isinstance(part, core.PredicateCall) for part in core.EXPRESSIONS.within(condition))
    return isinstance(condition, core.Comparison) and core.variables_of(condition) > {variable} and not asks


def _window(constraint: core.Constraint) -> tuple[pl.Expr, pl.Expr]:
    subject, reference = timestamp_of(constraint.subject), timestamp_of(constraint.reference)
    return subject >= reference + constant(constraint.lower), subject <= reference + constant(constraint.upper)
