"""Running code on terms: they are typed as the kernel types them, `int` and `bool`, and where the code branches on one,
whoever runs it decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, cast

from parte.checker.solver.backend import z3
from parte.checker.solver.problems import logic


def integer(name: str) -> int:
    """An integer variable."""
    return cast(int, z3.Int(name))


def rational(name: str) -> Fraction:
    """A variable that is any number; what holds of all real ones holds of rational ones."""
    return cast(Fraction, z3.Real(name))


def boolean(name: str) -> bool:
    """A Boolean variable."""
    return cast(bool, z3.Bool(name))


def identity(term: bool) -> int:
    """A number that no other term has as long as this one is kept."""
    return hash(term) if isinstance(term, bool) else int(cast(Any, term).get_id())


def text(term: object) -> str:
    """The whole of a term, or a value, in writing."""
    return str(term.sexpr()) if isinstance(term, z3.ExprRef) else str(term)


def constant(condition: bool) -> bool | None:
    """The value of a Boolean term that has the same one everywhere, as far as rewriting tells."""
    if isinstance(condition, bool):
        return condition
    simple: Any = z3.simplify(condition)
    return True if z3.is_true(simple) else False if z3.is_false(simple) else None


def conjuncts(condition: bool) -> list[bool]:
    """The conditions of which one is the conjunction; itself if it is none."""
    term: Any = condition
    if isinstance(condition, bool) or not z3.is_and(term):
        return [condition]
    return [part for child in term.children() for part in conjuncts(child)]


def implication(premise: bool, conclusion: bool) -> bool:
    """If the one, then the other."""
    return cast(bool, z3.Implies(premise, conclusion))


@contextmanager
def deciding(decide: Callable[[bool], bool]) -> Iterator[None]:
    """While this lasts, `if` and `not` on a Boolean term ask `decide`, and `//` and `divmod` by a positive number mean
    what they do of integers, where all would be refused otherwise."""
    before, outermost = z3.BoolRef.__bool__, not hasattr(z3.ArithRef, "__divmod__")
    z3.BoolRef.__bool__ = lambda term: decide(cast(bool, term))
    if outermost:
        z3.ArithRef.__floordiv__ = z3.ArithRef.__truediv__
        z3.ArithRef.__divmod__ = lambda term, other: (term / other, term % other)
    try:
        yield
    finally:
        z3.BoolRef.__bool__ = before
        if outermost:
            del z3.ArithRef.__floordiv__, z3.ArithRef.__divmod__


class Feasibility:
    """What can still hold on one path."""

    def __init__(self, rational: bool = False) -> None:
        self._solver: Any = z3.SolverFor(logic(rational))
        # Each question is short, so that Ctrl-C may wait for its answer; by itself z3 takes it for one.
        self._solver.set("ctrl_c", False)

    def add(self, condition: bool) -> None:
        """From now on."""
        self._solver.add(condition)

    def admits(self, condition: bool) -> bool:
        """Whether a condition may hold beside what was added; yes if the solver cannot tell."""
        return bool(self._solver.check(condition) != z3.unsat)
