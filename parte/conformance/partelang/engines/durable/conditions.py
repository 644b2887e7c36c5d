"""Conditions of PARTElang as expressions of durable_rules: `m.k > c.a.k + 1`, where `m` is the fact that is matched.

A condition compares an attribute of that fact with an expression over it and those before it, by `+ - * /`. What cannot
be brought into this form by exchanging sides cannot be asked.
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
"""What `durable.lang` makes of a comparison of `m`; conditions are joined by `&` and `|`."""

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
_EXCHANGED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def key(name: str) -> str:
    """A name of PARTElang as a name of durable_rules, which has names of its own, such as `id`, `s` and `define`."""
    return f"{name}_"


_MORE = "a condition with more than + - * /: durable_rules has no functions, lists and Boolean values"


@dataclass(frozen=True, slots=True)
class Matched:
    """The variable whose fact is matched, `m`; others are those before it, `c.name`."""

    variable: str
    domain: Predicates

    def conditions(self, condition: core.Expression) -> list[Condition]:
        """Conditions that are to hold together. Inexpressible if it has another form."""
        match condition:
            case core.AttributeOf(variable=variable, attribute=attribute) if variable == self.variable:
                return [getattr(m, key(attribute)) == True]  # noqa: E712 - an expression is made
            case core.PredicateCall():
                return self._asked(condition)
            case core.Comparison(operator=name, left=left, right=right):
                if (own := self._own(left)) is not None:
                    return [_COMPARISONS[name](own, self._value(right))]
                if (own := self._own(right)) is not None:
                    return [_COMPARISONS[_EXCHANGED[name]](own, self._value(left))]
        raise Inexpressible("a condition that compares no attribute of the event which it is put on")

    def window(self, constraint: core.Constraint) -> list[Condition]:
        """A window around another event, or the window of another around this one."""
        own = getattr(m, TIMESTAMP)
        if constraint.subject == self.variable:
            other, lower, upper = constraint.reference, constraint.lower, constraint.upper
        else:
            other, lower, upper = constraint.subject, -constraint.upper, -constraint.lower
        return [
            own >= getattr(getattr(c, key(other)), TIMESTAMP) + lower,
            own <= getattr(getattr(c, key(other)), TIMESTAMP) + upper,
        ]

    def _own(self, side: core.Expression) -> Condition | None:
        """The attribute of the fact that a side is, if it is one; numbers of both kinds are compared as they are."""
        if isinstance(side, core.ToFloat):
            side = side.operand
        if isinstance(side, core.AttributeOf) and side.variable == self.variable:
            return getattr(m, key(side.attribute))
        return None

    def _value(self, expression: core.Expression) -> Any:
        """A value or an expression of durable_rules. What has no variable in it, Python computes."""
        match expression:
            case core.Constant(value=given):
                return given
            case core.AttributeOf(variable=variable, attribute=attribute):
                return getattr(m if variable == self.variable else getattr(c, key(variable)), key(attribute))
            case core.ToFloat(operand=operand):  # there is no conversion but by arithmetic
                return _combined("*", self._value(operand), 1.0)
            case core.Negation(operand=operand):
                return _combined("*", self._value(operand), -1)
            case core.Arithmetic(operator=name, left=left, right=right):
                return _combined(name, self._value(left), self._value(right))
            case core.FunctionCall(function=name, arguments=arguments):
                return FUNCTIONS[name](self, arguments)
        raise Inexpressible(_MORE)

    def _sum(self, arguments: tuple[core.Expression, ...]) -> Any:
        return reduce(lambda left, right: _combined("+", left, right), map(self._value, arguments))

    def _mean(self, arguments: tuple[core.Expression, ...]) -> Any:
        return _combined("/", self._sum(arguments), float(len(arguments)))

    def _no_function(self, _: tuple[core.Expression, ...]) -> Any:
        raise Inexpressible(_MORE)

    def _asked(self, call: core.PredicateCall) -> list[Condition]:
        """A domain table about attributes of the fact: its rows stand in the rule."""
        given = self.domain[call.predicate]
        if not isinstance(given, DomainTable):
            raise Inexpressible(f"predicate {call.predicate} is a Python callable, which the rules do not call")
        columns = [self._own(argument) for argument in call.arguments]
        if not columns or any(column is None for column in columns):
            raise Inexpressible("a domain table that is not asked about attributes of one event alone")
        rows = []
        for row in sorted(given.rows, key=repr):
            cells = [
                self._own(argument) == cell if given.member_means else self._own(argument) != cell
                for argument, cell in zip(call.arguments, row, strict=True)
            ]
            rows.append(reduce(operator.and_ if given.member_means else operator.or_, cells))
        if not given.member_means:
            return rows
        if not rows:
            raise Inexpressible("an empty domain table: durable_rules has no condition that never holds")
        return [reduce(operator.or_, rows)]


def _combined(name: str, left: Any, right: Any) -> Any:
    """An operation. durable_rules wants an attribute on the left, and none of the fact itself on the right."""
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
