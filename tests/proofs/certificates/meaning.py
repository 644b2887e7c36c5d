"""What terms of certificates mean, said to z3: the judge of what the checker accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import z3

from parte.proofs.certificates.terms import Sort, Term

_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "not": z3.Not,
    "and": lambda *arguments: z3.And(*arguments),
    "or": lambda *arguments: z3.Or(*arguments),
    "=>": z3.Implies,
    "=": lambda left, right: left == right,
    "ite": z3.If,
    "+": lambda *arguments: z3.Sum(*arguments),
    "*": lambda *arguments: z3.Product(*arguments),
    "-": lambda left, *right: left - right[0] if right else -left,
    "div": lambda left, right: left / right,
    "div_total": lambda left, right: z3.If(right == 0, z3.IntVal(0), left / right),
    "to_real": z3.ToReal,
    "to_int": z3.ToInt,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "@int_div_by_zero": lambda argument: argument / z3.IntVal(0),
    "@purify": lambda argument: argument,
}


def meaning(term: Term, known: dict[Term, Any] | None = None) -> Any:
    """A term as one of z3."""
    known = {} if known is None else known
    if term not in known:
        known[term] = _meaning(term, known)
    return known[term]


def _meaning(term: Term, known: dict[Term, Any]) -> Any:
    if not isinstance(term.head, str):
        return z3.RealVal(str(term.head)) if term.sort is Sort.REAL else z3.IntVal(int(term.head))
    if term.arguments:
        return _OPERATORS[term.head](*(meaning(argument, known) for argument in term.arguments))
    if term.head in ("true", "false"):
        return z3.BoolVal(term.head == "true")
    return {Sort.BOOL: z3.Bool, Sort.INT: z3.Int, Sort.REAL: z3.Real}[term.sort](term.head)


def follows(premises: Sequence[Term], conclusion: Term) -> bool:
    """Whether a conclusion holds wherever the premises do."""
    return not satisfiable([*premises], conclusion)


def satisfiable(formulas: Sequence[Term], denied: Term | None = None) -> bool:
    """Whether formulas can hold together, without one that is denied. An error if z3 cannot tell."""
    known: dict[Term, Any] = {}
    solver = z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(*(meaning(formula, known) for formula in formulas))
    if denied is not None:
        solver.add(z3.Not(meaning(denied, known)))
    answer = solver.check()
    assert answer != z3.unknown
    return bool(answer == z3.sat)
