"""Terms: SQL with properties of its values, and the operations of PARTElang on them.

"No value" is NULL. Every operation is total, because an engine may evaluate an expression in any order and on rows that
another condition excludes: nothing may raise an error. A Float that leaves the finite numbers stays an infinity or a
NaN, which `+ - *` pass on, and becomes NULL before any other operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from sqlglot import exp

from parte.algebra.partelang.relational.dialects import BINARY, Dialect
from parte.algebra.partelang.relational.errors import Unsupported
from parte.semantics.events.types import Scalar, Type

LARGEST = 50_000
"""The most nodes in the SQL of one expression. Few operations repeat an operand, but nesting multiplies them."""


@dataclass(frozen=True, slots=True)
class Term:
    """An SQL expression. `total`: it is never NULL; `finite`: it is no infinity and no NaN; `size`: its nodes."""

    sql: exp.Expr
    total: bool = True
    finite: bool = True
    size: int = 1


def combined(sql: exp.Expr, *operands: Term, total: bool = True, finite: bool = True, repeated: int = 1) -> Term:
    """Return a term over operands, each of which occurs in it up to `repeated` times; total only if all operands are.

    Raise Unsupported if it has more than `LARGEST` nodes.
    """
    size = 4 + repeated * sum(operand.size for operand in operands)
    if size > LARGEST:
        raise Unsupported("an expression is nested too deeply for SQL; split it over two rules")
    return Term(sql, total and all(operand.total for operand in operands), finite, size)


def operand(term: Term) -> exp.Expr:
    """Return a copy of the SQL of a term, in parentheses if an operator beside it could bind a part of it."""
    return grouped(term.sql)


def grouped(sql: exp.Expr) -> exp.Expr:
    """Return a copy of SQL that may stand beside any operator."""
    loose = isinstance(sql, exp.Binary | exp.Unary | exp.Connector | exp.Exists) and not isinstance(sql, exp.Paren)
    return exp.Paren(this=sql.copy()) if loose else sql.copy()


def every(conditions: Iterable[exp.Expr]) -> exp.Expr:
    """Return the conjunction of conditions; true if there is none."""
    joined: exp.Expr | None = None
    for condition in conditions:
        part = exp.Paren(this=condition) if isinstance(condition, exp.Or) else condition
        joined = part if joined is None else exp.And(this=joined, expression=part)
    return exp.true() if joined is None else joined


def some(conditions: Iterable[exp.Expr]) -> exp.Expr:
    """Return the disjunction of conditions; false if there is none."""
    joined: exp.Expr | None = None
    for condition in conditions:
        joined = condition if joined is None else exp.Or(this=joined, expression=condition)
    return exp.false() if joined is None else joined


def case(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Return the value if the condition holds, else NULL."""
    return exp.Case(ifs=[exp.If(this=condition, true=value)])


def not_null(terms: Iterable[Term]) -> list[exp.Expr]:
    """Return the conditions under which all terms have a value; terms that always have one need none."""
    absent = exp.Null()
    return [exp.Not(this=exp.Is(this=operand(term), expression=absent.copy())) for term in terms if not term.total]


