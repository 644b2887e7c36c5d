"""The dialect of Spark SQL (Spark 4), the same whether `spark.sql.ansi.enabled` is set or not.

In ANSI mode, Spark raises an error where there is no value (specification: no-value-integers); without it, long sums
wrap around. The `try_` functions do neither. A bare 0.9 would be a decimal, so everything is cast. In Spark, NaN equals
itself and is the greatest number. The result of a comparison with a number that is not finite never counts, because a
condition beside it excludes that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from sqlglot import exp

from parte.algebra.partelang.relational.dialects import Dialect
from parte.algebra.partelang.relational.exact import NAMES
from parte.algebra.partelang.relational.terms import grouped
from parte.semantics.events.types import ListOf, Scalar, Type

_PLAIN: Final = re.compile(r"[A-Za-z0-9 _.,;:()=#<>+*/-]*")
_GREATEST_FLOAT: Final = repr(1.7976931348623157e308)


class Spark(Dialect):
    """The dialect of Spark SQL."""

    name = "spark"
    distributed = True
    materializes = False
    correlates_deeply = False
    frames = True
    tells_hot_keys = True

    _TYPES: ClassVar[Mapping[Scalar, str]] = {
        Scalar.INTEGER: "BIGINT",
        Scalar.FLOAT: "DOUBLE",
        Scalar.STRING: "STRING",
        Scalar.BOOLEAN: "BOOLEAN",
    }

    def type(self, of: Type) -> exp.DataType:
        name = f"ARRAY<{self._TYPES[of.element]}>" if isinstance(of, ListOf) else self._TYPES[of]
        return exp.DataType.build(name, dialect=self.name)

    def text(self, value: str) -> exp.Expr:
        # Settings decide whether a backslash in quotes is an escape and whether ${...} is replaced, so neither is
        # written.
        if _PLAIN.fullmatch(value):
            return exp.Literal.string(value)
        return exp.Cast(this=exp.HexString(this=value.encode().hex()), to=self.type(Scalar.STRING))

    def exact(self, operator: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        # Spark merges the constants of nested TRY_ADDs, or TRY_MULTIPLYs, and so drops or adds an overflow between
        # them (its ReorderAssociativeOperator). So none stands directly in another. As ~x is -x - 1, a + b is ~(~a -
        # b), which overflows in the same cases.
        match operator:
            case "+":
                return _complement(exp.Anonymous(this="TRY_SUBTRACT", expressions=[_complement(left), right]))
            case "*":
                return _complement(_complement(exp.Anonymous(this="TRY_MULTIPLY", expressions=[left, right])))
            case "-":
                return exp.Anonymous(this="TRY_SUBTRACT", expressions=[left, right])
            case _:
                raise ValueError(f"{operator} is not an operation on Integers")

    def wide(self, integer: exp.Expr) -> exp.Expr:
        return exp.Cast(this=integer, to=exp.DataType.build("DECIMAL(38, 0)", dialect=self.name))

    def narrow(self, wide: exp.Expr) -> exp.Expr:
        return exp.TryCast(this=wide, to=self.type(Scalar.INTEGER), safe=True)

    def quotient(self, wide: exp.Expr, divisor: int) -> exp.Expr:
        # DIV would return 64 bit, and `/` rounds; after the remainder is subtracted, there is nothing to round.
        number = self.wide(exp.Literal.number(str(divisor)))
        whole = exp.Paren(this=exp.Sub(this=wide, expression=exp.Mod(this=wide.copy(), expression=number)))
        return self.wide(exp.Div(this=whole, expression=number.copy(), typed=True))

    def divide(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="TRY_DIVIDE", expressions=[left, right])

    def is_finite(self, number: exp.Expr) -> exp.Expr:
        greatest = exp.Cast(this=exp.Literal.string(_GREATEST_FLOAT), to=self.type(Scalar.FLOAT))
        return exp.LTE(this=exp.Abs(this=number), expression=greatest)

    def hashed(self, value: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="XXHASH64", expressions=[value])

    def sha256(self, text: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="SHA2", expressions=[text, exp.Literal.number(256)])

    def row(self, alias: str) -> exp.Expr:
        every = exp.Column(this=exp.Star(), table=exp.to_identifier(alias, quoted=True))
        return exp.Struct(expressions=[every])

    def exactly(self, function: str, value: exp.Expr, of: Scalar) -> exp.Expr:
        listed = exp.Anonymous(this="COLLECT_LIST", expressions=[value])
        return exp.Anonymous(this=NAMES[function, of], expressions=[listed])

    def listed(self, table: exp.Table, columns: Sequence[str], arguments: Sequence[exp.Expr]) -> exp.Expr:
        own = [exp.Column(this=exp.to_identifier(column, quoted=True)) for column in columns]
        rows = exp.Anonymous(this="COLLECT_LIST", expressions=[_struct(columns, own)])
        query = exp.Select(expressions=[rows]).from_(table)
        return exp.Anonymous(this="ARRAY_CONTAINS", expressions=[exp.Subquery(this=query), _struct(columns, arguments)])


def _complement(integer: exp.Expr) -> exp.Expr:
    """Return `~integer`: each bit inverted."""
    return exp.BitwiseNot(this=grouped(integer))


def _struct(names: Sequence[str], values: Sequence[exp.Expr]) -> exp.Expr:
    parts = [part for name, value in zip(names, values, strict=True) for part in (exp.Literal.string(name), value)]
    return exp.Anonymous(this="NAMED_STRUCT", expressions=parts)
