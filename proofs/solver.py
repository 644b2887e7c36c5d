"""The solvers: the one module of the proofs that knows z3 and cvc5.

Terms are typed as the kernel types them, `int` and `bool`, so that a function of the kernel takes them as it takes
integers. A problem is written down once, as SMT-LIB 2, and both solvers decide what is written there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from checker.errors import SolverMissing

if TYPE_CHECKING:
    import z3
else:
    try:
        import z3
    except ImportError:
        raise SolverMissing from None

TIMEOUT = 60.0
"""Seconds for the decision on one lemma."""


class Cvc5Missing(ImportError):
    """The optional dependency cvc5 is not installed."""

    def __init__(self) -> None:
        super().__init__("the solver cvc5 is not installed: pip install 'parte[cvc5]'")


# --- Terms ----------------------------------------------------------------------------------------------------------


def integer(name: str) -> int:
    """An integer variable."""
    return cast(int, z3.Int(name))


def boolean(name: str) -> bool:
    """A Boolean variable."""
    return cast(bool, z3.Bool(name))


def is_term(value: object) -> bool:
    """Whether a value is a term, not a value of Python."""
    return isinstance(value, z3.ExprRef)


def identity(term: bool) -> int:
    """A number that no other term has as long as this one is kept."""
    return hash(term) if isinstance(term, bool) else int(cast(Any, term).get_id())


def constant(condition: bool) -> bool | None:
    """The value of a Boolean term that has the same one everywhere, as far as rewriting tells."""
    if isinstance(condition, bool):
        return condition
    simple: Any = z3.simplify(condition)
    return True if z3.is_true(simple) else False if z3.is_false(simple) else None


def negation(condition: bool) -> bool:
    """It does not hold."""
    return cast(bool, z3.Not(condition))


def conjunction(conditions: Sequence[bool]) -> bool:
    """All hold."""
    return _joined(z3.And, conditions, True)


def disjunction(conditions: Sequence[bool]) -> bool:
    """One of them holds."""
    return _joined(z3.Or, conditions, False)


def _joined(connective: Callable[..., Any], conditions: Sequence[bool], empty: bool) -> bool:
    # Of one condition or none z3 makes terms that cannot be written in SMT-LIB.
    terms = [z3.BoolVal(condition) if isinstance(condition, bool) else condition for condition in conditions]
    if not terms:
        return cast(bool, z3.BoolVal(empty))
    return cast(bool, terms[0] if len(terms) == 1 else connective(*terms))


def implication(premise: bool, conclusion: bool) -> bool:
    """If the one, then the other."""
    return cast(bool, z3.Implies(premise, conclusion))


# --- Branching on terms ---------------------------------------------------------------------------------------------


@contextmanager
def branching(decide: Callable[[bool], bool]) -> Iterator[None]:
    """While this lasts, `if` and `not` on a Boolean term ask `decide`, where they would be refused otherwise."""
    before = z3.BoolRef.__bool__
    z3.BoolRef.__bool__ = lambda term: decide(cast(bool, term))
    try:
        yield
    finally:
        z3.BoolRef.__bool__ = before


class Feasibility:
    """What can still hold on one path."""

    def __init__(self) -> None:
        self._solver: Any = z3.SolverFor("QF_UFLIA")

    def add(self, condition: bool) -> None:
        """From now on."""
        self._solver.add(condition)

    def admits(self, condition: bool) -> bool:
        """Whether a condition may hold beside what was added; yes if the solver cannot tell."""
        return bool(self._solver.check(condition) != z3.unsat)


# --- Decisions ------------------------------------------------------------------------------------------------------


class Status(Enum):
    """What a solver found."""

    SATISFIABLE = "satisfiable"
    UNSATISFIABLE = "unsatisfiable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Problem:
    """Is there a case in which the hypotheses hold and `refutation` does too?"""

    name: str
    hypotheses: tuple[bool, ...]
    refutation: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What a solver said of a problem. `values` are those of the variables if it is satisfiable (z3 only)."""

    status: Status
    seconds: float
    values: Mapping[str, int | bool]


def smtlib(problem: Problem) -> str:
    """The problem as SMT-LIB 2: unsatisfiable if and only if the lemma holds."""
    solver: Any = z3.Solver()
    solver.add(*problem.hypotheses, problem.refutation)
    body = cast(str, solver.to_smt2()).split("\n", 1)[1]
    return f"; {problem.name}: unsatisfiable if and only if the lemma holds\n(set-logic ALL)\n{body}"


def by_z3(problem: Problem, timeout: float = TIMEOUT) -> Decision:
    """What z3 says."""
    started = time.perf_counter()
    solver = _bounded(timeout)
    solver.add(*problem.hypotheses, problem.refutation)
    status = _status(solver)
    values = _small_values(solver) if status is Status.SATISFIABLE else {}
    return Decision(status, time.perf_counter() - started, values)


def satisfiable(conditions: Sequence[bool], timeout: float = TIMEOUT) -> Status:
    """Whether conditions can hold together."""
    solver = _bounded(timeout)
    solver.add(*conditions)
    return _status(solver)


def _bounded(timeout: float) -> Any:
    solver: Any = z3.SolverFor("QF_UFLIA")
    solver.set("timeout", max(1, int(timeout * 1000)))
    return solver


def _status(solver: Any) -> Status:
    result = solver.check()
    if result == z3.sat:
        return Status.SATISFIABLE
    return Status.UNSATISFIABLE if result == z3.unsat else Status.UNKNOWN


def _small_values(solver: Any) -> dict[str, int | bool]:
    """Values of which the greatest is as small as a few tries make it: counterexamples are for people to read."""
    values = _values(solver)
    for limit in (1, 2, 3, 5, 10, 30, 100):
        solver.push()
        for name, value in values.items():
            if not isinstance(value, bool):
                solver.add(-limit <= z3.Int(name), z3.Int(name) <= limit)
        found = _values(solver) if _status(solver) is Status.SATISFIABLE else None
        solver.pop()
        if found is not None:
            return found
    return values


def _values(solver: Any) -> dict[str, int | bool]:
    model = solver.model()
    values = {str(declaration.name()): model[declaration] for declaration in model.decls() if not declaration.arity()}
    return {
        name: bool(z3.is_true(value)) if z3.is_bool(value) else int(value.as_long())
        for name, value in sorted(values.items())
    }


def by_cvc5(problem: Problem, timeout: float = TIMEOUT) -> Decision:
    """What cvc5 says, reading the problem as SMT-LIB 2. Cvc5Missing if it is not installed."""
    try:
        import cvc5
    except ImportError:
        raise Cvc5Missing from None
    started = time.perf_counter()
    tools: Any = cvc5
    manager = tools.TermManager()
    solver = tools.Solver(manager)
    solver.setOption("tlimit-per", str(int(timeout * 1000)))
    parser = tools.InputParser(solver)
    parser.setStringInput(tools.InputLanguage.SMT_LIB_2_6, smtlib(problem), problem.name)
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, parser.getSymbolManager()))
    answers = {"sat": Status.SATISFIABLE, "unsat": Status.UNSATISFIABLE}
    return Decision(answers.get(said.strip(), Status.UNKNOWN), time.perf_counter() - started, {})


SOLVERS: Mapping[str, Callable[[Problem, float], Decision]] = {"z3": by_z3, "cvc5": by_cvc5}
