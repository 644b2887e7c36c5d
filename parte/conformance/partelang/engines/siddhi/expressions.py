"""Expressions of PARTElang in SiddhiQL, with the operators of Siddhi, whose meaning is not adjusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import assert_never

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.adapters import unreached
from parte.conformance.partelang.engines.two_truths import holding, presences, with_two_truths
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations, untranslated

NUMBER, TIMESTAMP = "n", "t"
"""The own attributes of an event: its number, and its timestamp in ms. Those of templates have a prefix."""

TYPES: Mapping[Scalar, str] = {
    Scalar.INTEGER: "long",
    Scalar.FLOAT: "double",
    Scalar.STRING: "string",
    Scalar.BOOLEAN: "bool",
}

MOST_ROWS = 200
"""The rows of a domain table that a query may contain, as conditions."""

Columns = Callable[[str, str], str]
"""A function from a variable and an own attribute, or a prefixed one of a template, to its name in a query."""


def attribute_name(name: str) -> str:
    """Return the name of an attribute of a template, which is no word of SiddhiQL, and none of the own attributes."""
    return f"a_{name}"


def literal(value: int | float | str | bool) -> str:
    """Return a value with its type. Inexpressible for a text that no literal can contain: SiddhiQL has no escapes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value}L"
    if isinstance(value, float):
        return f"{value!r}D"
    if "${" in value:
        raise Inexpressible("a text with `${`: in a query Siddhi puts a variable of the environment in its place")
    if not set(value) & {"'", '"'} and value.isprintable():
        return f"'{value}'"
    if '"""' not in value and not value.endswith('"'):
        return f'"""{value}"""'
    raise Inexpressible("a text with three quotation marks, or one at its end: SiddhiQL has no escapes")


class Expressions:
    """The expressions of a program, with the domain tables that they use."""

    def __init__(self, domain: Predicates, columns: Columns) -> None:
        self._domain = domain
        self._columns = columns

    def value(self, expression: core.Expression | core.TimestampExpression) -> str:
        """Return an expression as SiddhiQL."""
        match expression:
            case core.Constant(value=value):
                return literal(value)
            case core.AttributeOf(type=core.ListOf()):
                raise Inexpressible("a list: SiddhiQL has no value of several parts")
            case core.AttributeOf(variable=variable, attribute=attribute):
                return self._columns(variable, attribute_name(attribute))
            case core.TimestampOf(variable=variable):
                return self._columns(variable, TIMESTAMP)
            case core.ToFloat(operand=operand):
                return f"convert({self.value(operand)}, 'double')"
            case core.Negation(operand=operand):
                zero = literal(0 if core.type_of(operand) is Scalar.INTEGER else -0.0)
                return f"({zero} - {self.value(operand)})"
            case core.Arithmetic(operator=operator, left=left, right=right):
                return f"({self.value(left)} {operator} {self.value(right)})"
            case core.Comparison():
                return self._compared(expression)
            case core.Compound(connective=connective, operands=operands):
                return f"({f' {connective} '.join(map(self.value, operands))})"
            case core.Not(operand=operand):
                return f"(not {self.value(operand)})"
            case core.Presence(operand=operand):
                return f"(not ({self.value(operand)} is null))"
            case core.TimeConstant(milliseconds=milliseconds):
                return literal(milliseconds)
            case core.PredicateCall():
                return self._lookup(expression)
            case core.FunctionCall(function=name, arguments=arguments):
                return FUNCTIONS[name]([self.value(argument) for argument in arguments], core.type_of(arguments[0]))
            case core.ListExpression():
                raise Inexpressible("a list: SiddhiQL has no value of several parts")
            case core.Shift(operand=moved, milliseconds=milliseconds):
                return f"({self.value(moved)} + {literal(milliseconds)})"
            case core.Combination(function=name, operands=operands):
                return TIMESTAMP_FUNCTIONS[name]([self.value(operand) for operand in operands])
            case core.ClockReading() | core.Aggregate() | core.PatternTest():
                raise unreached(expression)
            case _:
                assert_never(expression)

    def holds(self, condition: core.Expression) -> str:
        """Return a condition as a filter, which has two truths."""
        return self.value(holding(condition))

    def emitted(self, value: core.Expression) -> str:
        """Return the value of an attribute. Inexpressible for one that is null only if SiddhiQL makes it so."""
        if any(core.type_of(part) is Scalar.BOOLEAN or isinstance(part, core.FunctionCall) for part in _parts(value)):
            raise Inexpressible("a condition or a function of what may be missing, in an emission")
        return self.value(with_two_truths(value))

    def _compared(self, comparison: core.Comparison) -> str:
        operator = {"=": "=="}.get(comparison.operator, comparison.operator)
        of = core.type_of(comparison.left)
        if operator not in ("==", "!=") and of in (Scalar.STRING, Scalar.BOOLEAN):
            raise Inexpressible("an order of texts or truth values: SiddhiQL compares them for equality only")
        return f"({self.value(comparison.left)} {operator} {self.value(comparison.right)})"

    def _lookup(self, call: core.PredicateCall) -> str:
        table = self._domain[call.predicate]
        if not isinstance(table, DomainTable):
            raise Inexpressible(f"predicate {call.predicate} is a Python callable, which the queries do not call")
        if len(table.rows) > MOST_ROWS:
            raise Inexpressible(f"a domain table of over {MOST_ROWS} rows: they stand in the query")
        arguments = [self.value(argument) for argument in call.arguments]
        rows = []
        for row in sorted(table.rows, key=repr):
            equal = [f"{own} == {literal(cell)}" for own, cell in zip(arguments, row, strict=True)]
            rows.append(f"({' and '.join(equal) or 'true'})")
        member = f"({' or '.join(rows) or 'false'})"
        return member if table.member_means else f"(not {member})"


def _parts(value: core.Expression) -> Iterator[core.Expression]:
    """Yield the parts that may have no value since an event lacks an attribute, but not the attributes."""
    for part in core.EXPRESSIONS.within(value):
        if not isinstance(part, core.AttributeOf) and presences(part):
            yield part


def _total(values: list[str]) -> str:
    return f"({' + '.join(values)})"


def _least(values: list[str]) -> str:
    return f"minimum({', '.join(values)})"


def _greatest(values: list[str]) -> str:
    return f"maximum({', '.join(values)})"


def _absolute(values: list[str], of: core.Type) -> str:
    zero = literal(0 if of is Scalar.INTEGER else 0.0)
    return f"ifThenElse({values[0]} < {zero}, {zero} - {values[0]}, {values[0]})"


def _mean(timestamps: list[str]) -> str:
    """Return the mean rounded towards minus infinity; `/` on integers rounds towards zero."""
    total, count = _total(timestamps), literal(len(timestamps))
    return f"(({total} - ((({total} % {count}) + {count}) % {count})) / {count})"


def _inexpressible(function: str) -> Inexpressible:
    return Inexpressible(untranslated(function, "SiddhiQL", "the queries do not call"))


FUNCTIONS: Implementations[Callable[[list[str], core.Type], str]] = Implementations(
    {
        "min": lambda values, _: _least(values),
        "max": lambda values, _: _greatest(values),
        "avg": lambda values, _: f"({_total(values)} / {literal(float(len(values)))})",
        "sum": lambda values, _: _total(values),
        "abs": _absolute,
    },
    _inexpressible,
)
TIMESTAMP_FUNCTIONS: Implementations[Callable[[list[str]], str]] = Implementations(
    {"min": _least, "max": _greatest, "avg": _mean}, _inexpressible, of_timestamps=True
)
"""The built-in functions, whose arguments have a type, and those by which `at` combines timestamps."""
