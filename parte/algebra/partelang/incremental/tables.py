"""Events as rows: Arrow tables of one template, with what queries need of an event besides its attributes.

Columns: those of `relational.relations.Templates`, then the fills, and the promise until which the event matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

import pyarrow
import pyarrow.compute as compute

from parte.algebra.partelang.incremental.places import Places, joined, places_of, split
from parte.algebra.partelang.relational.arrow import arrow_type
from parte.algebra.partelang.relational.relations import Templates
from parte.semantics.events.event import POSITIVE_INFINITY, Event
from parte.semantics.events.match import component
from parte.semantics.partelang.syntax import core

UNTIL: Final = "$until"
"""The greatest promise (ms) under which an event can still be part of, or defeat, a match that is not complete."""
QUOTED: Final = "$quoted"
"""The id as it is quoted in ids of emitted events; NULL if it stands there unquoted."""
_LEAST, _GREATEST = -(2**63), 2**63 - 1

Tables = Mapping[str, pyarrow.Table]
"""Rows by template, as `Layout.table` makes them."""

Filled = tuple[Event, int]
"""An event and the patterns that it fills, as bits."""


def fills_column(word: int) -> str:
    """Return the name of the column of a word of the fills."""
    return f"$fills{word}"


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of a program: one for each template that its rules read."""

    program: core.Program
    templates: Templates
    places: Places

    @staticmethod
    def of(program: core.Program) -> Layout:
        """Return the layout of a program."""
        return Layout(program, Templates(program), places_of(program))

    @property
    def read(self) -> tuple[str, ...]:
        """Return the templates whose events can fill a pattern."""
        return tuple(name for name in self.templates if self.places.counts.get(name))

    def schema(self, template: str) -> pyarrow.Schema:
        """Return the columns of the events of a template."""
        events = self.templates[template]
        columns = [(Templates.identity, pyarrow.string()), (Templates.timestamp, pyarrow.int64())]
        columns.append((QUOTED, pyarrow.string()))
        types = (arrow_type(attribute.type) for attribute in events.template.attributes)
        columns.extend(zip(events.columns.values(), types, strict=True))
        if events.mixed:
            columns.append((Templates.emitted, pyarrow.bool_()))
        columns.extend((fills_column(word), pyarrow.int64()) for word in range(self.places.words(template)))
        return pyarrow.schema([*columns, (UNTIL, pyarrow.int64())])

    def table(self, template: str, filled: Sequence[Filled], *, emitted: bool = False) -> pyarrow.Table:
        """Return the rows of events of one template."""
        events = self.templates[template]
        words = self.places.words(template)
        columns: list[Iterable[object]] = [[event.id for event, _ in filled], [event.timestamp for event, _ in filled]]
        columns.append([None if emitted or (quoted := component(event)) == event.id else quoted for event, _ in filled])
        columns += [[event.attributes.get(name) for event, _ in filled] for name in events.columns]
        if events.mixed:
            columns.append([emitted] * len(filled))
        parts = {fills: split(fills, words) for _, fills in filled}
        columns += [[parts[fills][word] for _, fills in filled] for word in range(words)]
        keeps = {fills: self.keep(template, fills) for fills in parts}
        until = (event.timestamp + keeps[fills] for event, fills in filled)
        columns.append([max(_LEAST, min(last, _GREATEST)) for last in until])
        schema = self.schema(template)
        arrays = [pyarrow.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
        return pyarrow.table(arrays, schema=schema)

    def keep(self, template: str, fills: int) -> int:
        """Return how long (ms) an event that fills some patterns matters; 0 if it fills none."""
        keeps = (
            keep
            for (rule, variable), keep in self.places.horizons.keeps.items()
            if self._template(rule, variable) == template and fills >> self.places.bit(rule, variable) & 1
        )
        return max(keeps, default=0)

    def _template(self, rule: str, variable: str) -> str:
        patterns = self.program.rule(rule).patterns
        return next(pattern.template for pattern in patterns if pattern.variable == variable)

    def filling(self, template: str, table: pyarrow.Table) -> pyarrow.Table:
        """Return the rows of a table that fill some pattern."""
        words = [table.column(fills_column(word)) for word in range(self.places.words(template))]
        if not words:
            return table.slice(0, 0)
        return table.filter(reduce(compute.or_, (compute.not_equal(word, 0) for word in words)))

    def fills_in(self, template: str, table: pyarrow.Table) -> int:
        """Return all patterns that some row of a table fills."""
        columns = [table.column(fills_column(word)) for word in range(self.places.words(template))]
        distinct = table.group_by([fills_column(word) for word in range(len(columns))]).aggregate([])
        fills = 0
        for row in zip(*(column.to_pylist() for column in distinct.columns), strict=True):
            fills |= joined(row)
        return fills


def by_template(filled: Iterable[Filled]) -> Mapping[str, list[Filled]]:
    """Return the events by their templates."""
    groups: dict[str, list[Filled]] = {}
    for event, fills in filled:
        groups.setdefault(event.template, []).append((event, fills))
    return groups


def live(table: pyarrow.Table, promise: int) -> pyarrow.Table:
    """Return the rows that still matter under a promise; none if no further event will come."""
    if promise >= POSITIVE_INFINITY:
        return table.slice(0, 0)
    return table.filter(compute.greater_equal(table.column(UNTIL), max(promise, _LEAST)))


def until(table: pyarrow.Table) -> int:
    """Return the greatest promise under which some row matters; the table must have rows."""
    return int(compute.max(table.column(UNTIL)).as_py())
