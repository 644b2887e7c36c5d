"""Sets of a rule with one positive pattern as window frames: linear in the log, where a join may be quadratic.

If the conditions of a set are on its own events, or equate something of them with something of the match, the events
that may belong to it and the matches are partitioned by these keys and ordered by time, and a frame slides over both.
If they are the same events, no union of the two is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from parte.algebra.partelang.relational.keys import Key, keys_of
from parte.algebra.partelang.relational.relations import NEAR
from parte.algebra.partelang.relational.terms import Operations, Term, every
from parte.semantics.events.event import NEGATIVE_INFINITY
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

_TIME, _MARK = "$time", "$mark"
_FOLDED: Final = ("exists", "count", "sum", "min", "max")
"""The aggregates that slide, if they are neither of distinct values nor sums of Floats."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The window of a set around its match, in milliseconds, and the keys that equate the two."""

    lower: int
    upper: int
    keys: tuple[Key, ...]

    @property
    def near(self) -> bool:
        """Return whether the window ends at times that fit 64 bit, around any anchor that is `NEAR`."""
        return all(abs(end) < NEAR for end in (self.lower, self.upper) if end != NEGATIVE_INFINITY)


def frame_of(rule: core.Rule, pattern: core.Pattern, aggregates: Iterable[core.Aggregate]) -> Frame | None:
    """Return the frame of a set, or None if it has none."""
    if len(rule.positive) != 1:
        return None
    for aggregate in aggregates:
        of_floats = aggregate.function == "sum" and aggregate.type is Scalar.FLOAT
        if aggregate.function not in _FOLDED or aggregate.distinct or of_floats:
            return None
    anchor, keys = {rule.positive[0].variable}, list[Key]()
    for condition in pattern.conditions:
        if core.variables_of(condition) <= {pattern.variable}:
            continue
        key = next(keys_of([condition], pattern.variable, anchor), None)
        if key is None:
            return None
        keys.append(key)
    windows = [constraint for constraint in rule.constraints if constraint.subject == pattern.variable]
    lower, upper = max(window.begins for window in windows), min(window.upper for window in windows)
    return Frame(lower, upper, tuple(keys)) if lower <= upper else None


@dataclass(frozen=True, slots=True)
class Framed:
    """A set as a frame over a relation `matches`, with the columns that this has besides the match.

    `events` are None if the matches themselves are the events. `partition` and `own` are the keys of a match and of an
    event, and `values` the attribute of each aggregate of an event. No distance of times that are `near` overflows.
    """

    frame: Frame
    alias: str
    anchor: str
    events: exp.Expr | None
    partition: tuple[exp.Expr, ...]
    own: tuple[exp.Expr, ...]
    instants: tuple[exp.Expr, exp.Expr]
    aggregates: tuple[core.Aggregate, ...]
    values: tuple[exp.Expr | None, ...]
    near: bool

    def name(self, place: int) -> str:
        """Return the column of an aggregate."""
        return f"{self.alias}${place}"

    @property
    def names(self) -> list[str]:
        """Return the columns that the frame adds."""
        return [self.name(place) for place in range(len(self.aggregates))]


def terms_of(frame_query: Framed, operations: Operations) -> dict[core.Aggregate, Term]:
    """Return the value of each aggregate of a set, in the relation that has its columns."""
    terms = {}
    for aggregate, name in zip(frame_query.aggregates, frame_query.names, strict=True):
        value = _own(name)
        if aggregate.function == "exists":
            terms[aggregate] = Term(exp.GT(this=value, expression=exp.Literal.number(0)))
        elif aggregate.function == "count":
            terms[aggregate] = Term(value)
        elif aggregate.function == "sum":
            none = exp.Is(this=value, expression=exp.Null())
            zero = operations.constant(0, Scalar.INTEGER).sql
            total = exp.Case(ifs=[exp.If(this=none, true=zero)], default=operations.dialect.narrow(value.copy()))
            terms[aggregate] = Term(total, total=False, size=8)
        else:
            terms[aggregate] = Term(value, total=False)
    return terms


