"""Sets in a query: the matches of the positive patterns are joined with the events of each set, grouped (sets).

The matches become a common table in which the row of each variable is one column, so that what is said of a variable
stays the same SQL. For each set another one has the aggregates of those matches that have an event in it; the matches
that have none get the aggregates of the empty set.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from parte.algebra.partelang.relational import frames
from parte.algebra.partelang.relational.dialects import Dialect
from parte.algebra.partelang.relational.frames import Framed, framed
from parte.algebra.partelang.relational.relations import column, table
from parte.algebra.partelang.relational.terms import Operations, Term, case, every
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

MATCHES = "$matches"
"""The name of the table of the matches of the positive patterns."""


@dataclass(frozen=True, slots=True)
class SetQuery:
    """A set: its name in the query, the events that may belong to it, and the conditions that join them to a match.

    `late` conditions cannot stand in a join.
    """

    alias: str
    events: exp.Expr
    conditions: tuple[exp.Expr, ...]
    late: tuple[exp.Expr, ...]
    aggregates: tuple[core.Aggregate, ...]
    instant: exp.Expr
    values: tuple[tuple[exp.Expr, Scalar] | None, ...]
    """The attribute of each aggregate with its type, None for an aggregate of the events themselves."""


def aggregates_of(rule: core.Rule, variable: str) -> tuple[core.Aggregate, ...]:
    """Return the aggregates of a set that are in a rule, each once, and the number of values of each attribute."""
    expressions = [*rule.having, *(target.value for emission in rule.emissions for target in emission.assignments)]
    parts = [part for expression in expressions for part in core.EXPRESSIONS.within(expression)]
    times = [part for emission in rule.emissions for part in core.TIMESTAMP_EXPRESSIONS.within(emission.at)]
    aggregates = [part for part in (*parts, *times) if isinstance(part, core.Aggregate) and part.variable == variable]
    return tuple(dict.fromkeys(aggregates))


def matches_table(select: exp.Select, variables: Iterable[str], dialect: Dialect) -> exp.Select:
    """Return the query of the matches with the row of each variable as one column."""
    return select.select(*(exp.alias_(dialect.row(alias), alias, quoted=True) for alias in variables), copy=False)


def with_sets(
    select: exp.Select, aliases: Sequence[str], identity: str, sets: Sequence[SetQuery | Framed], operations: Operations
) -> exp.Select:
    """Return the query of the matches joined with the aggregates of their sets."""
    dialect = operations.dialect
    several = sum(isinstance(set_query, SetQuery) for set_query in sets)
    once = (dialect.materializes and several > 0) or None
    result = exp.Select()
    # Common tables of the matches come first.
    inner = matches_table(select, aliases, dialect)
    common = inner.args.pop("with_", None)
    if common is not None:
        result.set("with_", common)
    result = result.with_(exp.to_identifier(MATCHES, quoted=True), as_=inner, materialized=once, copy=False)
    relation, columns = MATCHES, list(aliases)
    for set_query in sets:
        if isinstance(set_query, Framed):
            query = framed(set_query, relation, columns, operations)
            relation = f"{MATCHES}{set_query.alias}"
            columns += set_query.names
            result = result.with_(exp.to_identifier(relation, quoted=True), as_=query, copy=False)
    result = result.from_(table(relation), copy=False)
    for set_query in sets:
        if isinstance(set_query, Framed):
            continue
        name = f"{set_query.alias}$set"
        grouped = _grouped(set_query, aliases, identity, operations)
        result = result.with_(exp.to_identifier(name, quoted=True), as_=grouped, copy=False)
        same = [
            exp.EQ(this=column(alias, identity), expression=column(set_query.alias, f"$id{place}"))
            for place, alias in enumerate(aliases)
        ]
        joined = exp.alias_(table(name), set_query.alias, table=True, quoted=True)
        result = result.join(joined, on=every(same), join_type="left", copy=False)
    return result


def _grouped(set_query: SetQuery, aliases: Sequence[str], identity: str, operations: Operations) -> exp.Select:
    """Return the query of the aggregates of a set, for the matches that have an event in it."""
    keys = [column(alias, identity) for alias in aliases]
    named = [exp.alias_(key.copy(), f"$id{place}", quoted=True) for place, key in enumerate(keys)]
    folded = [
        exp.alias_(_folded(aggregate, value, set_query.instant, operations), f"${place}", quoted=True)
        for place, (aggregate, value) in enumerate(zip(set_query.aggregates, set_query.values, strict=True))
    ]
    counted = [
        exp.alias_(exp.Count(this=value[0].copy()), f"${place}$count", quoted=True)
        for place, (aggregate, value) in enumerate(zip(set_query.aggregates, set_query.values, strict=True))
        if aggregate.function == "sum" and value is not None
    ]
    query = exp.Select(expressions=[*named, *folded, *counted]).from_(table(MATCHES), copy=False)
    query = query.join(set_query.events, on=every(set_query.conditions), join_type="inner", copy=False)
    if set_query.late:
        query = query.where(every(set_query.late), copy=False)
    return query.group_by(*keys, copy=False)


def _folded(
    aggregate: core.Aggregate, attribute: tuple[exp.Expr, Scalar] | None, instant: exp.Expr, operations: Operations
) -> exp.Expr:
    """Return an aggregate of the events of a group, which has one at least; NULLs are left out."""
    dialect = operations.dialect
    if attribute is None:
        return exp.Count(this=exp.Star())
    value, of = attribute
    match aggregate.function:
        case "count" if aggregate.distinct:
            return exp.Count(this=exp.Distinct(expressions=[value.copy()]))
        case "count":
            return exp.Count(this=value.copy())
        case "sum" if aggregate.type is Scalar.INTEGER:
            return dialect.narrow(dialect.total(value.copy()))
        case "sum" | "avg":
            return dialect.exactly(aggregate.function, value.copy(), of)
        case "min":
            return exp.Min(this=value.copy())
        case "max":
            return exp.Max(this=value.copy())
        case "first":
            return _at_the_end(exp.Min, instant, value)
        case "last":
            return _at_the_end(exp.Max, instant, value)
    raise AssertionError(f"there is no aggregate {aggregate.function}")


def _at_the_end(extreme: type[exp.Min | exp.Max], instant: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return the value of the first event of a group that has one, or of the last: the pairs with its time have an
    order."""
    pair = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name), expression=part.copy())
            for name, part in (("instant", instant), ("value", value))
        ]
    )
    present = exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))
    return exp.Dot(this=extreme(this=case(present, pair)), expression=exp.to_identifier("value"))


def terms_of(set_query: SetQuery | Framed, operations: Operations) -> dict[core.Aggregate, Term]:
    """Return the value of each aggregate of a set in the joined query, with those of the empty set."""
    if isinstance(set_query, Framed):
        return frames.terms_of(set_query, operations)
    terms = {}
    for place, aggregate in enumerate(set_query.aggregates):
        value = column(set_query.alias, f"${place}")
        zero = operations.constant(0, aggregate.type) if aggregate.function in ("count", "sum") else None
        if aggregate.function == "exists":
            terms[aggregate] = Term(exp.Not(this=exp.Is(this=value, expression=exp.Null())))
        elif aggregate.function == "count" and zero is not None:
            terms[aggregate] = Term(exp.Coalesce(this=value, expressions=[zero.sql]))
        elif zero is not None:
            number = exp.Coalesce(this=column(set_query.alias, f"${place}$count"), expressions=[exp.Literal.number(0)])
            none = exp.EQ(this=number, expression=exp.Literal.number(0))
            chosen = exp.Case(ifs=[exp.If(this=none, true=zero.sql)], default=value)
            terms[aggregate] = Term(chosen, total=False, size=8)
        else:
            terms[aggregate] = Term(value, total=False)
    return terms
