"""What the engines say differently. Everything else in a query is the same tree for all of them.

An engine must offer what `Dialect` asks for, and besides: IEEE-754 doubles whose `+ - *` never raise, strings compared
by code point, and `-0.0 = 0.0` in comparisons and join keys alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlglot import exp

from semantics.syntax.core import ListOf, Scalar, Type


class Dialect(Protocol):
    """The constructions that depend on the engine. Operands arrive in parentheses if they need any."""

    @property
    def name(self) -> str:
        """What sqlglot calls the dialect."""

    def type(self, of: Type) -> exp.DataType:
        """The type of a column with values of a type."""

    def wide(self, integer: exp.Expr) -> exp.Expr:
        """An Integer in a type that holds every sum and product of two of them exactly."""

    def narrow(self, wide: exp.Expr) -> exp.Expr:
        """A wide integer as an Integer, NULL if it does not fit 64 bit (SPEC §2)."""

    def quotient(self, wide: exp.Expr, divisor: int) -> exp.Expr:
        """A wide integer that is not negative, divided by a positive one, without the remainder."""

    def divide(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """The quotient of two Floats, not finite if the divisor is zero."""

    def is_finite(self, number: exp.Expr) -> exp.Expr:
        """Whether a Float is neither infinite nor NaN; NULL if it is NULL."""

    def ask(self, predicate: str, arguments: Sequence[exp.Expr]) -> exp.Expr:
        """The answer of a function that was registered under a name; NULL if an argument is NULL."""


class DuckDB:
    """The dialect of DuckDB, with `ieee_floating_point_ops` set, as it is by default."""

    name = "duckdb"

    _TYPES = {  # noqa: RUF012 - nobody changes it
        Scalar.INTEGER: "BIGINT",
        Scalar.FLOAT: "DOUBLE",
        Scalar.STRING: "TEXT",
        Scalar.BOOLEAN: "BOOLEAN",
    }

    def type(self, of: Type) -> exp.DataType:
        name = f"{self._TYPES[of.element]}[]" if isinstance(of, ListOf) else self._TYPES[of]
        return exp.DataType.build(name, dialect=self.name)

    def wide(self, integer: exp.Expr) -> exp.Expr:
        return exp.Cast(this=integer, to=exp.DataType.build("HUGEINT", dialect=self.name))

    def narrow(self, wide: exp.Expr) -> exp.Expr:
        return exp.TryCast(this=wide, to=self.type(Scalar.INTEGER))

    def quotient(self, wide: exp.Expr, divisor: int) -> exp.Expr:
        return exp.IntDiv(this=wide, expression=self.wide(exp.Literal.number(str(divisor))))

    def divide(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        return exp.Div(this=left, expression=right)

    def is_finite(self, number: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="ISFINITE", expressions=[number])

    def ask(self, predicate: str, arguments: Sequence[exp.Expr]) -> exp.Expr:
        return exp.Anonymous(this=predicate, expressions=list(arguments))
