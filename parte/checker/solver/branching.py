"""Execution of code on terms: they have the types of the kernel, `int` and `bool`, and the caller decides each branch
on a term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from typing import Any, cast

from parte.checker.solver.backend import z3
from parte.checker.solver.problems import logic


@cache
def integer(name: str) -> int:
    """Return an integer variable."""
    return cast(int, z3.Int(name))


@cache
def rational(name: str) -> Fraction:
    """Return a variable that is any number; a claim that holds for all real numbers holds for rational ones."""
    return cast(Fraction, z3.Real(name))


@cache
def boolean(name: str) -> bool:
    """Return a Boolean variable."""
    return cast(bool, z3.Bool(name))


def identity(term: bool) -> int:
    """Return a number that no other term has as long as this one is kept."""
    return hash(term) if isinstance(term, bool) else int(cast(Any, term).get_id())


def text(term: object) -> str:
    """Return the whole of a term, or a value, as text."""
    return str(term.sexpr()) if isinstance(term, z3.ExprRef) else str(term)


def constant(condition: bool) -> bool | None:
    """Return the value of a Boolean term that is constant, as far as rewriting shows; else None."""
    if isinstance(condition, bool):
        return condition
    simple: Any = z3.simplify(condition)
    return True if z3.is_true(simple) else False if z3.is_false(simple) else None


def conjuncts(condition: bool) -> list[bool]:
    """Return the conditions of a conjunction; the condition itself if it is none."""
    term: Any = condition
    if isinstance(condition, bool) or not z3.is_and(term):
        return [condition]
    return [part for child in term.children() for part in conjuncts(child)]


def implication(premise: bool, conclusion: bool) -> bool:
    """Return the implication of two conditions."""
    return cast(bool, z3.Implies(premise, conclusion))


@contextmanager
def deciding(decide: Callable[[bool], bool]) -> Iterator[None]:
    """Let `if` and `not` on a Boolean term ask `decide` inside the `with` block.

    `//` and `divmod` by a positive number mean the same there as for integers. Outside, z3 rejects all of these.
    """
    before, outermost = z3.BoolRef.__bool__, not hasattr(z3.ArithRef, "__divmod__")
    z3.BoolRef.__bool__ = lambda term: decide(cast(bool, term))
    if outermost:
        z3.ArithRef.__floordiv__ = z3.ArithRef.__truediv__
        z3.ArithRef.__divmod__ = lambda term, divisor: (term / divisor, term % divisor)
    try:
        yield
    finally:
        z3.BoolRef.__bool__ = before
        if outermost:
            del z3.ArithRef.__floordiv__, z3.ArithRef.__divmod__


class Feasibility:
    """The conditions that can still hold on one path, and on others that begin as it does.

    The conditions are in levels, one for each fork, so that the next path drops only those that it does not share.
    """

    def __init__(self, rational: bool = False) -> None:
        self._solver: Any = z3.SolverFor(logic(rational))
        # Each question is short, so that Ctrl-C may wait for its answer; by default z3 treats Ctrl-C as the answer.
        self._solver.set("ctrl_c", False)

    def add(self, condition: bool) -> None:
        """Assume a condition from now on."""
        self._solver.add(condition)

    def fork(self, literal: bool) -> None:
        """Begin a level, in which a literal holds."""
        self._solver.push()
        self._solver.add(literal)

    def back_to(self, level: int) -> None:
        """Drop the levels above one, with all conditions that were assumed there."""
        self._solver.pop(self._solver.num_scopes() - level)

    def admits(self, condition: bool) -> bool:
        """Return whether a condition may hold beside the assumed ones; True if the solver cannot decide."""
        return bool(self._solver.check(condition) != z3.unsat)
