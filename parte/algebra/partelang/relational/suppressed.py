"""Suppression in relational queries: the engine sorts the events of an emission by key and time, Python walks on them.

No window function finds the events that pass: each depends on the last that passed before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from sqlglot import exp

from parte.algebra.partelang.relational.relations import column, table
from parte.algebra.partelang.relational.rules import EmissionColumns
from parte.algebra.partelang.relational.terms import every
from parte.semantics.partelang.syntax import core

EVENTS = exp.to_identifier("events")
IDENTITY, PASSED = "$suppressed", "$passed"
"""The columns of a relation of suppressed events: the id of each, and that of the event that passed before it."""


def suppressing(rule: core.Rule) -> Iterator[tuple[int, core.Suppression]]:
    """Yield the positions of the emissions with `once`, from 1."""
    for position, emission in enumerate(rule.emissions, start=1):
        if emission.once is not None:
            yield position, emission.once


def relation_of_suppressed(rule: str, position: int) -> str:
    """Return the name of the relation with the suppressed events of an emission of all cases of a rule."""
    return f"{rule}$once{position}"


def emitted(stage: str, emission: core.Emission, columns: EmissionColumns) -> exp.Expr:
    """Return the condition that an emission has a value: its timestamp, and the attributes that are not optional."""
    assigned = zip(emission.assignments, columns.attributes, strict=True)
    needed = [name for assignment, name in assigned if not assignment.optional]
    values = [column(stage, name) for name in (columns.timestamp, *needed)]
    return every([exp.Not(this=exp.Is(this=value, expression=exp.Null())) for value in values])


def not_suppressed(stage: str, rule: core.Rule, position: int, columns: EmissionColumns) -> exp.Expr:
    """Return the condition that an event is not suppressed."""
    relation = relation_of_suppressed(rule.reported, position)
    same = exp.EQ(this=column(relation, IDENTITY), expression=column(stage, columns.identity))
    some = exp.Select(expressions=[exp.Literal.number(1)]).from_(table(relation), copy=False).where(same, copy=False)
    return exp.Not(this=exp.Exists(this=some))


def in_order_of_time(
    cases: Sequence[tuple[str, EmissionColumns]], emission: core.Emission, once: core.Suppression
) -> exp.Select:
    """Return the query for the events of an emission: a number for the key, timestamp and id, sorted by these.

    `cases` are the stages of the rule's cases with their columns. Rows with equal keys have one number, as in a GROUP
    BY: what is missing is equal to what is missing.
    """
    assigned = [part.attribute for part in emission.assignments]
    keys = {f"k{number}": key for number, key in enumerate(once.keys) if key in assigned}  # others are always missing
    events = reduce(
        lambda union, more: exp.Union(this=union, expression=more, distinct=False),
        (_events(stage, emission, columns, keys) for stage, columns in cases),
    )
    group: exp.Expr = exp.Literal.number(1)
    if keys:
        order = [exp.Ordered(this=exp.column(name)) for name in keys]
        group = exp.Window(this=exp.Anonymous(this="DENSE_RANK"), order=exp.Order(expressions=order))
    named = [exp.alias_(group, "g"), exp.column("t"), exp.column("i")]
    query = exp.Select(expressions=named)
    query = query.from_(exp.Subquery(this=events, alias=exp.TableAlias(this=EVENTS.copy())), copy=False)
    return query.order_by(*(exp.column(name) for name in ("g", "t", "i")), copy=False)


def _events(stage: str, emission: core.Emission, columns: EmissionColumns, keys: Mapping[str, str]) -> exp.Query:
    """Return the query for the events that a case emits: the `keys` with their names, timestamp and id."""
    attributes = dict(zip([part.attribute for part in emission.assignments], columns.attributes, strict=True))
    parts = {name: attributes[key] for name, key in keys.items()} | {"t": columns.timestamp, "i": columns.identity}
    named = [exp.alias_(column(stage, value), name) for name, value in parts.items()]
    return (
        exp.Select(expressions=named)
        .from_(table(stage), copy=False)
        .where(emitted(stage, emission, columns), copy=False)
    )


def walk(milliseconds: int, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[str, str]]:
    """Yield the ids of suppressed events in rows of `in_order_of_time`, each with that of the event that passed."""
    passing = Passing(milliseconds)
    for key, timestamp, identity in rows:
        if (passed := passing.suppressing(key, timestamp, identity)) is not None:
            yield identity, passed


class Passing:
    """The event that passed last, on a walk over events in the order of key, timestamp and id."""

    def __init__(self, milliseconds: int) -> None:
        self._milliseconds = milliseconds
        self._key: object = Passing  # equal to no key
        self._until = 0
        self._passed = ""

    def suppressing(self, key: object, timestamp: int, identity: str) -> str | None:
        """Return the id of the event that suppresses the next event; None if it passes."""
        if key == self._key and timestamp < self._until:
            return self._passed
        self._key, self._until, self._passed = key, timestamp + self._milliseconds, identity
        return None
