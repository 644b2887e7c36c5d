"""The differences between the engines. Everything else in a query is the same tree for all of them.

An engine must offer the methods of `Dialect`, and besides: IEEE-754 doubles whose `+ - *` never raise, strings compared
by code point, and `-0.0 = 0.0` in comparisons and join keys alike. The function `COMPONENT` must be defined as in
`components`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Protocol

from sqlglot import exp

from parte.algebra.partelang.relational.exact import NAMES
from parte.semantics.events.types import ListOf, Scalar, Type

BINARY: Final = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul}


class Dialect(Protocol):
    """The constructions that depend on the engine. Operands arrive in parentheses if they need any."""

    @property
    def name(self) -> str:
        """The name of the dialect in sqlglot."""

    @property
    def distributed(self) -> bool:
        """True if events are moved to be joined. If not, the engine stores the right side of a join in memory."""

    @property
    def materializes(self) -> bool:
        """True if the engine can be told to compute a common table expression once."""

    @property
    def correlates_deeply(self) -> bool:
        """True if a subquery of a subquery may mention the outer query."""

    @property
    def frames(self) -> bool:
        """True if sets become window frames where they can."""

    @property
    def tells_hot_keys(self) -> bool:
        """True if only events of hot keys are sliced. If not, all are, because to find the hot keys costs more."""

    def text(self, value: str) -> exp.Expr:
        """Return a String."""

    def type(self, of: Type) -> exp.DataType:
        """Return the type of a column with values of a type."""

    def exact(self, operator: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """Return `+`, `-` or `*` of two Integers, NULL if it does not fit 64 bit (specification: no-value-integers)."""

    def slices(self, integer: exp.Expr, width: int) -> exp.Expr:
        """Return an Integer divided by a positive one, without the remainder."""
        divisor = exp.Cast(this=exp.Literal.number(str(width)), to=self.type(Scalar.INTEGER))
        return exp.IntDiv(this=integer, expression=divisor)

    def wide(self, integer: exp.Expr) -> exp.Expr:
        """Return an Integer in a type that holds sums of very many of them exactly."""

    def total(self, integers: exp.Expr) -> exp.Expr:
        """Return the exact sum of Integers, an aggregate in a wide type."""
        return exp.Sum(this=self.wide(integers))

    def narrow(self, wide: exp.Expr) -> exp.Expr:
        """Return a wide integer as an Integer, NULL if it does not fit 64 bit (specification: no-value-integers)."""

    def quotient(self, wide: exp.Expr, divisor: int) -> exp.Expr:
        """Return a wide integer that is not negative, divided by a positive one, without the remainder."""

    def divide(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """Return the quotient of two Floats; NULL or not finite if the divisor is zero."""

    def is_finite(self, number: exp.Expr) -> exp.Expr:
        """Return whether a Float is neither infinite nor NaN; NULL if it is NULL."""

    def hashed(self, value: exp.Expr) -> exp.Expr:
        """Return a 64-bit hash of a value."""

    def sha256(self, text: exp.Expr) -> exp.Expr:
        """Return the SHA-256 of a String in UTF-8, as 64 hexadecimal digits in small letters."""

    def row(self, alias: str) -> exp.Expr:
        """Return the row of a relation under an alias as one value with the columns of the row."""

    def exactly(self, function: str, value: exp.Expr, of: Scalar) -> exp.Expr:
        """Return `sum` or `avg` of a group of numbers of a type: the exact value rounded once to a Float."""

    def ask(self, predicate: str, arguments: Sequence[exp.Expr]) -> exp.Expr:
        """Return the result of a function that was registered under a name; NULL if an argument is NULL."""
        return exp.Anonymous(this=predicate, expressions=list(arguments))

    def listed(self, table: exp.Table, columns: Sequence[str], arguments: Sequence[exp.Expr]) -> exp.Expr:
        """Return whether a table holds a row, without a correlated subquery. For engines that need it."""


class DuckDB(Dialect):
    """The dialect of DuckDB, with `ieee_floating_point_ops` set, as it is by default."""

    name = "duckdb"
    distributed = False
    materializes = True
    correlates_deeply = True
    frames = True
    tells_hot_keys = False

    # Built, not parsed: a program needs hundreds.
    _TYPES: ClassVar[Mapping[Scalar, exp.DType]] = {
        Scalar.INTEGER: exp.DType.BIGINT,
        Scalar.FLOAT: exp.DType.DOUBLE,
        Scalar.STRING: exp.DType.TEXT,
        Scalar.BOOLEAN: exp.DType.BOOLEAN,
    }

    def type(self, of: Type) -> exp.DataType:
        if isinstance(of, ListOf):
            return exp.DataType(this=exp.DType.ARRAY, expressions=[self.type(of.element)], nested=True)
        return exp.DataType(this=self._TYPES[of])

    def text(self, value: str) -> exp.Expr:
        return exp.Literal.string(value)

    def exact(self, operator: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        return self.narrow(BINARY[operator](this=self.wide(left), expression=self.wide(right)))

    def wide(self, integer: exp.Expr) -> exp.Expr:
        return exp.Cast(this=integer, to=exp.DataType(this=exp.DType.INT128))

    def total(self, integers: exp.Expr) -> exp.Expr:
        return exp.Sum(this=integers)  # in 128 bit

    def narrow(self, wide: exp.Expr) -> exp.Expr:
        return exp.TryCast(this=wide, to=self.type(Scalar.INTEGER))

    def quotient(self, wide: exp.Expr, divisor: int) -> exp.Expr:
        return exp.IntDiv(this=wide, expression=self.wide(exp.Literal.number(str(divisor))))

    def divide(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        return exp.Div(this=left, expression=right)

    def is_finite(self, number: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="ISFINITE", expressions=[number])

    def hashed(self, value: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="HASH", expressions=[value])

    def sha256(self, text: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="SHA256", expressions=[text])

    def row(self, alias: str) -> exp.Expr:
        return exp.Column(this=exp.to_identifier(alias, quoted=True))

    def exactly(self, function: str, value: exp.Expr, of: Scalar) -> exp.Expr:
        listed = exp.Anonymous(this="LIST", expressions=[value])
        return exp.Anonymous(this=NAMES[function, of], expressions=[listed])

    def listed(self, table: exp.Table, columns: Sequence[str], arguments: Sequence[exp.Expr]) -> exp.Expr:
        raise NotImplementedError("DuckDB takes subqueries of subqueries")
