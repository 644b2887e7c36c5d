"""Conditions of PARTElang as expressions of durable_rules: `m.k > c.a.k + 1`, where `m` is the fact that is matched.

A condition compares an attribute of that fact with an expression over it and earlier facts, by `+ - * /`. A condition
that exchanging sides does not bring into this form cannot be translated.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from durable.lang import avalue, c, m, value

from parte.conformance.engines.foreign import Inexpressible
from parte.semantics.events.domain import DomainTable, Predicates
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations

Condition = Any
"""A comparison of `m` in `durable.lang`; conditions are joined by `&` and `|`."""

TEMPLATE, IDENTITY, COMPONENT, TIMESTAMP = "template", "id", "component", "timestamp"
"""The own keys of a fact. `id` is durable_rules' own too: no two facts have the same."""

_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_EXCHANGED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def key(name: str) -> str:
    """Return a name of PARTElang as a name of durable_rules, which has names of its own, such as `id`, `s` and
    `define`."""
    return f"{name}_"


_MORE = "a condition with more than + - * /: durable_rules has no functions, lists and Boolean values"


@dataclass(frozen=True, slots=True)
class Matched:
    """The scope of a condition: `m` is the fact of `variable`, and `c.name` is the fact of an earlier variable."""

    variable: str
    domain: Predicates

    def conditions(self, condition: core.Expression, wanted: bool = True) -> list[Condition]:
        """Return the conditions of which all must be true, so that a condition is true, or is false if that is wanted.

        A comparison is not true without a value, as it is in PARTElang, so `not` becomes another comparison.
        Inexpressible if the condition has another form.
        """
        match condition:
            case core.AttributeOf(variable=variable, attribute=attribute) if variable == self.variable:
                return [getattr(m, key(attribute)) == wanted]
            case core.PredicateCall():
                return self._lookup(condition, wanted)
            case core.Comparison(operator=name, left=left, right=right):
                name = name if wanted else _OPPOSITES[name]
                if (own := self._own(left)) is not None:
                    return [_COMPARISONS[name](own, self._value(right))]
                if (own := self._own(right)) is not None:
                    return [_COMPARISONS[_EXCHANGED[name]](own, self._value(left))]
            case core.Not(operand=operand):
                return self.conditions(operand, not wanted)
            case core.Compound(connective=connective, operands=operands):
                parts = [self.conditions(operand, wanted) for operand in operands]
                if (connective == "and") is wanted:
                    return [part for several in parts for part in several]
                if not all(parts):  # one of them is always true
                    return []
                return [reduce(operator.or_, (reduce(operator.and_, several) for several in parts))]
            case core.Presence(operand=core.AttributeOf() as operand, present=present) if operand.optional:
                if (own := self._own(operand)) is not None:
                    return [+own if present is wanted else -own]
        raise Inexpressible("a condition that compares no attribute of the event which it is put on")

    def window(self, constraint: core.Constraint) -> list[Condition]:
        """Return the conditions of a window around another event, or of the window of another event around this one."""
        own = getattr(m, TIMESTAMP)
        if constraint.subject == self.variable:
            partner, lower, upper = constraint.reference, constraint.lower, constraint.upper
        else:
            partner, lower, upper = constraint.subject, -constraint.upper, -constraint.begins
        return [
            own >= getattr(getattr(c, key(partner)), TIMESTAMP) + lower,
            own <= getattr(getattr(c, key(partner)), TIMESTAMP) + upper,
        ]

    def _own(self, side: core.Expression) -> Condition | None:
        """Return the attribute of the fact that a side consists of, or None; Integers and Floats are compared
        unconverted."""
        if isinstance(side, core.ToFloat):
            side = side.operand
        if isinstance(side, core.AttributeOf) and side.variable == self.variable:
            return getattr(m, key(side.attribute))
        if isinstance(side, core.TimestampOf) and side.variable == self.variable:
            return getattr(m, TIMESTAMP)
        return None

    def _value(self, expression: core.Expression) -> Any:
        """Return a value or an expression of durable_rules. Python computes parts without variables."""
        match expression:
            case core.Constant(value=constant) | core.TimeConstant(milliseconds=constant):
                return constant
            case core.AttributeOf(optional=True):
                raise Inexpressible("an optional attribute on the right: durable_rules stops with an error without it")
            case core.AttributeOf(variable=variable, attribute=attribute):
                return getattr(self._fact(variable), key(attribute))
            case core.TimestampOf(variable=variable):
                return getattr(self._fact(variable), TIMESTAMP)
            case core.ToFloat(operand=operand):  # there is no conversion but by arithmetic
                return _combined("*", self._value(operand), 1.0)
            case core.Negation(operand=operand):
                return _combined("*", self._value(operand), -1)
            case core.Arithmetic(operator=name, left=left, right=right):
                return _combined(name, self._value(left), self._value(right))
            case core.FunctionCall(function=name, arguments=arguments):
                return FUNCTIONS[name](self, arguments)
        raise Inexpressible(_MORE)

    def _fact(self, variable: str) -> Any:
        return m if variable == self.variable else getattr(c, key(variable))

    def _sum(self, arguments: tuple[core.Expression, ...]) -> Any:
        return reduce(lambda left, right: _combined("+", left, right), map(self._value, arguments))

    def _mean(self, arguments: tuple[core.Expression, ...]) -> Any:
        return _combined("/", self._sum(arguments), float(len(arguments)))

    def _no_function(self, _: tuple[core.Expression, ...]) -> Any:
        raise Inexpressible(_MORE)

    def _lookup(self, call: core.PredicateCall, wanted: bool) -> list[Condition]:
        """Return the lookup of attributes of the fact in a domain table: its rows are part of the rule."""
        table = self.domain[call.predicate]
        if not isinstance(table, DomainTable):
            raise Inexpressible(f"predicate {call.predicate} is a Python callable, which the rules do not call")
        columns: list[Condition] = [self._own(argument) for argument in call.arguments]
        if not columns or any(column is None for column in columns):
            raise Inexpressible("a domain table that is not asked about attributes of one event alone")
        member = table.member_means is wanted
        rows = []
        for row in sorted(table.rows, key=repr):
            cells = [
                self._own(argument) == cell if member else self._own(argument) != cell
                for argument, cell in zip(call.arguments, row, strict=True)
            ]
            rows.append(reduce(operator.and_ if member else operator.or_, cells))
        if not member:
            sides = zip(call.arguments, columns, strict=True)
            return [*(+column for argument, column in sides if _is_optional(argument)), *rows]
        if not rows:
            raise Inexpressible("an empty domain table: durable_rules has no condition that never holds")
        return [reduce(operator.or_, rows)]


def _is_optional(side: core.Expression) -> bool:
    return any(isinstance(part, core.AttributeOf) and part.optional for part in core.EXPRESSIONS.within(side))


def _combined(name: str, left: Any, right: Any) -> Any:
    """Return an operation. durable_rules needs an attribute on the left, and none of the fact itself on the right."""
    if name in "+*" and (isinstance(right, value) or not isinstance(left, value | avalue)):
        left, right = right, left
    if isinstance(right, value) or (isinstance(right, avalue) and not isinstance(left, value | avalue)):
        raise Inexpressible("an operation with a constant on the left, or on two attributes of the event it is put on")
    try:
        return _ARITHMETIC[name](left, right)
    except ArithmeticError as error:
        raise Inexpressible(f"an operation on constants that Python refuses: {error}") from None


FUNCTIONS: Implementations[Callable[[Matched, tuple[core.Expression, ...]], Any]] = Implementations(
    {
        "min": Matched._no_function,
        "max": Matched._no_function,
        "avg": Matched._mean,
        "sum": Matched._sum,
        "abs": Matched._no_function,
    },
    lambda function: Inexpressible(f"the function {function} in {_MORE}"),
)
"""The built-in functions: two can be written with the operators of durable_rules."""
