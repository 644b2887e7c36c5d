"""Expressions of SQL in DEFINE and MEASURES as expressions of PARTElang, level 2.

NULL in SQL is "without value" in PARTElang: a comparison with it is neither true nor false, `AND`, `OR` and `NOT` have
the same tables, and a row fills a variable, as an event a pattern, only if the condition is true.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final, Protocol

from sqlglot import exp

from parte.importers.imported import Place
from parte.importers.match_recognize.columns import Columns, Slot
from parte.importers.match_recognize.reading import HEIGHT, Source, Unsaid, sql_of
from parte.importers.names import RESERVED
from parte.semantics.events.bounds import GREATEST_INTEGER
from parte.semantics.events.types import Scalar

OR, AND, NOT, COMPARISON, SUM, PRODUCT, UNARY, ATOM = range(8)
"""The strengths with which the outermost operator of a text binds."""
_EXACT: Final = 2**40
UNITS: Final = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000))
_MILLISECONDS: Final = {**dict(UNITS), "millisecond": 1, "week": 604_800_000}
_COMPARED: Final[dict[type[exp.Expression], str]] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_COMPUTED: Final[dict[type[exp.Expression], tuple[str, int]]] = {
    exp.Add: ("+", SUM),
    exp.Sub: ("-", SUM),
    exp.Mul: ("*", PRODUCT),
    exp.Div: ("/", PRODUCT),
}
_MEASURED: Final = {"COUNT", "SUM", "AVG", "MIN", "MAX"}


class Kind(Enum):
    """The kinds of expressions; a condition is no value."""

    INTEGER = Scalar.INTEGER
    FLOAT = Scalar.FLOAT
    STRING = Scalar.STRING
    BOOLEAN = Scalar.BOOLEAN
    TIME = "timestamp"
    DURATION = "interval"
    CONDITION = "condition"

    @property
    def label(self) -> str:
        """The name for messages."""
        return self.value.value if isinstance(self.value, Scalar) else str(self.value)


NUMBERS: Final = {Kind.INTEGER, Kind.FLOAT}


@dataclass(frozen=True, slots=True)
class Term:
    """A text of PARTElang. It is `sure` if it has a value for every event. `decimal` is a decimal number of SQL."""

    text: str
    kind: Kind
    strength: int = ATOM
    sure: bool = True
    decimal: Fraction | None = None

    def within(self, strength: int) -> str:
        """Return the text as an operand: in brackets if its operator binds less tightly."""
        return self.text if self.strength >= strength else f"({self.text})"


class Scope(Protocol):
    """The rows that an expression can speak of."""

    def variable(self, name: str | None, navigation: Navigation, place: Place) -> str:
        """Return the variable of the rule that is bound to a row, "" for the event of the pattern itself. Raise
        Unsaid."""

    def aggregate(self, name: str | None, function: str, slot: Slot | None, place: Place) -> Term:
        """Return an aggregate over the rows of a variable. Raise Unsaid."""


@dataclass(frozen=True, slots=True)
class Navigation:
    """The row of a variable: the last or the first one, `inner` rows further, and from there `offset` rows on."""

    last: bool = True
    inner: int = 0
    offset: int = 0


LATEST: Final = Navigation()


class Expressions:
    """The expressions of one query; `own` is the variable whose pattern they stand in, if they stand in one."""

    def __init__(self, source: Source, columns: Columns, scope: Scope, start: int, own: str = "") -> None:
        self._source, self._columns, self._scope, self._start, self._own = source, columns, scope, start, own

    def place(self, node: exp.Expression) -> Place:
        """Return the place of an expression."""
        return self._source.of(node, self._start)

    def conditions(self, node: exp.Expression) -> list[Term]:
        """Return the conditions that an expression demands together. Raise Unsaid."""
        return [self._condition(part, 0) for part in _parts(node, exp.And) if not _is_true(part)]

    def value(self, node: exp.Expression) -> Term:
        """Return a value. Raise Unsaid."""
        return self._term(node, 0)

    def _condition(self, node: exp.Expression, height: int) -> Term:
        return self._as_condition(self._term(node, height), node)

    def _as_condition(self, term: Term, node: exp.Expression) -> Term:
        if term.kind is Kind.BOOLEAN:
            return Term(f"{term.within(SUM)} = true", Kind.CONDITION, COMPARISON, term.sure)
        if term.kind is not Kind.CONDITION:
            raise Unsaid(self.place(node), f"expected a condition, found a value: {sql_of(node)}")
        return term

    def _term(self, node: exp.Expression, height: int) -> Term:
        if height > HEIGHT:
            raise Unsaid(self.place(node), f"an expression of a height over {HEIGHT}")
        deeper = height + 1
        match node:
            case exp.Paren():
                return self._term(node.this, deeper)
            case exp.Literal() | exp.Boolean():
                return self._literal(node)
            case exp.Column():
                return self._column(node, LATEST)
            case exp.And() | exp.Or():
                return self._connected(node, deeper)
            case exp.Not():
                return self._negated(node, deeper)
            case exp.Is():
                return self._is(node, deeper)
            case exp.Between():
                return self._between(node, deeper)
            case exp.In():
                return self._in(node, deeper)
            case exp.Escape(this=exp.Like() as like):
                return self._like(like, node.expression, deeper)
            case exp.Like():
                return self._like(node, None, deeper)
            case exp.Neg():
                return self._negative(node, deeper)
            case exp.Interval():
                return Term(duration(self._milliseconds(node)), Kind.DURATION)
            case exp.Abs() | exp.Length():
                return self._function(node, deeper)
            case exp.Null():
                raise Unsaid(self.place(node), "NULL as a value: expected IS NULL or IS NOT NULL")
        if type(node) in _COMPARED:
            return self._compared(node, _COMPARED[type(node)], deeper)
        if type(node) in _COMPUTED:
            return self._computed(node, deeper)
        return self._called(node)

    # --- Rows ---------------------------------------------------------------------------------------------------------

    def _column(self, node: exp.Column, navigation: Navigation) -> Term:
        place = self.place(node)
        if node.args.get("db") or isinstance(node.this, exp.Star):
            raise Unsaid(place, f"expected a column, or a variable and a column, found {sql_of(node)}")
        variable = self._scope.variable(node.table.upper() or None, navigation, place)
        slot = self._columns.slot(node.name, place)
        if slot.type is None:
            return Term(f"{variable or self._own}.timestamp", Kind.TIME)
        bare = not variable and slot.attribute not in RESERVED
        text = slot.attribute if bare else f"{variable or self._own}.{slot.attribute}"
        return Term(text, Kind(slot.type), ATOM, not slot.optional)

    def _called(self, node: exp.Expression) -> Term:
        name = node.name.upper() if isinstance(node, exp.Anonymous) else str(node.key).upper()
        place = self.place(node)
        if name in {"PREV", "NEXT", "FIRST", "LAST"}:
            return self._navigated(node, name, place)
        if name in _MEASURED:
            argument = node.this
            if isinstance(argument, exp.Star):
                return self._scope.aggregate(None, name, None, place)
            if isinstance(argument, exp.Column):
                slot = None if isinstance(argument.this, exp.Star) else self._columns.slot(argument.name, place)
                return self._scope.aggregate(argument.table.upper() or None, name, slot, place)
            raise Unsaid(place, f"{name} of an expression: expected a column, as in {name}(A.price)")
        what = f"the function {name}" if isinstance(node, exp.Func) else sql_of(node)
        raise Unsaid(place, f"{what} is not among what the importer reads")

    def _navigated(self, node: exp.Expression, name: str, place: Place) -> Term:
        arguments = node.expressions if isinstance(node, exp.Anonymous) else [node.this, node.expression]
        arguments = [argument for argument in arguments if argument is not None]
        if not 1 <= len(arguments) <= 2 or not isinstance(arguments[0], exp.Column):
            raise Unsaid(place, f"{name}: expected a column, and perhaps a number of rows")
        count = 1 if name in {"PREV", "NEXT"} else 0
        if len(arguments) == 2:
            argument = arguments[1]
            if not isinstance(argument, exp.Literal) or not argument.name.isdecimal() or len(argument.name) > 6:
                raise Unsaid(place, f"{name}: expected a number of rows, found {sql_of(argument)}")
            count = int(argument.name)
        navigation = {
            "PREV": Navigation(offset=-count),
            "NEXT": Navigation(offset=count),
            "FIRST": Navigation(last=False, inner=count),
            "LAST": Navigation(inner=count),
        }
        return self._column(arguments[0], navigation[name])

    # --- Conditions ---------------------------------------------------------------------------------------------------

    def _connected(self, node: exp.Expression, height: int) -> Term:
        kind, strength, word = (exp.And, AND, "and") if isinstance(node, exp.And) else (exp.Or, OR, "or")
        terms = [self._condition(part, height) for part in _parts(node, kind)]
        text = f" {word} ".join(term.within(strength + 1) for term in terms)
        return Term(text, Kind.CONDITION, strength, all(term.sure for term in terms))

    def _negated(self, node: exp.Expression, height: int) -> Term:
        inner = self._term(node.this, height)
        if inner.kind is Kind.BOOLEAN:
            return Term(f"{inner.within(SUM)} = false", Kind.CONDITION, COMPARISON, inner.sure)
        condition = self._as_condition(inner, node.this)
        return Term(f"not {condition.within(NOT)}", Kind.CONDITION, NOT, condition.sure)

    def _is(self, node: exp.Expression, height: int) -> Term:
        if not isinstance(node.expression, exp.Null):
            raise Unsaid(self.place(node), f"expected IS NULL or IS NOT NULL, found {sql_of(node)}")
        if not isinstance(_bare(node.this), exp.Column | exp.Last | exp.First | exp.Anonymous):
            raise Unsaid(self.place(node), "IS NULL of an expression: where SQL fails, a rule has no value")
        term = self._term(node.this, height)
        if term.kind is Kind.TIME:
            raise Unsaid(self.place(node), "IS NULL of the time by which rows are ordered: an event has a timestamp")
        return Term(f"{term.within(SUM)} is missing", Kind.CONDITION, COMPARISON)

    def _compared(self, node: exp.Expression, operator: str, height: int) -> Term:
        left, right = self._term(node.this, height), self._term(node.expression, height)
        return self._comparison(left, operator, right, self.place(node))

    def _comparison(self, left: Term, operator: str, right: Term, place: Place) -> Term:
        if left.kind is Kind.CONDITION:
            left = Term(f"({left.text})", Kind.BOOLEAN, ATOM, left.sure)
        if right.kind is Kind.CONDITION:
            right = Term(f"({right.text})", Kind.BOOLEAN, ATOM, right.sure)
        if left.kind is not right.kind and not {left.kind, right.kind} <= NUMBERS:
            raise Unsaid(place, f"expected values of one type, found {left.kind.label} and {right.kind.label}")
        if left.kind is Kind.BOOLEAN and operator not in {"=", "!="}:
            raise Unsaid(place, "booleans are compared by = and <> only")
        for term, compared in ((left, right), (right, left)):
            if term.decimal is not None and compared.kind is Kind.INTEGER and not _harmless(term.decimal):
                raise Unsaid(place, f"an integer is compared with {term.text}, which no Float is near enough to")
        text = f"{left.within(SUM)} {operator} {right.within(SUM)}"
        return Term(text, Kind.CONDITION, COMPARISON, left.sure and right.sure)

    def _between(self, node: exp.Expression, height: int) -> Term:
        value, place = self._term(node.this, height), self.place(node)
        ends = [
            self._comparison(value, operator, self._term(node.args[end], height), place)
            for operator, end in ((">=", "low"), ("<=", "high"))
        ]
        text = " and ".join(end.text for end in ends)
        return Term(text, Kind.CONDITION, AND, all(end.sure for end in ends))

    def _in(self, node: exp.Expression, height: int) -> Term:
        place = self.place(node)
        if not node.expressions:
            raise Unsaid(place, "IN of a query: expected values")
        value = self._term(node.this, height)
        candidates = [self._term(candidate, height) for candidate in node.expressions]
        compared = [self._comparison(value, "=", candidate, place) for candidate in candidates]
        listed = ", ".join(candidate.text for candidate in candidates)
        text = f"{value.within(SUM)} in ({listed})"
        return Term(text, Kind.CONDITION, COMPARISON, all(term.sure for term in compared))

    def _like(self, node: exp.Expression, escape: exp.Expression | None, height: int) -> Term:
        value, place = self._term(node.this, height), self.place(node)
        pattern = node.expression
        sign = "" if escape is None else escape.name
        if value.kind is not Kind.STRING or not isinstance(pattern, exp.Literal) or not pattern.is_string:
            raise Unsaid(place, "LIKE: expected a String and a constant pattern")
        if escape is not None and len(sign) != 1:
            raise Unsaid(place, "ESCAPE: expected one character")
        text, characters = "", iter(pattern.name)
        for character in characters:
            if character == sign:
                character = next(characters, "")
                if character not in {"%", "_", sign} or not character:
                    raise Unsaid(place, f"LIKE: {sign} stands before %, _ and {sign} only")
            elif character in "%_":
                text += "*" if character == "%" else "?"
                continue
            text += "\\" + character if character in "*?\\" else character
        return Term(f"like({value.text}, {quoted(text)})", Kind.CONDITION, COMPARISON, value.sure)

    # --- Values -------------------------------------------------------------------------------------------------------

    def _literal(self, node: exp.Expression) -> Term:
        if isinstance(node, exp.Boolean):
            return Term("true" if node.this else "false", Kind.BOOLEAN)
        if node.args.get("is_string"):
            return Term(quoted(node.name), Kind.STRING)
        place, text = self.place(node), node.name
        if len(text) > 100:
            raise Unsaid(place, "a number of over 100 characters")
        if text.isdecimal():
            if int(text) > GREATEST_INTEGER:
                raise Unsaid(place, f"{text} is not an integer of 64 bit")
            return Term(str(int(text)), Kind.INTEGER)
        try:
            value = float(text)
            decimal = None if "e" in text.lower() else Fraction(text)
        except ValueError:
            raise Unsaid(place, f"expected a number, found {text}") from None
        if not math.isfinite(value):
            raise Unsaid(place, f"{text} is beyond the greatest Float")
        return Term(repr(value), Kind.FLOAT, decimal=decimal)

    def _negative(self, node: exp.Expression, height: int) -> Term:
        inner = self._term(node.this, height)
        if inner.kind not in NUMBERS:
            raise Unsaid(self.place(node), f"a minus before a value of type {inner.kind.label}")
        decimal = None if inner.decimal is None else -inner.decimal
        constant = isinstance(_bare(node.this), exp.Literal)
        return Term(f"-{inner.within(ATOM)}", inner.kind, UNARY, constant, decimal)

    def _computed(self, node: exp.Expression, height: int) -> Term:
        sign, strength = _COMPUTED[type(node)]
        left, right, place = self._term(node.this, height), self._term(node.expression, height), self.place(node)
        kind = self._kind(left, sign, right, place)
        text = f"{left.within(strength)} {sign} {right.within(strength + 1)}"
        return Term(text, kind, strength, sure=False)

    def _kind(self, left: Term, sign: str, right: Term, place: Place) -> Kind:
        kinds = (left.kind, right.kind)
        if Kind.TIME in kinds or Kind.DURATION in kinds:
            known = {
                (Kind.TIME, "-", Kind.TIME): Kind.DURATION,
                (Kind.TIME, "+", Kind.DURATION): Kind.TIME,
                (Kind.TIME, "-", Kind.DURATION): Kind.TIME,
                (Kind.DURATION, "+", Kind.TIME): Kind.TIME,
                (Kind.DURATION, "+", Kind.DURATION): Kind.DURATION,
                (Kind.DURATION, "-", Kind.DURATION): Kind.DURATION,
            }
            if (kind := known.get((left.kind, sign, right.kind))) is None:
                raise Unsaid(place, f"{left.kind.label} {sign} {right.kind.label} is no time and no interval")
            return kind
        if not set(kinds) <= NUMBERS:
            raise Unsaid(place, f"expected numbers beside {sign}")
        if Kind.INTEGER in kinds and (left.decimal is not None or right.decimal is not None):
            raise Unsaid(place, "an integer and a decimal number: SQL computes decimals, a rule binary64 numbers")
        if left.decimal is not None and right.decimal is not None:
            raise Unsaid(place, "two decimal numbers: SQL computes decimals, a rule binary64 numbers; write the result")
        if sign == "/" and kinds == (Kind.INTEGER, Kind.INTEGER):
            raise Unsaid(place, "a division of integers: SQL gives an integer, a rule a Float")
        return Kind.FLOAT if Kind.FLOAT in kinds else Kind.INTEGER

    def _function(self, node: exp.Expression, height: int) -> Term:
        inner = self._term(node.this, height)
        if isinstance(node, exp.Length):
            if inner.kind is not Kind.STRING:
                raise Unsaid(self.place(node), "expected the length of a String")
            return Term(f"length({inner.text})", Kind.INTEGER, ATOM, inner.sure)
        if inner.kind not in NUMBERS:
            raise Unsaid(self.place(node), "ABS: expected a number")
        return Term(f"abs({inner.text})", inner.kind, ATOM, sure=False)

    def _milliseconds(self, node: exp.Expression) -> int:
        return interval(node, self.place(node))


def interval(node: exp.Expression, place: Place) -> int:
    """Return the milliseconds of INTERVAL '…' UNIT. Raise Unsaid."""
    unit = node.args.get("unit")
    name = unit.name.lower().removesuffix("s") if isinstance(unit, exp.Var) else ""
    text = node.this.name if isinstance(node.this, exp.Literal) else ""
    try:
        value = Fraction(text) if len(text) <= 30 and "/" not in text and "e" not in text.lower() else None
    except ValueError:
        value = None
    if name not in _MILLISECONDS or value is None or abs(value) > 10**12:
        units = "SECOND, MINUTE, HOUR or DAY"
        raise Unsaid(place, f"expected INTERVAL '…' with {units}, found {sql_of(node)}")
    milliseconds = value * _MILLISECONDS[name]
    if milliseconds.denominator != 1:
        raise Unsaid(place, f"{sql_of(node)} is no whole number of milliseconds")
    return int(milliseconds)


def duration(milliseconds: int) -> str:
    """Return a duration of PARTElang, in the greatest unit in which it is whole."""
    for name, size in UNITS:
        if milliseconds and milliseconds % size == 0:
            count = milliseconds // size
            return f"{count} {name}{'' if abs(count) == 1 else 's'}"
    return f"{milliseconds} ms"


def together(terms: Sequence[Term]) -> Term | None:
    """Return the condition that all conditions hold, or None if there are none."""
    if len(terms) <= 1:
        return terms[0] if terms else None
    text = " and ".join(term.within(AND) for term in terms)
    return Term(text, Kind.CONDITION, AND, all(term.sure for term in terms))


def untrue(term: Term) -> str:
    """Return the condition that a condition is not true: false, or without value."""
    if term.sure:
        return f"not {term.within(NOT)}"
    return f"({term.text}) is missing or not {term.within(NOT)}"


def quoted(text: str) -> str:
    """Return a string literal of PARTElang."""
    return json.dumps(text, ensure_ascii=False)


def _parts(node: exp.Expression, kind: type[exp.Expression]) -> list[exp.Expression]:
    """Return the operands of operators of one kind that are inside each other, from left to right."""
    parts: list[exp.Expression] = []
    left = [node]
    while left:
        part = _bare(left.pop())
        if isinstance(part, kind):
            left += [part.expression, part.this]
        else:
            parts.append(part)
    return parts


def _bare(node: exp.Expression) -> exp.Expression:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _is_true(node: exp.Expression) -> bool:
    return isinstance(node, exp.Boolean) and bool(node.this)


def _harmless(decimal: Fraction) -> bool:
    """Return whether every integer is as a number of SQL on the same side of a decimal as of the Float near it."""
    near = Fraction(float(decimal))
    same = math.floor(near) == math.floor(decimal) and (near.denominator == 1) == (decimal.denominator == 1)
    return near == decimal or (same and abs(decimal) < _EXACT)
