"""From the rules of `grammar.lark` to the tree. Every method has the values of its grammar rule's children."""

from __future__ import annotations

from contextvars import ContextVar
from typing import cast

from lark import Token, Transformer, v_args

from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.lexis import UNITS
from parte.semantics.events.values import GREATEST_INTEGER, fits_float, fits_integer
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of, span_of, start_of
from parte.semantics.source.spans import Span

REPORTER: ContextVar[Reporter] = ContextVar("reporter")
"""Where the builder reports: the parser and its builder are shared by all texts, the reporter belongs to one."""

_OPERATORS = {operator.value: operator for operator in tree.Operator} | {
    "==": tree.Operator.EQUAL,
    "<>": tree.Operator.NOT_EQUAL,
}
_STRATEGIES = {strategy.value: strategy for strategy in tree.Strategy} | {"NEXT": tree.Strategy.NXT}


def _over(parts: tuple[tree.Node, ...]) -> Span:
    return Span(parts[0].span.start, parts[-1].span.end)


@v_args(inline=True)
class Builder(Transformer[Token, object]):
    """Builds clauses bottom-up while they are parsed."""

    # --- Clauses -----------------------------------------------------------------------------------------------------

    def select_clause(
        self, keyword: Token, strategy: Token | None, chosen: Token | tuple[str, ...]
    ) -> tuple[tree.Strategy, tuple[str, ...] | None]:
        kept = _STRATEGIES[strategy.upper()] if strategy else tree.Strategy.ALL
        if not isinstance(chosen, Token):
            return kept, chosen
        return kept, None if chosen.type == "STAR" else ()

    def names(self, *parts: Token) -> tuple[str, ...]:
        return tuple(str(part) for part in parts)

    def from_clause(self, keyword: Token, streams: tuple[str, ...]) -> tuple[str, ...]:
        return streams

    def where_clause(self, keyword: Token, formula: tree.Formula) -> tree.Formula:
        return formula

    def partition_clause(self, keyword: Token, by: Token, *attributes: tree.Attribute) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in attributes)

    def within_clause(self, keyword: Token, window: tree.Window) -> tree.Window:
        return window

    def event_window(self, amount: Token, unit: Token) -> tree.EventWindow:
        return tree.EventWindow(_length(amount, int(amount), unit), span=span_of(amount, unit))

    def time_window(self, *parts: Token) -> tree.TimeWindow:
        terms = tuple(
            (int(amount), tree.Unit[UNITS[unit.upper()]]) for amount, unit in zip(parts[::2], parts[1::2], strict=True)
        )
        span = span_of(parts[0], parts[-1])
        window = tree.TimeWindow(terms, span=span)
        if _length(parts[0], window.milliseconds, parts[-1]) != window.milliseconds:
            return tree.TimeWindow(((0, tree.Unit.MS),), span=span)
        return window

    def consume_clause(self, keyword: Token, by: Token, where: Token) -> tree.Consumption:
        return tree.Consumption[where.upper()]

    # --- Formulas ----------------------------------------------------------------------------------------------------

    def event_type(self, name: Token) -> tree.Formula:
        return tree.EventType(str(name), span=span_of(name))

    def grouped(self, begin: Token, inner: tree.Node, end: Token) -> tree.Node:
        return inner

    def projected(
        self, keyword: Token, _begin: Token, names: tuple[str, ...] | None, *rest: Token | tree.Formula
    ) -> tree.Formula:
        operand, end = cast(tree.Formula, rest[2]), cast(Token, rest[3])
        return tree.Projection(names or (), operand, span=span_of(keyword, end))

    def iterated(self, operand: tree.Formula, plus: Token) -> tree.Formula:
        span = Span(operand.span.start, end_of(plus))
        return tree.Iteration(operand, plus.type == "CONTIGUOUS_PLUS", span=span)

    def named(self, operand: tree.Formula, keyword: Token, name: Token) -> tree.Formula:
        return tree.Named(operand, str(name), span=Span(operand.span.start, end_of(name)))

    def sequence(self, *parts: tree.Formula | Token) -> tree.Formula:
        return _sequence(parts, contiguous=False)

    def adjacent(self, *parts: tree.Formula | Token) -> tree.Formula:
        return _sequence(parts, contiguous=True)

    def alternatives(self, *parts: tree.Formula | Token) -> tree.Formula:
        found = cast(tuple[tree.Formula, ...], parts[::2])
        return tree.Or(found, span=_over(found))

    def filtered(self, operand: tree.Formula, keyword: Token, condition: tree.Condition) -> tree.Formula:
        return tree.Filtered(operand, condition, span=Span(operand.span.start, condition.span.end))

    # --- Conditions and predicates -----------------------------------------------------------------------------------

    def holds(self, variable: Token, begin: Token, predicate: tree.Predicate, end: Token) -> tree.Condition:
        return tree.Holds(str(variable), predicate, span=span_of(variable, end))

    def link(self, *parts: Token | tree.Attribute) -> tree.Condition:
        left, _, left_attribute, _, operator, right, _, right_attribute, end = parts
        assert isinstance(left, Token)
        assert isinstance(operator, Token)
        assert isinstance(end, Token)
        return tree.Link(
            str(left),
            cast(tree.Attribute, left_attribute).name,
            _OPERATORS[operator],
            str(right),
            cast(tree.Attribute, right_attribute).name,
            span=span_of(left, end),
        )

    def both(self, *parts: tree.Condition | Token) -> tree.Condition:
        found = cast(tuple[tree.Condition, ...], parts[::2])
        return tree.Both(found, span=_over(found))

    def either(self, *parts: tree.Condition | Token) -> tree.Condition:
        found = cast(tuple[tree.Condition, ...], parts[::2])
        return tree.Either(found, span=_over(found)) if len(found) > 1 else found[0]

    def every(self, *parts: tree.Predicate | Token) -> tree.Predicate:
        found = cast(tuple[tree.Predicate, ...], parts[::2])
        return tree.Every(found, span=_over(found))

    def some(self, *parts: tree.Predicate | Token) -> tree.Predicate:
        found = cast(tuple[tree.Predicate, ...], parts[::2])
        return tree.Some(found, span=_over(found)) if len(found) > 1 else found[0]

    def negation(self, keyword: Token, operand: tree.Predicate) -> tree.Predicate:
        return tree.Not(operand, span=Span(start_of(keyword), operand.span.end))

    def comparison(self, left: tree.Operand, operator: Token, right: tree.Operand) -> tree.Predicate:
        return tree.Comparison(left, _OPERATORS[operator], right, span=Span(left.span.start, right.span.end))

    def attribute(self, name: Token) -> tree.Attribute:
        return tree.Attribute(str(name), span=span_of(name))

    def bracketed(self, begin: Token, name: Token, end: Token) -> tree.Attribute:
        return tree.Attribute(str(name), span=span_of(begin, end))

    def number(self, minus: Token | None, digits: Token) -> tree.Operand:
        span = span_of(minus or digits, digits)
        sign = -1 if minus else 1
        if digits.type == "INTEGER":
            integer = sign * int(digits)
            if not fits_integer(integer):
                message = f"{integer} does not fit 64 bit"
                _report("integer-out-of-range", span, message, f"write `{integer}.0`, if the nearest number will do")
                integer = 0
            return tree.Literal(integer, span=span)
        value = sign * float(digits)
        if not fits_float(value):
            message = f"{digits} is beyond the finite numbers"
            _report("float-out-of-range", span, message, "the greatest is about 1.8e308")
            value = 0.0
        return tree.Literal(value, span=span)

    def string(self, token: Token) -> tree.Operand:
        return tree.Literal(token[1:-1].replace("''", "'"), span=span_of(token))

    def boolean(self, token: Token) -> tree.Operand:
        return tree.Literal(token.type == "TRUE", span=span_of(token))


def _sequence(parts: tuple[tree.Formula | Token, ...], *, contiguous: bool) -> tree.Formula:
    found = cast(tuple[tree.Formula, ...], parts[::2])
    return tree.Sequence(found, contiguous, span=_over(found))


def _length(first: Token, length: int, last: Token) -> int:
    """The length of a window, or none if it is out of range."""
    if length <= GREATEST_INTEGER:
        return length
    message = "the length of this window does not fit 64 bit"
    _report("window-out-of-range", span_of(first, last), message, "choose a shorter one, or leave WITHIN out")
    return 0


def _report(code: str, span: Span, message: str, hint: str) -> None:
    REPORTER.get().report(code, span, message, hint)
