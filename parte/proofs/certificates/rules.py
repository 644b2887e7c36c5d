"""The rules of CPC for clauses, connectives, equations and values: they compute the conclusion from the premises.

A clause is a disjunction, or a literal on its own, or `false`. Conclusions have exactly the form that CPC prescribes,
because later steps build on them. Rules that a single pattern states are in `forms.toml`, those about numbers in
`arithmetic.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import reduce
from math import floor

from parte.proofs.certificates.terms import FALSE, TRUE, Sort, Term, apply, equation, negation, number

Rule = Callable[[Sequence[Term], Sequence[Term]], Term]
"""Returns the conclusion from premises for arguments. Raises Unfounded or IllFormed if there is none."""

RULES: dict[str, Rule] = {}
"""The functions that check rules, by the rule's name in CPC."""


_Function = Callable[..., Term]


class Unfounded(ValueError):
    """A step that does not follow, with the reason."""


def require(condition: bool, expected: str, *values: object) -> None:
    """Raise Unfounded unless the condition holds. `expected` has a pair of braces for each of the `values`."""
    if not condition:
        raise Unfounded(f"expected {expected.format(*values) if values else expected}")


def counted(terms: Sequence[Term], count: int, what: str) -> Sequence[Term]:
    """Return the terms; raise Unfounded unless there are `count`."""
    require(len(terms) == count, f"{count} {what}s, found {len(terms)}")
    return terms


def rule(name: str, *, premises: int | None = 0, arguments: int = 0) -> Callable[[_Function], _Function]:
    """Register a rule by its name. Its function gets the number of premises (None: any, as one list) and arguments."""

    def register(function: _Function) -> _Function:
        def applied(premise_terms: Sequence[Term], argument_terms: Sequence[Term]) -> Term:
            listed = [premise_terms] if premises is None else counted(premise_terms, premises, "premise")
            return function(*listed, *counted(argument_terms, arguments, "argument"))

        RULES[name] = applied
        return function

    return register


def parts(term: Term, *heads: str) -> tuple[Term, ...]:
    """Return the arguments of a term with one of these operators."""
    require(bool(term.arguments) and term.head in heads, "an application of {}, found {}", " or ".join(heads), term)
    return term.arguments


def sides(term: Term) -> tuple[Term, Term]:
    """Return both sides of an equation."""
    left, right = parts(term, "=")
    return left, right


def _element(term: Term, head: str, index: Term) -> Term:
    elements, position = parts(term, head), index.head
    if not isinstance(position, int) or not 0 <= position < len(elements):
        raise Unfounded(f"expected a position in {term}, found {index}")
    return elements[position]


# --- Clauses ----------------------------------------------------------------------------------------------------------


def _literals(clause: Term, pivot: Term | None = None) -> list[Term]:
    """Return the literals of a clause; a disjunction that is the pivot itself is one literal."""
    if clause is FALSE:
        return []
    return list(clause.arguments) if clause.head == "or" and clause is not pivot else [clause]


def _clause(literals: Sequence[Term]) -> Term:
    if len(literals) < 2:
        return literals[0] if literals else FALSE
    return apply("or", *literals)


def _without(literals: Iterable[Term], unwanted: Term) -> list[Term]:
    return [literal for literal in literals if literal is not unwanted]


def _pivots(polarity: Term, pivot: Term) -> tuple[Term, Term]:
    """Return the literal that is resolved in the first clause, and the one in the second."""
    require(polarity in (TRUE, FALSE), "true or false, found {}", polarity)
    return (pivot, negation(pivot)) if polarity is TRUE else (negation(pivot), pivot)


@rule("resolution", premises=2, arguments=2)
def _resolution(left: Term, right: Term, polarity: Term, pivot: Term) -> Term:
    left_pivot, right_pivot = _pivots(polarity, pivot)
    literals, others = _literals(left, left_pivot), _literals(right, right_pivot)
    for clause, literal in ((literals, left_pivot), (others, right_pivot)):
        if literal in clause:
            clause.remove(literal)
    return _clause([*literals, *others])


