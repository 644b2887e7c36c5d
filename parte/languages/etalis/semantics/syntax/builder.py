"""Values of the rules of `grammar.lark` that do not have the name of a node class."""

from __future__ import annotations

import re
from fractions import Fraction

from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.values import FRACTION, Number, truth
from parte.languages.etalis.semantics.syntax.values import number as exact
from parte.semantics.source.building import Builder, Made, report
from parte.semantics.source.spans import Span
from parte.semantics.source.tokens import Token

_ESCAPES = {"n": "\n", "r": "\r"}


def number(span: Span, digits: Token, *rest: Token) -> Made:
    """Return a number, which may be a quotient."""
    value = Fraction(digits)
    if rest and int(rest[1]) == 0:
        report("number-without-value", span, f"{digits}/{rest[1]} is no number", "write the number itself")
    elif rest:
        value /= int(rest[1])
    return Made(exact(value), span)


def calculation(span: Span, left: tree.Term, operator: Token, right: tree.Term) -> tree.Term:
    """Return a calculation; a quotient of whole numbers is a number."""
    quotient = written_quotient(left, right) if operator == "/" else None
    if quotient is not None:
        return tree.Constant(quotient, span=span)
    return tree.Calculation(left, tree.Arithmetic(operator), right, span=span)


def literal(span: Span, *parts: Token) -> tree.Term:
    """Return a number with or without a sign."""
    value = exact(Fraction(parts[-1]))
    return tree.Constant(-value if len(parts) > 1 else value, span=span)


def constant(span: Span, token: Token) -> tree.Term:
    """Return a string, a word or a Boolean."""
    if token.type in ("TRUE", "FALSE"):
        return tree.Constant(truth(token.type == "TRUE"), span=span)
    value = str(token)
    if token.type == "STRING":
        value = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), token[1:-1])
        if FRACTION.fullmatch(value):
            hint = "leave the quotes out, if a number is meant"
            report("fraction-string", span, "this string looks like a number", hint)
    return tree.Constant(value, span=span)


def written_quotient(left: tree.Term, right: tree.Term) -> Number | None:
    """Return the value of a quotient of two whole numbers in the text; None for any other quotient."""
    match left, right:
        case tree.Constant(value=int() as above), tree.Constant(value=int() as below) if below > 0:
            return exact(Fraction(above, below))
    return None


BUILDER = Builder(tree, ("LOWER", "UPPER", "OPERATOR", "RELATION"), number, calculation, literal, constant)