@dataclass(frozen=True, slots=True)
class Operations:
    """The operations of PARTElang, in a dialect (specification: arithmetic, no-value-strict)."""

    dialect: Dialect

    def constant(self, value: int | float | str | bool, of: Scalar) -> Term:
        """Return a literal with its type: engines take an untyped 0.9 for a decimal and 1 for 32 bit."""
        if isinstance(value, bool):
            return Term(exp.true() if value else exp.false())
        match of:
            case Scalar.STRING:
                return Term(self.dialect.text(str(value)))
            case Scalar.FLOAT:
                # As text: the shortest digits that represent exactly this number, read with correct rounding.
                written: exp.Expr = exp.Literal.string(repr(float(value)))
            case Scalar.INTEGER | Scalar.BOOLEAN:
                written = exp.Literal.number(str(value))
            case _:
                assert_never(of)
        return Term(exp.Cast(this=written, to=self.dialect.type(of)))

    def finite(self, term: Term) -> Term:
        """Return the term, NULL where it is not finite."""
        if term.finite:
            return term
        return combined(case(self.dialect.is_finite(term.sql.copy()), term.sql.copy()), term, total=False, repeated=2)

    def to_float(self, term: Term) -> Term:
        """Return the nearest binary64 number."""
        return combined(exp.Cast(this=term.sql.copy(), to=self.dialect.type(Scalar.FLOAT)), term)

    def negated(self, term: Term, of: Scalar) -> Term:
        """Return `-term`."""
        if of is Scalar.FLOAT:
            return combined(exp.Neg(this=operand(term)), term, finite=term.finite)
        zero = self.constant(0, Scalar.INTEGER)
        return combined(self.dialect.exact("-", zero.sql, term.sql.copy()), term, total=False)

    def arithmetic(self, operator: str, left: Term, right: Term, of: Scalar) -> Term:
        """Return `left operator right`."""
        if operator == "/":
            # A finite number divided by an infinite one is finite again, so the divisor is tested first.
            divisor = self.finite(right)
            quotient = self.dialect.divide(operand(left), operand(divisor))
            return combined(quotient, left, divisor, total=False, finite=False)
        if of is Scalar.FLOAT:
            rounded = BINARY[operator](this=operand(left), expression=operand(right))
            return combined(rounded, left, right, finite=False)
        # Functions and casts group their operands.
        return combined(self.dialect.exact(operator, left.sql.copy(), right.sql.copy()), left, right, total=False)

    def compared(self, operator: str, left: Term, right: Term) -> Term:
        """Return `left operator right`, where both are finite: a Boolean."""
        first, second = self.finite(left), self.finite(right)
        return combined(comparison(operator, first, second), first, second)

    def connected(self, connective: str, terms: Sequence[Term]) -> Term:
        """Return the terms joined by `and` or `or`, with which SQL deals as PARTElang does: NULL is no value."""
        joined = (exp.or_ if connective == "or" else exp.and_)(*(operand(term) for term in terms))
        return combined(joined, *terms)

    def opposite(self, term: Term) -> Term:
        """Return `not term`."""
        return combined(exp.Not(this=operand(term)), term)

    def presence(self, term: Term, present: bool) -> Term:
        """Return whether a term has a value, or with `present` False whether it has none; that is never NULL."""
        valued = self.finite(term)
        if valued.total:
            return self.constant(present, Scalar.BOOLEAN)
        absent: exp.Expr = exp.Is(this=operand(valued), expression=exp.Null())
        return replace(combined(exp.Not(this=absent) if present else absent, valued), total=True)

    def extreme(self, best: str, terms: Sequence[Term]) -> Term:
        """Return the least by `<=`, the greatest by `>=`: the first of equals (0.0 and -0.0). LEAST skips NULLs."""
        candidates = [self.finite(term) for term in terms]
        if len(candidates) == 1:
            return candidates[0]
        ifs = []
        # A candidate that is not worse than any later one; each one before it is worse than some later one.
        for position, candidate in enumerate(candidates[:-1]):
            later = [comparison(best, candidate, later_candidate) for later_candidate in candidates[position + 1 :]]
            ifs.append(exp.If(this=every(later), true=candidate.sql.copy()))
        best_term: exp.Expr = exp.Case(ifs=ifs, default=candidates[-1].sql.copy())
        if partial := not_null(candidates):
            best_term = case(every(partial), best_term)
        return combined(best_term, *candidates, repeated=2 + len(candidates))

    def added(self, terms: Sequence[Term], of: Scalar) -> Term:
        """Return `sum`: from left to right, without value if an intermediate sum has none."""
        total, *others = terms
        for summand in others:
            total = self.arithmetic("+", total, summand, of)
        return total

    def averaged(self, terms: Sequence[Term]) -> Term:
        """Return `avg`: the Float sum, divided by the number of terms."""
        count = self.constant(float(len(terms)), Scalar.FLOAT)
        return self.arithmetic("/", self.added(terms, Scalar.FLOAT), count, Scalar.FLOAT)

    def absolute(self, term: Term, of: Scalar) -> Term:
        """Return `abs`."""
        if of is Scalar.FLOAT:
            return combined(exp.Abs(this=term.sql.copy()), term, finite=term.finite)
        return combined(self.dialect.narrow(exp.Abs(this=self._wide(term))), term, total=False)

    def listed(self, terms: Sequence[Term], of: Type) -> Term:
        """Return `list(…)`: without value if an item has none. The cast gives an empty list its type."""
        items = [self.finite(term) for term in terms]
        array: exp.Expr = exp.Array(expressions=[item.sql.copy() for item in items])
        array = exp.Cast(this=array, to=self.dialect.type(of))
        if partial := not_null(items):
            array = case(every(partial), array)
        return combined(array, *items, repeated=2)

    def shifted(self, timestamp: Term, milliseconds: int) -> Term:
        """Return a timestamp plus a duration; without value beyond 64 bit."""
        return self.arithmetic("+", timestamp, self.constant(milliseconds, Scalar.INTEGER), Scalar.INTEGER)

    def mean(self, timestamps: Sequence[Term]) -> Term:
        """Return the exact mean of timestamps, rounded towards minus infinity.

        Engines round quotients towards zero, so each summand is made positive first: (t₁+B + … + tₙ+B) div n - B.
        """
        bias = 2**63
        raised: exp.Expr | None = None
        for timestamp in timestamps:
            part = exp.Paren(this=exp.Add(this=self._wide(timestamp), expression=self._literal(bias)))
            raised = part if raised is None else exp.Add(this=raised, expression=part)
        assert raised is not None
        quotient = self.dialect.quotient(grouped(raised), len(timestamps))
        mean = exp.Sub(this=grouped(quotient), expression=self._literal(bias))
        return combined(self.dialect.narrow(mean), *timestamps)  # a mean lies between its terms, so it always fits

    def _literal(self, wide: int) -> exp.Expr:
        return self.dialect.wide(exp.Literal.number(str(wide)))

    def _wide(self, term: Term) -> exp.Expr:
        return self.dialect.wide(term.sql.copy())


_COMPARISONS = {"=": exp.EQ, "!=": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE}


def comparison(operator: str, left: Term, right: Term) -> exp.Expr:
    """Return the comparison as SQL; both sides are used as they are."""
    return _COMPARISONS[operator](this=operand(left), expression=operand(right))
