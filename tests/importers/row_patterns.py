"""MATCH_RECOGNIZE over rows in memory, as ISO/IEC 9075 describes it: an evaluator for the tests alone.

It tries the ways in which a pattern fits the rows of a partition in the order of preferment, by backtracking, and takes
the first. It reads no SQL, but the trees below, and shares no code with the importer. Every value may be None, NULL.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Value = Any
Row = Mapping[str, Value]
"""A row; `ts` is its time in ms, `id` names it."""


# --- Expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Constant:
    """A value, or an interval in milliseconds."""

    value: Value
    milliseconds: bool = False


@dataclass(frozen=True)
class Column:
    """A column of the last row of a variable, of the last row of all without a variable. `navigation` is PREV, NEXT,
    FIRST or LAST, with a number of rows."""

    variable: str | None
    name: str
    navigation: str | None = None
    count: int | None = None


@dataclass(frozen=True)
class Operation:
    """`AND`, `OR`, `NOT`, a comparison, arithmetic, `IS NULL`, `IN`, `BETWEEN` or `PREFIX` (LIKE 'x%')."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Aggregate:
    """`COUNT`, `MIN`, `MAX` or `SUM` of a column of the rows of a variable; COUNT also of rows."""

    function: str
    variable: str | None
    name: str | None


Expression = Constant | Column | Operation | Aggregate


# --- Patterns --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variable:
    """A row of a variable."""

    name: str


@dataclass(frozen=True)
class Sequential:
    """Parts behind each other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Either:
    """Alternatives, the preferred ones first."""

    branches: tuple[Node, ...]


@dataclass(frozen=True)
class Repeated:
    """A part `least` to `most` times (None: any number of times)."""

    part: Node
    least: int
    most: int | None
    greedy: bool


Node = Variable | Sequential | Either | Repeated


@dataclass(frozen=True)
class Query:
    """A query. `skip` is "past", "next", "first V" or "last V"; `within` is in ms, an end that is excluded."""

    pattern: Node
    definitions: tuple[tuple[str, Expression], ...]
    partition: tuple[str, ...]
    skip: str
    within: int | None
    measures: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class Fitted:
    """A match: its rows with their variables, and the values of the measures and of the partition."""

    rows: tuple[tuple[str, str], ...]
    measures: Mapping[str, Value]


class SqlError(Exception):
    """The query fails on these rows."""


Mapped = tuple[tuple[int, str], ...]
"""The rows of a match so far, with their variables."""


def matches(query: Query, rows: Sequence[Row]) -> list[Fitted]:
    """Return the matches over rows that are in order; partitions are taken one after the other."""
    partitions: dict[tuple[Value, ...], list[Row]] = {}
    for row in rows:
        partitions.setdefault(tuple(row[key] for key in query.partition), []).append(row)
    return [match for partition in partitions.values() for match in _Matching(query, partition).all()]


class _Matching:
    def __init__(self, query: Query, rows: Sequence[Row]) -> None:
        self._query, self._rows = query, rows
        self._definitions = dict(query.definitions)

    def all(self) -> Iterator[Fitted]:
        start = 0
        while start < len(self._rows):
            mapped = next(self._ways(self._query.pattern, start, ()), ())
            if not mapped:
                start += 1
                continue
            values = {key: self._rows[mapped[-1][0]][key] for key in self._query.partition}
            values |= {alias: self._value(expression, mapped) for alias, expression in self._query.measures}
            yield Fitted(tuple((self._rows[at]["id"], variable) for at, variable in mapped), values)
            start = self._resumed(start, mapped)

    def _resumed(self, start: int, mapped: Mapped) -> int:
        skip = self._query.skip
        if skip == "next":
            return start + 1
        if skip == "past":
            return mapped[-1][0] + 1
        which, name = skip.split()
        places = [at for at, variable in mapped if variable == name]
        if not places:
            raise SqlError(f"no row of {name} to skip to")
        at = places[0] if which == "first" else places[-1]
        if at == start:
            raise SqlError("skips to the first row")
        return at

    def _ways(self, node: Node, at: int, mapped: Mapped) -> Iterator[Mapped]:
        """Yield the ways to fit a pattern from a row on, in the order of preferment."""
        match node:
            case Variable(name):
                if at < len(self._rows):
                    longer = (*mapped, (at, name))
                    length = self._rows[at]["ts"] - self._rows[longer[0][0]]["ts"]
                    inside = self._query.within is None or length < self._query.within
                    definition = self._definitions.get(name, Constant(True))
                    if inside and self._value(definition, longer) is True:
                        yield longer
            case Sequential(()):
                yield mapped
            case Sequential(parts):
                for way in self._ways(parts[0], at, mapped):
                    yield from self._ways(Sequential(parts[1:]), at + len(way) - len(mapped), way)
            case Either(branches):
                for branch in branches:
                    yield from self._ways(branch, at, mapped)
            case Repeated(part, least, most, greedy):
                stops = least == 0
                if stops and not greedy:
                    yield mapped
                if most is None or most > 0:
                    fewer = Repeated(part, max(0, least - 1), None if most is None else most - 1, greedy)
                    for way in self._ways(part, at, mapped):
                        if len(way) > len(mapped) or least:
                            yield from self._ways(fewer, at + len(way) - len(mapped), way)
                if stops and greedy:
                    yield mapped

    # --- Values -------------------------------------------------------------------------------------------------------

    def _value(self, expression: Expression, mapped: Mapped) -> Value:
        match expression:
            case Constant(value):
                return value
            case Column():
                return self._column(expression, mapped)
            case Aggregate(function, variable, name):
                rows = [self._rows[at] for at, mapped_to in mapped if variable in {None, mapped_to}]
                if name is None:
                    return len(rows)
                values = [row[name] for row in rows if row[name] is not None]
                if function == "COUNT":
                    return len(values)
                functions: Mapping[str, Callable[[list[Value]], Value]] = {"MIN": min, "MAX": max, "SUM": sum}
                return functions[function](values) if values else None
            case Operation(sign, operands):
                return _applied(sign, [self._value(operand, mapped) for operand in operands])

    def _column(self, column: Column, mapped: Mapped) -> Value:
        places = [at for at, variable in mapped if column.variable in {None, variable}]
        count = column.count
        if column.navigation == "FIRST":
            index = count or 0
            return self._rows[places[index]][column.name] if index < len(places) else None
        index = (count or 0) if column.navigation == "LAST" else 0
        if index >= len(places):
            return None
        at = places[-1 - index]
        steps = 1 if count is None else count
        at += {"PREV": -steps, "NEXT": steps}.get(column.navigation or "", 0)
        return self._rows[at][column.name] if 0 <= at < len(self._rows) else None


_COMPARISONS: Mapping[str, Callable[[Value, Value], Value]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def _applied(sign: str, values: Sequence[Value]) -> Value:
    if sign == "AND":
        return _all(values)
    if sign == "OR":
        return _not(_all([_not(value) for value in values]))
    if sign == "NOT":
        return _not(values[0])
    if sign == "IS NULL":
        return values[0] is None
    if sign == "BETWEEN":
        return _all([_applied(">=", values[:2]), _applied("<=", [values[0], values[2]])])
    if sign == "IN":
        return _applied("OR", [_applied("=", [values[0], candidate]) for candidate in values[1:]])
    if None in values:
        return None
    if sign == "PREFIX":
        return str(values[0]).startswith(values[1])
    return _COMPARISONS[sign](*values)


def _all(values: Sequence[Value]) -> Value:
    return False if False in values else None if None in values else True


def _not(value: Value) -> Value:
    return None if value is None else not value
