"""The functions on Strings as SQL (specification: function-strings, function-like). All are total but `concat`."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from functools import partial

from sqlglot import exp

from parte.algebra.partelang.relational.dialects import Dialect
from parte.algebra.partelang.relational.terms import Term, combined, operand
from parte.semantics.partelang.syntax.functions import LONGEST_STRING
from parte.semantics.source.wildcards import ONE, segments

_ESCAPE = "!"
"""No backslash: settings of Spark decide whether it is an escape in a literal."""


def test(name: type[exp.Expr], terms: Sequence[Term]) -> Term:
    """Return a test of a String by another one."""
    text, part = terms
    return combined(name(this=text.sql.copy(), expression=part.sql.copy()), text, part)


def length(terms: Sequence[Term]) -> Term:
    """Return the number of code points."""
    (text,) = terms
    return combined(exp.Length(this=text.sql.copy()), text)


def in_case(source: str, target: str, terms: Sequence[Term]) -> Term:
    """Return a String in which the letters of `source` are replaced by those of `target`."""
    (text,) = terms
    letters = [exp.Literal.string(source), exp.Literal.string(target)]
    return combined(exp.Anonymous(this="TRANSLATE", expressions=[text.sql.copy(), *letters]), text)


lower: Callable[[Sequence[Term]], Term] = partial(in_case, string.ascii_uppercase, string.ascii_lowercase)
upper: Callable[[Sequence[Term]], Term] = partial(in_case, string.ascii_lowercase, string.ascii_uppercase)


def concatenated(terms: Sequence[Term]) -> Term:
    """Return all of the Strings, one after the other; no value if that is too long."""
    joined = _joined([operand(term) for term in terms])
    fits = exp.LTE(this=exp.Length(this=joined.copy()), expression=exp.Literal.number(str(LONGEST_STRING)))
    whole = exp.Case(ifs=[exp.If(this=fits, true=joined)])
    return combined(whole, *terms, total=False, repeated=2)


def _joined(parts: Sequence[exp.Expr]) -> exp.Expr:
    """Return Strings joined in pairs: engines limit the depth of an expression."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, right = _joined(parts[:middle]), _joined(parts[middle:])
    sides = [exp.Paren(this=side) if isinstance(side, exp.DPipe) else side for side in (left, right)]
    return exp.DPipe(this=sides[0], expression=sides[1], safe=False)


def like(dialect: Dialect, text: Term, pattern: str) -> Term:
    """Return the test of a String by a pattern."""
    parts = ["".join("_" if item is ONE else _escaped(item) for item in segment) for segment in segments(pattern)]
    matched = exp.Like(this=operand(text), expression=dialect.text("%".join(parts)))
    return combined(exp.Escape(this=matched, expression=exp.Literal.string(_ESCAPE)), text)


def _escaped(character: str) -> str:
    return f"{_ESCAPE}{character}" if character in ("%", "_", _ESCAPE) else character
