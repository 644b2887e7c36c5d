"""The rules of CPC for arithmetic: exact, on Python's integers and fractions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce

from parte.proofs.certificates.rules import Unfounded, bounded, counted, parts, require, rule, sides
from parte.proofs.certificates.terms import Sort, Term, apply, equation, number

_REVERSED = {"<": ">", "<=": ">=", "=": "=", ">": "<", ">=": "<="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _constant(term: Term) -> int | Fraction:
    if isinstance(term.head, str):
        raise Unfounded(f"expected a number, found {term}")
    return term.head


def _comparison(term: Term, *heads: str) -> tuple[str, Term, Term]:
    left, right = parts(term, *(heads or _REVERSED))
    require(left.sort in (Sort.INT, Sort.REAL), "a comparison of numbers, found {}", term)
    return str(term.head), left, right


# --- Sums -------------------------------------------------------------------------------------------------------------

Sum = Mapping[tuple[Term, ...], Fraction]
"""Products of terms, sorted, and their coefficients in the sum, none of them 0."""

MAX_SUMMANDS = 1000
MAX_DEGREE = 1000
MAX_PRODUCTS = 10_000
"""Maximum number of products of summands in one multiplication: with shared subterms it doubles with each line."""


def polynomial(term: Term) -> Sum:
    """Return a term as a sum of products; non-arithmetic subterms are factors. Raise Unfounded beyond the limits."""
    return _polynomial(term, {})


def _polynomial(term: Term, known: dict[Term, Sum]) -> Sum:
    if term not in known:
        known[term] = _summed(term, known)
    return known[term]


def _summed(term: Term, known: dict[Term, Sum]) -> Sum:
    if not isinstance(term.head, str):
        return _added([(Fraction(term.head), {(): Fraction(1)})])
    if term.head not in ("+", "-", "*", "to_real"):
        return {(term,): Fraction(1)}
    operands = [_polynomial(argument, known) for argument in term.arguments]
    if term.head == "*":
        return reduce(_multiplied, operands)
    signs = [1] * len(operands)
    if term.head == "-":
        signs[-1] = -1
    return _added([(Fraction(sign), operand) for sign, operand in zip(signs, operands, strict=True)])


def _added(summands: Iterable[tuple[Fraction, Sum]]) -> Sum:
    total: dict[tuple[Term, ...], Fraction] = {}
    for factor, summand in summands:
        for product, coefficient in summand.items():
            total[product] = Fraction(bounded(total.get(product, Fraction(0)) + factor * coefficient))
    require(len(total) <= MAX_SUMMANDS, f"at most {MAX_SUMMANDS} summands")
    return {product: coefficient for product, coefficient in total.items() if coefficient}


def _multiplied(left: Sum, right: Sum) -> Sum:
    require(len(left) * len(right) <= MAX_PRODUCTS, f"at most {MAX_PRODUCTS} products of summands")
    degree = max(map(len, left), default=0) + max(map(len, right), default=0)
    require(degree <= MAX_DEGREE, f"at most {MAX_DEGREE} factors")
    return _added(
        (coefficient, {tuple(sorted((*left_product, *right_product), key=id)): factor})
        for left_product, coefficient in left.items()
        for right_product, factor in right.items()
    )


@rule("arith_poly_norm", arguments=1)
def _arith_poly_norm(equal: Term) -> Term:
    _, left, right = _comparison(equal, "=")
    require(polynomial(left) == polynomial(right), "the same sum on both sides, found {}", equal)
    return equal


@rule("arith_poly_norm_rel", premises=1, arguments=1)
def _arith_poly_norm_rel(multiples: Term, equal: Term) -> Term:
    """Comparisons whose differences are multiples of each other: (= (* c (- a b)) (* d (- e f)))."""
    factors, heads = [], set()
    for comparison, multiple in zip(sides(equal), sides(multiples), strict=True):
        head, left, right = _comparison(comparison)
        factor, difference = counted(parts(multiple, "*"), 2, "factor")
        require(
            polynomial(difference) == polynomial(apply("-", left, right)),
            "a multiple of the difference in {}",
            comparison,
        )
        factors.append(_constant(factor))
        heads.add(head)
    product = factors[0] * factors[1]
    require(
        len(heads) == 1 and (product > 0 or (product < 0 and heads == {"="})), "one comparison twice, found {}", equal
    )
    return equal


@rule("arith_sum_ub", premises=None)
def _arith_sum_ub(premises: Sequence[Term]) -> Term:
    comparisons = [_comparison(premise, "<", "<=", "=") for premise in premises]
    head = "<" if any(head == "<" for head, _, _ in comparisons) else "<="
    left = apply("+", *(left for _, left, _ in comparisons))
    return apply(head, left, apply("+", *(right for _, _, right in comparisons)))


def _scaled(sign: str, factor: Term, comparison: Term) -> Term:
    head, left, right = _comparison(comparison)
    scaled = apply(_REVERSED[head] if sign == "<" else head, apply("*", factor, left), apply("*", factor, right))
    return apply("=>", apply("and", apply(sign, factor, number(0, factor.sort)), comparison), scaled)


@rule("arith_mult_pos", arguments=2)
def _arith_mult_pos(factor: Term, comparison: Term) -> Term:
    return _scaled(">", factor, comparison)


@rule("arith_mult_neg", arguments=2)
def _arith_mult_neg(factor: Term, comparison: Term) -> Term:
    return _scaled("<", factor, comparison)


@rule("arith_trichotomy", premises=2)
def _arith_trichotomy(left: Term, right: Term) -> Term:
    """One of <, = and > holds, and the premises exclude two of them."""
    (head, *terms), (second, *same) = _denied(left), _denied(right)
    remaining = {"<", "=", ">"} - {head, second}
    require(terms == same and len(remaining) == 1, f"two of <, = and > denied, found {left} and {right}")
    return apply(remaining.pop(), *_denied(left)[1:])


def _denied(premise: Term) -> tuple[str, Term, Term]:
    if premise.head == "not":
        return _comparison(premise.arguments[0])
    head, left, right = _comparison(premise, *_NEGATED)
    return _NEGATED[head], left, right


# --- Integers ---------------------------------------------------------------------------------------------------------


def _tightened(premise: Term, head: str, tight: str, distance: int) -> Term:
    _, left, right = _comparison(premise, head)
    require(left.sort is Sort.INT, f"an integer, found {left}")
    return apply(tight, left, number(_constant(right) + distance, Sort.INT))


@rule("int_tight_ub", premises=1)
def _int_tight_ub(premise: Term) -> Term:
    return _tightened(premise, "<", "<=", -1)


@rule("int_tight_lb", premises=1)
def _int_tight_lb(premise: Term) -> Term:
    return _tightened(premise, ">", ">=", 1)


@rule("arith_reduction", arguments=1)
def _arith_reduction(quotient: Term) -> Term:
    """Return the definition of a quotient."""
    dividend, divisor = parts(quotient, "div", "div_total")
    zero = number(0, Sort.INT)
    if quotient.head == "div":
        undefined = apply("@int_div_by_zero", dividend)
        total = apply("div_total", dividend, divisor)
        return equation(quotient, apply("ite", equation(divisor, zero), undefined, total))
    name = apply("@purify", quotient)
    least = apply("<=", apply("*", divisor, name), dividend)
    between = {
        sign: apply("and", least, apply("<", dividend, apply("*", divisor, apply("+", name, number(step, Sort.INT)))))
        for sign, step in ((">", 1), ("<", -1))
    }
    if isinstance(divisor.head, str):
        cases = [apply("=>", apply(sign, divisor, zero), case) for sign, case in between.items()]
        return apply("and", equation(quotient, name), apply("and", *cases))
    require(divisor.head != 0, "a divisor other than 0")
    return apply("and", equation(quotient, name), between[">" if divisor.head > 0 else "<"])