def _chain(premises: Sequence[Term], polarities: Term, pivots: Term) -> list[Term]:
    """Return the literals of the first premise resolved with the second, the result with the third, and so on."""
    for terms in (polarities, pivots):
        require(terms.sort is Sort.LIST and 0 < len(terms.arguments) == len(premises) - 1, "as many pivots as clauses")
    steps = [_pivots(*step) for step in zip(polarities.arguments, pivots.arguments, strict=True)]
    literals = _literals(premises[0], steps[0][0])
    for premise, (left_pivot, right_pivot) in zip(premises[1:], steps, strict=True):
        literals = [*_without(_literals(premise, right_pivot), right_pivot), *_without(literals, left_pivot)]
    return literals


@rule("chain_resolution", premises=None, arguments=2)
def _chain_resolution(premises: Sequence[Term], polarities: Term, pivots: Term) -> Term:
    return _clause(_chain(premises, polarities, pivots))


@rule("chain_m_resolution", premises=None, arguments=3)
def _chain_with_result(premises: Sequence[Term], result: Term, polarities: Term, pivots: Term) -> Term:
    return _weaker(_chain(premises, polarities, pivots), result)


@rule("reordering", premises=1, arguments=1)
def _reordering(clause: Term, result: Term) -> Term:
    return _weaker(_literals(clause), result)


@rule("factoring", premises=1)
def _factoring(clause: Term) -> Term:
    return _clause(list(dict.fromkeys(_literals(clause))))


def _weaker(literals: Iterable[Term], clause: Term) -> Term:
    """Return a clause that holds if one of the literals does."""
    lacking = set(literals) - set(_literals(clause))
    require(lacking <= {clause}, f"a clause with {', '.join(map(str, lacking))}, found {clause}")
    return clause


# --- Connectives ------------------------------------------------------------------------------------------------------


@rule("and_elim", premises=1, arguments=1)
def _and_elim(conjunction: Term, index: Term) -> Term:
    return _element(conjunction, "and", index)


@rule("not_or_elim", premises=1, arguments=1)
def _not_or_elim(denied: Term, index: Term) -> Term:
    (disjunction,) = parts(denied, "not")
    return negation(_element(disjunction, "or", index))


@rule("and_intro", premises=None)
def _and_intro(premises: Sequence[Term]) -> Term:
    return apply("and", *premises)


@rule("not_and", premises=1)
def _not_and(denied: Term) -> Term:
    (conjunction,) = parts(denied, "not")
    return apply("or", *map(negation, parts(conjunction, "and")))


@rule("cnf_and_pos", arguments=2)
def _cnf_and_pos(conjunction: Term, index: Term) -> Term:
    return apply("or", negation(conjunction), _element(conjunction, "and", index))


@rule("cnf_and_neg", arguments=1)
def _cnf_and_neg(conjunction: Term) -> Term:
    return apply("or", conjunction, *map(negation, parts(conjunction, "and")))


@rule("cnf_or_pos", arguments=1)
def _cnf_or_pos(disjunction: Term) -> Term:
    return apply("or", negation(disjunction), *parts(disjunction, "or"))


@rule("cnf_or_neg", arguments=2)
def _cnf_or_neg(disjunction: Term, index: Term) -> Term:
    return apply("or", disjunction, negation(_element(disjunction, "or", index)))


@rule("process_scope", premises=1, arguments=1)
def _process_scope(formula: Term, conclusion: Term) -> Term:
    """Return (=> A (=> B C)) as (=> (and A B) C), or as (not (and A B)) if C is `false`."""
    antecedents = []
    while formula is not conclusion:
        antecedent, formula = parts(formula, "=>")
        antecedents.append(antecedent)
    require(bool(antecedents), "an implication")
    together = antecedents[0] if len(antecedents) == 1 else apply("and", *antecedents)
    return negation(together) if conclusion is FALSE else apply("=>", together, conclusion)


# --- Equations --------------------------------------------------------------------------------------------------------


@rule("symm", premises=1)
def _symm(formula: Term) -> Term:
    if formula.head == "not":
        return negation(_symm(formula.arguments[0]))
    left, right = sides(formula)
    return equation(right, left)


@rule("trans", premises=None)
def _trans(premises: Sequence[Term]) -> Term:
    require(bool(premises), "a premise")
    first, last = sides(premises[0])
    for premise in premises[1:]:
        left, right = sides(premise)
        require(left is last, "an equation of {}, found {}", last, premise)
        last = right
    return equation(first, last)


