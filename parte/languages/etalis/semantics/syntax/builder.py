"""From the rules of `grammar.lark` to the tree. Every method has the values of its grammar rule's children."""

from __future__ import annotations

import re
from contextvars import ContextVar
from fractions import Fraction
from typing import cast

from lark import Token, Transformer, v_args

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import FRACTION, Number, number, truth
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.scanner import end_of, span_of
from parte.semantics.source.spans import Span

REPORTER: ContextVar[Reporter] = ContextVar("reporter")
"""Where the builder reports: the parser and its builder are shared by all texts, the reporter belongs to one."""

_ESCAPES = {"n": "\n", "r": "\r"}


@v_args(inline=True)
class Builder(Transformer[Token, object]):
    """Builds rules bottom-up while they are parsed."""

    # --- Patterns ----------------------------------------------------------------------------------------------------

    def rule(self, head: tree.EventPattern, arrow: Token, body: tree.Pattern, stop: Token) -> tree.Rule:
        return tree.Rule(head, body, span=Span(head.span.start, end_of(stop)))

    def joined(self, left: tree.Pattern, operator: Token, right: tree.Pattern) -> tree.Pattern:
        return tree.Joined(left, tree.Operator(operator.upper()), right, span=_over(left, right))

    def where(self, operand: tree.Pattern, keyword: Token, condition: tree.Term) -> tree.Pattern:
        return tree.Where(operand, condition, span=_over(operand, condition))

    def grouped(self, begin: Token, inner: tree.Node, end: Token) -> tree.Node:
        return inner

    def lasting(self, begin: Token, operand: tree.Pattern, end: Token, dot: Token, length: tree.Moment) -> tree.Pattern:
        return tree.Lasting(operand, length.time, span=Span(span_of(begin).start, length.span.end))

    def negation(self, keyword: Token, *parts: Token | tree.Pattern | None) -> tree.Pattern:
        absent, first, last = (part for part in parts if part is not None and not isinstance(part, Token))
        return tree.Negation(absent, first, last, span=span_of(keyword, cast(Token, parts[-1])))

    def moment(self, found: tree.Moment) -> tree.Pattern:
        return found

    def number(self, digits: Token, over: Token | None = None, divisor: Token | None = None) -> tree.Moment:
        last = divisor or digits
        value = Fraction(digits)
        if divisor is not None and int(divisor) == 0:
            hint = "write the number itself"
            _report("number-without-value", span_of(digits, last), f"{digits}/{divisor} is no number", hint)
        elif divisor is not None:
            value /= int(divisor)
        return tree.Moment(number(value), span=span_of(digits, last))

    def event(self, name: Token, *rest: Token | tree.Term | None) -> tree.EventPattern:
        arguments = tuple(part for part in rest if part is not None and not isinstance(part, Token))
        last = next((part for part in reversed(rest) if isinstance(part, Token)), name)
        return tree.EventPattern(str(name), arguments, span=span_of(name, last))

    # --- Terms -------------------------------------------------------------------------------------------------------

    def comparison(self, left: tree.Term, relation: Token, right: tree.Term) -> tree.Term:
        return tree.Comparison(left, tree.Relation(relation), right, span=_over(left, right))

    def calculation(self, left: tree.Term, operator: Token, right: tree.Term) -> tree.Term:
        span = _over(left, right)
        quotient = written_quotient(left, right) if operator == "/" else None
        if quotient is not None:
            return tree.Constant(quotient, span=span)
        return tree.Calculation(left, tree.Arithmetic(operator), right, span=span)

    def variable(self, name: Token) -> tree.Term:
        return tree.Variable(str(name), span=span_of(name))

    def literal(self, minus: Token | None, digits: Token) -> tree.Term:
        value = number(Fraction(digits))
        return tree.Constant(-value if minus else value, span=span_of(minus or digits, digits))

    def constant(self, token: Token) -> tree.Term:
        span = span_of(token)
        if token.type in ("TRUE", "FALSE"):
            return tree.Constant(truth(token.type == "TRUE"), span=span)
        value = str(token)
        if token.type == "STRING":
            value = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), token[1:-1])
            if FRACTION.fullmatch(value):
                hint = "leave the quotes out, if a number is meant"
                _report("fraction-string", span, "this string looks like a number", hint)
        return tree.Constant(value, span=span)


def written_quotient(left: tree.Term, right: tree.Term) -> Number | None:
    """The number that a quotient of two whole numbers is, which are written; None for any other quotient."""
    match left, right:
        case tree.Constant(value=int() as above), tree.Constant(value=int() as below) if below > 0:
            return number(Fraction(above, below))
    return None


def _over(first: tree.Node, last: tree.Node) -> Span:
    return Span(first.span.start, last.span.end)


def _report(code: str, span: Span, message: str, hint: str) -> None:
    REPORTER.get().report(code, span, message, hint)
