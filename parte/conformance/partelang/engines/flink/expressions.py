"""Expressions of PARTElang in Flink SQL, with the operators of Flink.

Their meaning is that of Flink, without adjustment: integers wrap around at 64 bit, floats reach infinity and NaN. Where
there is no value (specification: no-value-strict), Flink may differ, and the kit shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.adapters import demand_exact_presence, unreached
from parte.conformance.partelang.engines.flink.level_2 import STRINGS, aggregate_name, clock, pattern_test, text
from parte.conformance.partelang.engines.two_truths import presences
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations, untranslated

IDENTITY, COMPONENT, TIMESTAMP, ROWTIME = "$id", "$component", "$timestamp", "$rowtime"
OWN_COLUMNS = (IDENTITY, COMPONENT, TIMESTAMP, ROWTIME)
"""The own columns of an event. No name of PARTElang contains a dollar."""

TYPES: Mapping[Scalar, str] = {
    Scalar.INTEGER: "BIGINT",
    Scalar.FLOAT: "DOUBLE",
    Scalar.STRING: "STRING",
    Scalar.BOOLEAN: "BOOLEAN",
}

MOST_ROWS = 200
"""The rows of a domain table that a query may contain, as conditions. Larger tables are tables of Flink."""

_WHY = "its rows do not stand in the query, and a temporal join looks up what one event has"


def type_of(of: core.Type) -> str:
    """Return the SQL type of an attribute."""
    return f"ARRAY<{TYPES[of.element]}>" if isinstance(of, core.ListOf) else TYPES[of]


def column(variable: str, name: str) -> str:
    """Return a column of the event of a variable."""
    return f"`{variable}`.`{name}`"


def literal(value: int | float | str | bool) -> str:
    """Return a literal with its type: an untyped 1 would have 32 bit and 0.9 be a decimal."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return f"CAST({text(value)} AS STRING)"
    return f"CAST('{value!r}' AS {'BIGINT' if isinstance(value, int) else 'DOUBLE'})"


