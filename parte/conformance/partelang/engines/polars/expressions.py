"""Expressions of PARTElang as expressions of Polars, with the operators of Polars.

Their meaning is that of Polars, without adjustment: integers wrap around at 64 bit, floats reach infinity and NaN,
which equals itself and is greater than all. Where there is no value (specification: no-value-strict), Polars may
differ, and the kit shows it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import assert_never

import polars as pl

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.adapters import demand_exact_presence, has_value, unreached
from parte.conformance.partelang.engines.operators import OPERATORS
from parte.conformance.partelang.engines.polars.level_2 import STRINGS, column_of, tested, where_present
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations, untranslated

IDENTITY, COMPONENT, TIMESTAMP = "$id", "$component", "$timestamp"
"""The own columns of an event: its id, its component in composed ids, and its time. No name of PARTElang has a `$`."""

TYPES: Mapping[Scalar, type[pl.DataType]] = {
    Scalar.INTEGER: pl.Int64,
    Scalar.FLOAT: pl.Float64,
    Scalar.STRING: pl.String,
    Scalar.BOOLEAN: pl.Boolean,
}


def type_of(of: core.Type) -> pl.DataType:
    """Return the type of a column."""
    return pl.List(TYPES[of.element]) if isinstance(of, core.ListOf) else TYPES[of]()


def constant(value: int | float | str | bool) -> pl.Expr:
    """Return a literal. An integer gets an explicit type: otherwise it would take that of its context."""
    return pl.lit(value, pl.Int64) if isinstance(value, int) and not isinstance(value, bool) else pl.lit(value)


@dataclass(frozen=True, slots=True)
class Scope:
    """The meaning of names in a rule: a variable has columns `variable.attribute`, a predicate has a table."""

    domain: Predicates

    def value(self, expression: core.Expression | core.TimestampExpression) -> pl.Expr:
        """Return an expression of Polars."""
        match expression:
            case core.Constant(value=value):
                return constant(value)
            case core.AttributeOf(variable=variable, attribute=attribute):
                return pl.col(f"{variable}.{attribute}")
            case core.TimestampOf(variable=variable):
                return timestamp_of(variable)
            case core.ToFloat(operand=operand):
                return self.value(operand).cast(pl.Float64)
            case core.Negation(operand=operand):
                return -self.value(operand)
            case (
                core.Arithmetic(operator=name, left=left, right=right)
                | core.Comparison(operator=name, left=left, right=right)
            ):
                result: pl.Expr = OPERATORS[name](self.value(left), self.value(right))
                return result
            case core.Compound(connective=connective, operands=operands):
                return (pl.all_horizontal if connective == "and" else pl.any_horizontal)(map(self.value, operands))
            case core.Not(operand=operand):
                return ~self.value(operand)
            case core.Presence(operand=operand, present=present):
                demand_exact_presence(operand)
                missing = self.value(operand).is_null()
                return ~missing if present else missing
            case core.TimeConstant(milliseconds=milliseconds):
                return constant(milliseconds)
            case core.PatternTest(function=name, operand=operand, pattern=pattern):
                return tested(self.value(operand), name, pattern)
            case core.Aggregate():
                return pl.col(column_of(expression))
            case core.PredicateCall(predicate=name, arguments=arguments):
                values = [self.value(argument) for argument in arguments]
                return _strict(arguments, values, self._lookup(name, values))
            case core.FunctionCall(function=name, arguments=arguments):
                values = [self.value(argument) for argument in arguments]
                return _strict(arguments, values, FUNCTIONS[name](values))
            case core.ListExpression(items=(), type=of):
                return pl.lit([], dtype=type_of(of))
            case core.ListExpression(items=items):
                values = [self.value(item) for item in items]
                return _strict(items, values, pl.concat_list(*values))
            case core.Shift(operand=moved, milliseconds=milliseconds):
                return self.value(moved) + constant(milliseconds)
            case core.Combination(function=name, operands=operands):
                return TIMESTAMP_FUNCTIONS[name]([self.value(operand) for operand in operands])
            case core.ClockReading():
                raise unreached(expression)
            case _:
                assert_never(expression)

    def _lookup(self, predicate: str, arguments: Sequence[pl.Expr]) -> pl.Expr:
        table = self.domain[predicate]
        if not isinstance(table, DomainTable):
            raise Inexpressible(f"predicate {predicate} is a Python callable, which the queries do not call")
        if not arguments:
            return constant(bool(table.rows) is table.member_means)
        names = [f"c{number}" for number in range(1, len(arguments) + 1)]
        row = pl.struct(*(argument.alias(name) for name, argument in zip(names, arguments, strict=True)))
        rows = [dict(zip(names, cells, strict=True)) for cells in sorted(table.rows, key=repr)]
        member = row.is_in(rows) if rows else constant(False)
        return member if table.member_means else ~member


def _strict(operands: Sequence[core.Expression], values: Sequence[pl.Expr], result: pl.Expr) -> pl.Expr:
    """Return a result that is null where an operand is: Polars ignores a null in a list, a row or an extreme."""
    lacking = [value for operand, value in zip(operands, values, strict=True) if not has_value(operand)]
    return where_present(lacking, result) if lacking else result


def timestamp_of(variable: str) -> pl.Expr:
    """Return the timestamp of a variable: milliseconds, as an Int64."""
    return pl.col(f"{variable}.{TIMESTAMP}")


def _sum(arguments: Sequence[pl.Expr]) -> pl.Expr:
    return reduce(operator.add, arguments)


def _least(arguments: Sequence[pl.Expr]) -> pl.Expr:
    return pl.min_horizontal(*arguments)


def _greatest(arguments: Sequence[pl.Expr]) -> pl.Expr:
    return pl.max_horizontal(*arguments)


def _inexpressible(function: str) -> Inexpressible:
    return Inexpressible(untranslated(function, "Polars", "the queries do not call"))


FUNCTIONS: Implementations[Callable[[Sequence[pl.Expr]], pl.Expr]] = Implementations(
    {
        "min": _least,
        "max": _greatest,
        "avg": lambda arguments: _sum(arguments) / float(len(arguments)),
        "sum": _sum,
        "abs": lambda arguments: arguments[0].abs(),
        **STRINGS,
    },
    _inexpressible,
)
TIMESTAMP_FUNCTIONS: Implementations[Callable[[Sequence[pl.Expr]], pl.Expr]] = Implementations(
    {"min": _least, "max": _greatest, "avg": lambda timestamps: _sum(timestamps) // constant(len(timestamps))},
    _inexpressible,
    of_timestamps=True,
)
"""The built-in functions, and those by which `at` combines timestamps."""