@rule("nary_cong", premises=None, arguments=1)
@rule("cong", premises=None, arguments=1)
def _cong(premises: Sequence[Term], term: Term) -> Term:
    """Return the equation from equations of the last arguments of a term; the arguments before them do not change."""
    number = len(premises)
    require(0 < number <= len(term.arguments), "a premise for an argument of {}, found {}", term, number)
    same = len(term.arguments) - len(premises)
    replaced = list(term.arguments[:same])
    for argument, premise in zip(term.arguments[same:], premises, strict=True):
        left, right = sides(premise)
        require(left is argument, "an equation of {}, found {}", argument, premise)
        replaced.append(right)
    return equation(term, apply(str(term.head), *replaced))


_LATTICE = {"and": (TRUE, FALSE), "or": (FALSE, TRUE)}
"""The neutral and the absorbing element of conjunctions and disjunctions."""


def _members(term: Term, head: str) -> set[Term]:
    if term.head != head:
        return {term} - {_LATTICE[head][0]}
    return {member for argument in term.arguments for member in _members(argument, head)}


@rule("aci_norm", arguments=1)
def _aci_norm(equal: Term) -> Term:
    """Accept equal conjunctions or disjunctions up to brackets, order and repetitions."""
    left, right = sides(equal)
    same = any(_members(left, head) == _members(right, head) for head in _LATTICE)
    require(same, "the same conjuncts or disjuncts on both sides, found {}", equal)
    return equal


@rule("absorb", arguments=1)
def _absorb(equal: Term) -> Term:
    """Accept that a conjunction with `false` in it is false, a disjunction with `true` in it true."""
    left, right = sides(equal)
    decided = any(right is decisive and right in _members(left, head) for head, (_, decisive) in _LATTICE.items())
    require(decided, "a part that decides, found {}", equal)
    return equal


# --- Values -----------------------------------------------------------------------------------------------------------


@rule("evaluate", arguments=1)
def _evaluate(term: Term) -> Term:
    value = _value(term, {})
    if isinstance(value, bool):
        return equation(term, TRUE if value else FALSE)
    return equation(term, number(value, term.sort))


MAX_BITS = 2**15
"""Maximum size in bits of a calculated number: with shared subterms, some lines of proof can square it forty times."""


def bounded(value: int | Fraction) -> int | Fraction:
    """Return a calculated number; raise Unfounded if it has more than `MAX_BITS` bits."""
    size = max(value.numerator.bit_length(), value.denominator.bit_length())
    require(size <= MAX_BITS, f"a number of at most {MAX_BITS} bits")
    return value


def _value(term: Term, known: dict[Term, int | Fraction]) -> int | Fraction:
    """Return the value of a term without variables. `known` caches the values of subterms, which may be shared."""
    if term not in known:
        known[term] = bounded(_valued(term, known))
    return known[term]


def _valued(term: Term, known: dict[Term, int | Fraction]) -> int | Fraction:
    if not isinstance(term.head, str):
        return term.head
    if term in (TRUE, FALSE):
        return term is TRUE
    require(term.head in _VALUES and bool(term.arguments), "a term with a value, found {}", term)
    return _VALUES[term.head]([_value(argument, known) for argument in term.arguments])


def _product(values: Sequence[int | Fraction]) -> int | Fraction:
    return reduce(lambda product, value: bounded(product * value), values)


_VALUES: dict[str, Callable[[Sequence[int | Fraction]], int | Fraction]] = {
    "not": lambda values: not values[0],
    "and": all,
    "or": any,
    "=>": lambda values: bool(not values[0] or values[1]),
    "ite": lambda values: values[1] if values[0] else values[2],
    "=": lambda values: values[0] == values[1],
    "<": lambda values: values[0] < values[1],
    "<=": lambda values: values[0] <= values[1],
    ">": lambda values: values[0] > values[1],
    ">=": lambda values: values[0] >= values[1],
    "+": sum,
    "-": lambda values: values[0] - values[1] if len(values) == 2 else -values[0],
    "*": _product,
    "to_real": lambda values: Fraction(values[0]),
    "to_int": lambda values: floor(values[0]),
}