class Expressions:
    """The expressions of a program, with the domain tables that they use; `columns` returns the name of a column."""

    def __init__(self, domain: Predicates, columns: Callable[[str, str], str] = column) -> None:
        self._domain = domain
        self.column = columns

    def with_columns(self, columns: Callable[[str, str], str]) -> Expressions:
        """Return the same expressions with other names of columns."""
        return Expressions(self._domain, columns)

    def looked_up(self, condition: core.Expression) -> DomainTable | None:
        """Return the domain table of a condition, if it is too large to be part of the query."""
        table = self._domain[condition.predicate] if isinstance(condition, core.PredicateCall) else None
        return table if isinstance(table, DomainTable) and len(table.rows) > MOST_ROWS else None

    def value(self, expression: core.Expression | core.TimestampExpression) -> str:
        """Return an expression as SQL."""
        match expression:
            case core.Constant(value=value):
                return literal(value)
            case core.AttributeOf(variable=variable, attribute=attribute):
                return self.column(variable, attribute)
            case core.TimestampOf(variable=variable):
                return self.column(variable, TIMESTAMP)
            case core.ToFloat(operand=operand):
                return f"CAST({self.value(operand)} AS DOUBLE)"
            case core.Negation(operand=operand):
                return f"(- {self.value(operand)})"
            case core.Arithmetic(operator=operator, left=left, right=right):
                return f"({self.value(left)} {operator} {self.value(right)})"
            case core.Comparison(operator=operator, left=left, right=right):
                return f"({self.value(left)} {'<>' if operator == '!=' else operator} {self.value(right)})"
            case core.PredicateCall():
                return self._small_table(expression)
            case core.FunctionCall(function=name, arguments=arguments):
                return FUNCTIONS[name]([self.value(argument) for argument in arguments])
            case core.ListExpression(items=()):
                raise Inexpressible("an empty list: Flink SQL has no literal for an array without elements")
            case core.ListExpression(items=items):
                return self._where_present(items, f"ARRAY[{', '.join(map(self.value, items))}]")
            case core.Shift(operand=moved, milliseconds=milliseconds):
                return f"({self.value(moved)} + {literal(milliseconds)})"
            case core.Combination(function=name, operands=operands):
                return TIMESTAMP_FUNCTIONS[name]([self.value(operand) for operand in operands])
            case core.Compound(connective=connective, operands=operands):
                return f"({f' {connective.upper()} '.join(map(self.value, operands))})"
            case core.Not(operand=operand):
                return f"(NOT {self.value(operand)})"
            case core.Presence(operand=operand, present=present):
                demand_exact_presence(operand)
                return f"({self.value(operand)} IS {'NOT ' if present else ''}NULL)"
            case core.PatternTest(function="like" | "matches" as function, operand=operand, pattern=pattern):
                return pattern_test(function, self.value(operand), pattern)
            case core.TimeConstant(milliseconds=milliseconds):
                return literal(milliseconds)
            case core.ClockReading(variable=variable):
                return clock(expression, self.column(variable, TIMESTAMP))
            case core.Aggregate(variable=variable):
                return self.column(variable, aggregate_name(expression))
            case core.PatternTest():
                raise unreached(expression)
            case _:
                assert_never(expression)

    def _small_table(self, call: core.PredicateCall) -> str:
        """Return a small domain table as a condition. Inexpressible for a larger one, which only `tables` can look
        up."""
        table = self._domain[call.predicate]
        if not isinstance(table, DomainTable):
            raise Inexpressible(f"predicate {call.predicate} is a Python callable, which the queries do not call")
        if len(table.rows) > MOST_ROWS:
            raise Inexpressible(
                f"a domain table of over {MOST_ROWS} rows, not asked by a condition on one event: {_WHY}"
            )
        arguments = [self.value(argument) for argument in call.arguments]
        rows = []
        for row in sorted(table.rows, key=repr):
            equal = [f"{own} = {literal(cell)}" for own, cell in zip(arguments, row, strict=True)]
            rows.append(f"({' AND '.join(equal) or 'TRUE'})")
        member = f"({' OR '.join(rows) or 'FALSE'})"
        return self._where_present(call.arguments, member if table.member_means else f"(NOT {member})")

    def _where_present(self, parts: Sequence[core.Expression], value: str) -> str:
        """Return a value that Flink has without all parts too, and PARTElang has not: NULL then."""
        lacking = [f"{self.value(part)} IS NOT NULL" for part in parts if presences(part)]
        return f"(CASE WHEN {' AND '.join(lacking)} THEN {value} END)" if lacking else value


def _total(arguments: list[str]) -> str:
    return f"({' + '.join(arguments)})"


def _mean(timestamps: list[str]) -> str:
    """Return the mean rounded towards minus infinity; `/` on integers rounds towards zero."""
    total, count = _total(timestamps), literal(len(timestamps))
    return f"(({total} - MOD(MOD({total}, {count}) + {count}, {count})) / {count})"


def _least(arguments: list[str]) -> str:
    return f"LEAST({', '.join(arguments)})"


def _greatest(arguments: list[str]) -> str:
    return f"GREATEST({', '.join(arguments)})"


def _inexpressible(function: str) -> Inexpressible:
    return Inexpressible(untranslated(function, "Flink SQL", "the queries do not call"))


FUNCTIONS: Implementations[Callable[[list[str]], str]] = Implementations(
    {
        "min": _least,
        "max": _greatest,
        "avg": lambda arguments: f"({_total(arguments)} / {literal(float(len(arguments)))})",
        "sum": _total,
        "abs": lambda arguments: f"ABS({arguments[0]})",
        **STRINGS,
    },
    _inexpressible,
)
TIMESTAMP_FUNCTIONS: Implementations[Callable[[list[str]], str]] = Implementations(
    {"min": _least, "max": _greatest, "avg": _mean}, _inexpressible, of_timestamps=True
)
"""The built-in functions, and those by which `at` combines timestamps."""
