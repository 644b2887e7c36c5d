"""Columns of a table as attributes of a template: their types, from CREATE TABLE or from how the query uses them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from parte.importers.imported import Place
from parte.importers.match_recognize.reading import Column, Notes, Source, Unsaid, sql_of
from parte.semantics.events.types import Scalar

_INTEGERS: Final = {"TINYINT", "SMALLINT", "INT", "MEDIUMINT", "BIGINT"}
_FLOATS: Final = {"DOUBLE", "FLOAT"}
_STRINGS: Final = {"VARCHAR", "TEXT", "NVARCHAR"}
_TIMES: Final = {"TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ", "DATETIME"}
_MILLISECONDS: Final = 3
_LONGEST_INTEGER: Final = 18
_ATTRIBUTE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_COMPARISONS: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In)
_NAVIGATION: Final = ("PREV", "NEXT", "FIRST", "LAST")


@dataclass(frozen=True, slots=True)
class Slot:
    """A column as an attribute; `type` is None for the time by which rows are ordered."""

    column: str
    attribute: str
    type: Scalar | None
    optional: bool


class Columns:
    """The columns of the table of a query. Those that the program uses are in `used`, in the order of their use."""

    def __init__(
        self,
        source: Source,
        declared: Mapping[str, Column] | None,
        inferred: Mapping[str, Scalar],
        time: exp.Column,
        notes: Notes,
    ) -> None:
        self._source, self._declared, self._inferred = source, declared, inferred
        self._notes = notes
        self._time = time.name.lower()
        self.used: dict[str, Slot] = {}
        self.time = self._slot(time.name, source.of(time, 0))

    def slot(self, name: str, place: Place) -> Slot:
        """Return the attribute of a column. Raise Unsaid if there is no such column, or its type is not known."""
        key = name.lower()
        if key not in self.used:
            if key == self._time:
                return self.time
            self.used[key] = self._slot(name, place)
        return self.used[key]

    def _slot(self, name: str, place: Place) -> Slot:
        key = name.lower()
        if self._declared is not None and key not in self._declared:
            raise Unsaid(place, f"the table has no column {name}")
        column = None if self._declared is None else self._declared[key]
        if key == self._time:
            if column is not None and column.type is not None:
                self._ordering(column, column.type)
            return Slot(column.name if column else name, "timestamp", None, optional=False)
        if column is None or column.type is None:
            of = self._inferred.get(key)
            if of is None:
                text = f"the type of the column {name} is not known: declare the table with CREATE TABLE"
                self._notes.differ(place, text + "; it is taken for a String" * self._notes.nearest)
                of = Scalar.STRING
        else:
            of = self._scalar(column, column.type)
        return Slot(column.name if column else name, self._attribute(name), of, column is None or not column.required)

    def _attribute(self, name: str) -> str:
        attribute = name if _ATTRIBUTE.fullmatch(name) else re.sub(r"[^A-Za-z0-9_]", "_", f"c_{name}")[:100]
        if attribute == "timestamp":
            attribute = "timestamp_"
        taken = {slot.attribute for slot in self.used.values()}
        while attribute in taken:
            attribute += "_"
        return attribute

    def _ordering(self, column: Column, of: exp.DataType) -> None:
        place = self._source.place(column.start)
        if (name := of.this.value) not in _TIMES:
            raise Unsaid(place, f"rows are ordered by {column.name} of type {name}: expected a TIMESTAMP")
        numbers = _numbers(of)
        if numbers and numbers[0] > _MILLISECONDS:
            self._notes.differ(place, f"the times of {column.name} are more precise than milliseconds")

    def _scalar(self, column: Column, of: exp.DataType) -> Scalar:
        name, place = of.this.value, self._source.place(column.start)
        if name in _INTEGERS:
            return Scalar.INTEGER
        if name in _FLOATS:
            return Scalar.FLOAT
        if name in _STRINGS:
            return Scalar.STRING
        if name == "BOOLEAN":
            return Scalar.BOOLEAN
        if name == "CHAR":
            self._notes.differ(place, f"{column.name} is a CHAR: SQL ignores spaces at its end, a rule does not")
            return Scalar.STRING
        if name == "DECIMAL":
            numbers = _numbers(of)
            if numbers and numbers[0] <= _LONGEST_INTEGER and (len(numbers) == 1 or numbers[1] == 0):
                return Scalar.INTEGER
            self._notes.differ(place, f"{column.name} is a DECIMAL, which is rounded to a Float")
            return Scalar.FLOAT
        raise Unsaid(place, f"{column.name} is of type {sql_of(of)}: a rule has integers, floats, strings and booleans")


def _numbers(of: exp.DataType) -> list[int]:
    texts = [parameter.name for parameter in of.expressions]
    return [int(text) for text in texts if text.isdecimal() and len(text) < 10]


def inferred(
    source: Source, conditions: Sequence[exp.Expression], expressions: Sequence[exp.Expression]
) -> dict[str, Scalar]:
    """Return the types of columns that follow from the literals that they are compared and computed with, in conditions
    and in other expressions.

    Columns that are compared with each other have one type. Raise Unsaid if a column would have two.
    """
    groups: dict[str, set[str]] = {}
    kinds: dict[str, set[Scalar]] = {}
    places: dict[str, Place] = {}
    for condition in conditions:
        if isinstance(condition, exp.Column):
            kinds.setdefault(condition.name.lower(), set()).add(Scalar.BOOLEAN)
            groups.setdefault(condition.name.lower(), {condition.name.lower()})
    for expression in (*conditions, *expressions):
        for node in expression.walk():
            if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
                places.setdefault(node.name.lower(), source.of(node, 0))
            names, types = _used_together(node)
            together = set(names).union(*(groups.get(name, set()) for name in names))
            for name in together:
                groups[name] = together
            for name in names:
                kinds.setdefault(name, set()).update(types)
    types_of: dict[str, Scalar] = {}
    for name, group in groups.items():
        union = set[Scalar]().union(*(kinds.get(member, set()) for member in group))
        if union == {Scalar.INTEGER, Scalar.FLOAT}:
            union = {Scalar.FLOAT}
        if len(union) > 1:
            listed = " and as ".join(sorted(of.value for of in union))
            raise Unsaid(places[name], f"the column {name} is used as {listed}")
        if union:
            types_of[name] = union.pop()
    return types_of


def _used_together(node: exp.Expr) -> tuple[list[str], set[Scalar]]:
    """Return the columns that a node shows to have one type, and what it shows of that type."""
    if isinstance(node, exp.Like):
        return _values([node.this])[0], {Scalar.STRING}
    if isinstance(node, exp.Length):
        return _values([node.this])[0], {Scalar.STRING}
    if isinstance(node, exp.And | exp.Or):
        sides = [side for side in (node.left, node.right) if isinstance(side, exp.Column | exp.Last | exp.First)]
        return _values(sides)[0], {Scalar.BOOLEAN}
    if isinstance(node, exp.Not) and isinstance(node.this, exp.Column):
        return _values([node.this])[0], {Scalar.BOOLEAN}
    if isinstance(node, _COMPARISONS):
        parts = list(node.iter_expressions())
        timed = any(isinstance(inner, exp.Interval) for part in parts for inner in part.walk())
        return ([], set()) if timed else _values(parts)
    return [], set()


def _values(parts: Iterable[exp.Expr]) -> tuple[list[str], set[Scalar]]:
    """Return the columns whose values the parts compute with, and the types of their literals."""
    names: list[str] = []
    types: set[Scalar] = set()
    left = list(parts)
    while left:
        part = left.pop()
        if isinstance(part, exp.Column):
            names.append(part.name.lower())
        elif isinstance(part, exp.Boolean):
            types.add(Scalar.BOOLEAN)
        elif isinstance(part, exp.Literal):
            whole = part.name.isdecimal()
            types.add(Scalar.STRING if part.is_string else Scalar.INTEGER if whole else Scalar.FLOAT)
        elif isinstance(part, exp.Length):
            types.add(Scalar.INTEGER)
        elif isinstance(part, exp.Last | exp.First):
            left.append(part.this)
        elif isinstance(part, exp.Anonymous) and part.name.upper() in _NAVIGATION and part.expressions:
            left.append(part.expressions[0])
        elif isinstance(part, exp.Paren | exp.Neg | exp.Abs | exp.Add | exp.Sub | exp.Mul | exp.Div):
            left += part.iter_expressions()
    return names, types