def framed(frame_query: Framed, matches: str, columns: Sequence[str], operations: Operations) -> exp.Select:
    """Return a relation of matches with the aggregates of a set as further columns."""
    relation = exp.Table(this=exp.to_identifier(matches, quoted=True))
    if frame_query.events is None:
        window = _window(frame_query, frame_query.partition, frame_query.instants[0], operations)
        folded = [
            _over(_fold(a, v, None, operations), window)
            for a, v in zip(frame_query.aggregates, frame_query.values, strict=True)
        ]
        named = [exp.alias_(value, name, quoted=True) for value, name in zip(folded, frame_query.names, strict=True)]
        return exp.Select(expressions=[exp.Star(), *named]).from_(relation, copy=False)
    keys = [f"$key{place}" for place in range(len(frame_query.partition))]
    values = [f"$value{place}" for place in range(len(frame_query.aggregates))]
    match_columns = [exp.column(exp.to_identifier(name, quoted=True)) for name in columns]
    nothing: list[exp.Expr] = [exp.Null() for _ in match_columns]
    of_match = [
        *match_columns,
        frame_query.instants[0],
        *frame_query.partition,
        exp.Null(),
        *(exp.Null() for _ in values),
    ]
    of_event = [
        *nothing,
        frame_query.instants[1],
        *frame_query.own,
        exp.Literal.number(1),
        *_or_null(frame_query.values),
    ]
    titles = [*columns, _TIME, *keys, _MARK, *values]
    keyed = [exp.Not(this=exp.Is(this=key.copy(), expression=exp.Null())) for key in frame_query.own]
    events = _named(of_event, titles).from_(frame_query.events, copy=False)
    events = events.where(every(keyed), copy=False) if keyed else events
    both = exp.Union(this=_named(of_match, titles).from_(relation, copy=False), expression=events, distinct=False)
    window = _window(frame_query, [_own(key) for key in keys], _own(_TIME), operations)
    folded = [
        _over(_fold(aggregate, _own(value) if aggregate.attribute else None, _own(_MARK), operations), window)
        for aggregate, value in zip(frame_query.aggregates, values, strict=True)
    ]
    rows = exp.Select(expressions=[*(_own(name) for name in columns), *_titled(folded, frame_query.names)])
    rows = rows.from_(both.subquery(exp.to_identifier("$both", quoted=True), copy=False), copy=False)
    matched = exp.Not(this=exp.Is(this=_own(frame_query.anchor), expression=exp.Null()))
    outer = exp.Select(expressions=[exp.Star()])
    outer = outer.from_(rows.subquery(exp.to_identifier("$rows", quoted=True), copy=False), copy=False)
    return outer.where(matched, copy=False)


def _own(name: str) -> exp.Expr:
    return exp.column(exp.to_identifier(name, quoted=True))


def _titled(values: Iterable[exp.Expr], names: Iterable[str]) -> list[exp.Expr]:
    return [exp.alias_(value.copy(), name, quoted=True, copy=False) for value, name in zip(values, names, strict=True)]


def _named(values: Iterable[exp.Expr], names: Iterable[str]) -> exp.Select:
    return exp.Select(expressions=_titled(values, names))


def _or_null(values: Iterable[exp.Expr | None]) -> list[exp.Expr]:
    return [exp.Null() if value is None else value for value in values]


def _window(
    frame_query: Framed, partition: Sequence[exp.Expr], instant: exp.Expr, operations: Operations
) -> exp.Window:
    """Return a window; unless all times are near, they are in a wide type, in which no distance overflows."""

    def typed(time: exp.Expr) -> exp.Expr:
        dialect = operations.dialect
        return exp.Cast(this=time, to=dialect.type(Scalar.INTEGER)) if frame_query.near else dialect.wide(time)

    def end(distance: int) -> tuple[exp.Expr, str]:
        return typed(exp.Literal.number(str(abs(distance)))), "PRECEDING" if distance < 0 else "FOLLOWING"

    order = exp.Order(expressions=[exp.Ordered(this=instant.copy() if frame_query.near else typed(instant.copy()))])
    stop, stop_side = end(frame_query.frame.upper)
    endless = frame_query.frame.lower == NEGATIVE_INFINITY
    start, start_side = ("UNBOUNDED", "PRECEDING") if endless else end(frame_query.frame.lower)
    spec = exp.WindowSpec(kind="RANGE", start=start, start_side=start_side, end=stop, end_side=stop_side)
    return exp.Window(partition_by=[part.copy() for part in partition], order=order, spec=spec)


def _over(fold: exp.Expr, window: exp.Window) -> exp.Expr:
    """Return an aggregate over a window; one inside of other functions stays inside."""
    spanned = window.copy()
    spanned.set("this", fold)
    return spanned


def _fold(aggregate: core.Aggregate, value: exp.Expr | None, mark: exp.Expr | None, operations: Operations) -> exp.Expr:
    """Return the SQL aggregate of an aggregate; a mark is there for events only."""
    if aggregate.attribute is None or value is None:
        return exp.Count(this=exp.Star() if mark is None else mark)
    match aggregate.function:
        case "count":
            return exp.Count(this=value.copy())
        case "sum":
            return operations.dialect.total(value.copy())
        case "min":
            return exp.Min(this=value.copy())
        case _:
            return exp.Max(this=value.copy())
