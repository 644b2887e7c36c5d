"""Problems that are written down once, as SMT-LIB 2, so that z3 and cvc5 decide the same text."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from parte.checker.solver.backend import z3
from parte.checker.solver.queries import Status, bounded, solve
from parte.semantics.source.packages import importing

Value = int | Fraction | bool
"""The value of a variable in a counterexample."""

TIMEOUT = 60.0
"""The time limit for one problem, in seconds."""


def logic(rational: bool) -> str:
    """Return the logic for z3: integers, or also other numbers."""
    return "QF_UFLIRA" if rational else "QF_UFLIA"


@dataclass(frozen=True, slots=True)
class Problem:
    """The problem whether the hypotheses and `refutation` can hold together. `rational`: not all numbers are whole."""

    name: str
    hypotheses: tuple[bool, ...]
    refutation: bool
    rational: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer of a solver. `values` are those of the variables if the problem is satisfiable (z3 only)."""

    status: Status
    seconds: float
    values: Mapping[str, Value]


def smtlib(problem: Problem) -> str:
    """Return the problem as SMT-LIB 2: unsatisfiable if and only if the lemma holds."""
    solver: Any = z3.Solver()
    solver.add(*problem.hypotheses, problem.refutation)
    body = cast(str, solver.to_smt2()).split("\n", 1)[1]
    return f"; {problem.name}: unsatisfiable if and only if the lemma holds\n(set-logic ALL)\n{body}"


def by_z3(problem: Problem, timeout: float = TIMEOUT) -> Decision:
    """Return the answer of z3."""
    started = time.perf_counter()
    solver = bounded(z3.SolverFor(logic(problem.rational)), timeout)
    solver.add(*problem.hypotheses, problem.refutation)
    status = solve(solver, timeout)
    values = _small_values(_afresh(problem, timeout), timeout) if status is Status.SATISFIABLE else {}
    return Decision(status, time.perf_counter() - started, values)


def satisfiable(conditions: Sequence[bool], timeout: float = TIMEOUT, *, rational: bool = False) -> Status:
    """Return whether conditions can hold together."""
    solver = bounded(z3.SolverFor(logic(rational)), timeout)
    solver.add(*conditions)
    return solve(solver, timeout)


def _afresh(problem: Problem, timeout: float) -> Any:
    """Return the problem in a context of its own: its values do not depend on the problems solved before."""
    solver = bounded(z3.SolverFor(logic(problem.rational), ctx=z3.Context()), timeout)
    solver.from_string(smtlib(problem))
    solve(solver, timeout)
    return solver


def _small_values(solver: Any, timeout: float) -> dict[str, Value]:
    """Return values of which the greatest is as small as a few attempts make it, for readable counterexamples."""
    values = _values(solver)
    for limit in (1, 2, 3, 5, 10, 30, 100):
        solver.push()
        for name, value in values.items():
            if not isinstance(value, bool):
                variable = (z3.Int if isinstance(value, int) else z3.Real)(name, solver.ctx)
                solver.add(-limit <= variable, variable <= limit)
        smaller = _values(solver) if solve(solver, timeout) is Status.SATISFIABLE else None
        solver.pop()
        if smaller is not None:
            return smaller
    return values


def _values(solver: Any) -> dict[str, Value]:
    model = solver.model()
    values = {str(declaration.name()): model[declaration] for declaration in model.decls() if not declaration.arity()}
    return {name: _value(value) for name, value in sorted(values.items())}


def _value(value: Any) -> Value:
    if z3.is_bool(value):
        return bool(z3.is_true(value))
    return int(value.as_long()) if z3.is_int_value(value) else Fraction(value.as_fraction())


def by_cvc5(problem: Problem, timeout: float = TIMEOUT) -> Decision:
    """Return the answer of cvc5, which reads the problem as SMT-LIB 2. Raise PackageMissing if it is not installed."""
    return _by_cvc5(problem, timeout, {})[0]


def proof_by_cvc5(problem: Problem, timeout: float = TIMEOUT) -> tuple[Decision, str]:
    """Return the answer of cvc5, and its proof if the problem is unsatisfiable.

    The proof is in cvc5's format CPC, with every rewriting in steps of its own. Without the default heuristics of
    decisions most proofs are shorter, but some searches do not end.
    """
    options = {
        "produce-proofs": "true",
        "proof-format-mode": "cpc",
        "proof-granularity": "dsl-rewrite",
        "decision": "internal",
    }
    decision, solver = _by_cvc5(problem, timeout, options)
    if decision.status is not Status.UNSATISFIABLE:
        return decision, ""
    (proof,) = solver.getProof()
    return decision, solver.proofToString(proof).decode()


def _by_cvc5(problem: Problem, timeout: float, options: Mapping[str, str]) -> tuple[Decision, Any]:
    with importing("cvc5", message="the solver cvc5 is not installed"):
        import cvc5
    started = time.perf_counter()
    tools: Any = cvc5
    manager = tools.TermManager()
    solver = tools.Solver(manager)
    for option, value in {"tlimit-per": str(int(timeout * 1000)), **options}.items():
        solver.setOption(option, value)
    parser = tools.InputParser(solver)
    parser.setStringInput(tools.InputLanguage.SMT_LIB_2_6, smtlib(problem), problem.name)
    output = ""
    while not (command := parser.nextCommand()).isNull():
        output += str(command.invoke(solver, parser.getSymbolManager()))
    answers = {"sat": Status.SATISFIABLE, "unsat": Status.UNSATISFIABLE}
    return Decision(answers.get(output.strip(), Status.UNKNOWN), time.perf_counter() - started, {}), solver


SOLVERS: Mapping[str, Callable[[Problem, float], Decision]] = {"z3": by_z3, "cvc5": by_cvc5}
