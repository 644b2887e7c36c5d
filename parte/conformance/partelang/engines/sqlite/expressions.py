"""Expressions of PARTElang in SQLite's SQL, with the operators of SQLite.

Their meaning is that of SQLite, without adjustment: a sum of integers that exceeds 64 bit becomes a REAL, floats reach
infinity, a division by zero is NULL. Where there is no value (specification: no-value-strict), SQLite may differ, and
the kit shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import assert_never

from parte.algebra.partelang.relational.names import Names
from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.adapters import demand_exact_presence, has_value, unreached
from parte.conformance.partelang.engines.sqlite.level_2 import STRINGS, folded, like, text
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations, untranslated

IDENTITY, COMPONENT, TIMESTAMP = '"$id"', '"$component"', '"$timestamp"'
"""The own columns of an event: its id, its component in composed ids, and its time. No name of PARTElang has a `$`."""

TYPES: Mapping[Scalar, str] = {
    Scalar.INTEGER: "INTEGER",
    Scalar.FLOAT: "REAL",
    Scalar.STRING: "TEXT",
    Scalar.BOOLEAN: "INTEGER",
}


def quoted(name: str) -> str:
    """Return a quoted name."""
    return '"' + name.replace('"', '""') + '"'


def type_of(of: core.Type) -> str:
    """Return the type of a column. A list is a text of JSON, as SQLite has no arrays."""
    return "TEXT" if isinstance(of, core.ListOf) else TYPES[of]


@dataclass(frozen=True, slots=True)
class Schema:
    """The names of tables and columns, quoted: for SQLite `a` and `A` are the same name, for PARTElang they are not."""

    tables: Mapping[str, str]
    columns: Mapping[tuple[str, str], str]
    """By template and attribute."""
    domains: Mapping[str, str]
    rules: Mapping[str, str]

    @classmethod
    def of(cls, program: core.Program) -> Schema:
        """Return the names for a program."""
        names, columns = Names(), {}
        for template in program.templates:
            own = Names()
            for attribute in template.attributes:
                columns[template.name, attribute.name] = quoted(own.fresh(attribute.name))
        return cls(
            {template.name: quoted(names.fresh(template.name)) for template in program.templates},
            columns,
            {predicate.name: quoted(names.fresh(f"domain${predicate.name}")) for predicate in program.predicates},
            {rule.name: quoted(names.fresh(f"rule${rule.name}")) for rule in program.rules},
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """The meaning of names in a rule: each variable has a quoted alias, and a template."""

    schema: Schema
    domain: Predicates
    aliases: Mapping[str, str]
    templates: Mapping[str, str]
    sets: Mapping[str, str] = field(default_factory=dict)
    """`FROM` and `WHERE` of the events of each set."""

    def timestamp(self, variable: str) -> str:
        """Return the timestamp of a variable."""
        return f"{self.aliases[variable]}.{TIMESTAMP}"

    def _attribute(self, variable: str, attribute: str | None) -> str:
        if attribute is None or attribute == "timestamp":
            return self.timestamp(variable)
        return f"{self.aliases[variable]}.{self.schema.columns[self.templates[variable], attribute]}"

    def value(self, expression: core.Expression | core.TimestampExpression) -> str:
        """Return an expression as SQL."""
        match expression:
            case core.Constant(value=bool(truth)):
                return "TRUE" if truth else "FALSE"
            case core.Constant(value=str(string)):
                return text(string)
            case core.Constant(value=number):
                return repr(number)
            case core.AttributeOf(variable=variable, attribute=attribute):
                return self._attribute(variable, attribute)
            case core.TimestampOf(variable=variable):
                return self.timestamp(variable)
            case core.ToFloat(operand=operand):
                return f"CAST({self.value(operand)} AS REAL)"
            case core.Negation(operand=operand):
                return f"(- {self.value(operand)})"
            case core.Arithmetic(operator=operator, left=left, right=right):
                return f"({self.value(left)} {operator} {self.value(right)})"
            case core.Comparison(operator=operator, left=left, right=right):
                return f"({self.value(left)} {'<>' if operator == '!=' else operator} {self.value(right)})"
            case core.Compound(connective=connective, operands=operands):
                return f"({f' {connective.upper()} '.join(map(self.value, operands))})"
            case core.Not(operand=operand):
                return f"(NOT {self.value(operand)})"
            case core.Presence(operand=operand, present=present):
                demand_exact_presence(operand)
                return f"({self.value(operand)} IS {'NOT ' if present else ''}NULL)"
            case core.TimeConstant(milliseconds=milliseconds):
                return repr(milliseconds)
            case core.PatternTest(function="like", operand=operand, pattern=pattern):
                return like(self.value(operand), pattern)
            case core.Aggregate(variable=variable, attribute=attribute):
                return folded(
                    expression, self._attribute(variable, attribute), self.sets[variable], self.timestamp(variable)
                )
            case core.PredicateCall(predicate=name, arguments=arguments):
                return self._lookup(name, arguments)
            case core.FunctionCall(function=name, arguments=arguments):
                return FUNCTIONS[name]([self.value(argument) for argument in arguments])
            case core.ListExpression(items=items):
                return f"json_array({', '.join(map(self.value, items))})"
            case core.Shift(operand=moved, milliseconds=milliseconds):
                return f"({self.value(moved)} + {milliseconds})"
            case core.Combination(function=name, operands=operands):
                return TIMESTAMP_FUNCTIONS[name]([self.value(operand) for operand in operands])
            case core.ClockReading() | core.PatternTest():
                raise unreached(expression)
            case _:
                assert_never(expression)

    def _lookup(self, predicate: str, arguments: Sequence[core.Expression]) -> str:
        table = self.domain[predicate]
        if not isinstance(table, DomainTable):
            raise Inexpressible(f"predicate {predicate} is a Python callable, which the queries do not call")
        if not arguments:  # the table has no column then
            return "TRUE" if bool(table.rows) is table.member_means else "FALSE"
        within = "IN" if table.member_means else "NOT IN"
        values = [self.value(argument) for argument in arguments]
        row = values[0] if len(values) == 1 else f"({', '.join(values)})"
        looked_up = f"({row} {within} {self.schema.domains[predicate]})"
        if all(map(has_value, arguments)):
            return looked_up
        # A NULL may be in no row for certain, because of another column or as there are none.
        return f"(CASE WHEN {' AND '.join(f'{value} IS NOT NULL' for value in values)} THEN {looked_up} END)"


def _total(arguments: Sequence[str]) -> str:
    return f"({' + '.join(arguments)})"


def _extreme(name: str, arguments: Sequence[str]) -> str:
    # With one argument these functions are aggregates.
    return arguments[0] if len(arguments) == 1 else f"{name}({', '.join(arguments)})"


def _mean(timestamps: Sequence[str]) -> str:
    """Return the mean rounded towards minus infinity; `/` on integers rounds towards zero."""
    total, count = _total(timestamps), len(timestamps)
    return f"(({total} - (({total} % {count}) + {count}) % {count}) / {count})"


def _inexpressible(function: str) -> Inexpressible:
    return Inexpressible(untranslated(function, "the SQL of SQLite", "the queries do not call"))


_LEAST, _GREATEST = partial(_extreme, "min"), partial(_extreme, "max")

FUNCTIONS: Implementations[Callable[[Sequence[str]], str]] = Implementations(
    {
        "min": _LEAST,
        "max": _GREATEST,
        "avg": lambda arguments: f"({_total(arguments)} / {float(len(arguments))!r})",
        "sum": _total,
        "abs": lambda arguments: f"abs({arguments[0]})",
        **STRINGS,
    },
    _inexpressible,
)
TIMESTAMP_FUNCTIONS: Implementations[Callable[[Sequence[str]], str]] = Implementations(
    {"min": _LEAST, "max": _GREATEST, "avg": _mean}, _inexpressible, of_timestamps=True
)
"""The built-in functions, and those by which `at` combines timestamps."""
