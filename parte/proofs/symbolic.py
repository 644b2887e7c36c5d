"""Symbolic execution: run the code of the machine on terms, along every path that its branches leave open.

The body of a lemma is a function of a *run*. It takes arbitrary times and conditions from the run, assumes the
hypotheses of the lemma, calls the rules and the kernel as the machine calls them, and returns claims. Where the code
branches on a term, the run forks; the body is run again for every path, so that code and lemma are ordinary Python. In
a concrete run the same body works on integers: that is how counterexamples are replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, Protocol, TypeVar, cast

from parte.checker.solver import branching, terms
from parte.checker.solver.problems import Problem, Value
from parte.proofs.any_length import Positions, Width, understood
from parte.proofs.sorted_sequences import NotOfAnyLength
from parte.semantics.rulebook.connectives import conj
from parte.semantics.rulebook.models import Model

Claims = Sequence[tuple[str, bool]]
"""The claims of a lemma on one path: sentences with the conditions that must hold."""

Body = Callable[["Run"], Claims]

_Option = TypeVar("_Option")


class Inputs(Protocol):
    """The source of a run's times and conditions."""

    def integer(self, name: str) -> int: ...

    def rational(self, name: str) -> Fraction: ...

    def truth(self, name: str) -> bool: ...

    def assume(self, condition: bool) -> None: ...

    def define(self, condition: bool) -> None: ...

    def value_of(self, name: str) -> bool | None: ...

    def formula(self, name: str | None, question: Callable[[], bool]) -> bool: ...


class Run:
    """One run of a body, in an arbitrary situation under a model. `repairs` are the switches of its language."""

    def __init__(self, model: Model, inputs: Inputs) -> None:
        self.model = model
        self.repairs: Any = model.switches
        self._inputs = inputs
        self._fresh = 0
        self._positions: dict[str, Positions] = {}

    def integer(self, name: str) -> int:
        """Return an arbitrary time, distance or number; the same one for the same name."""
        return self._inputs.integer(name)

    def rational(self, name: str) -> Fraction:
        """Return an arbitrary number, whole or not; the same one for the same name."""
        return self._inputs.rational(name)

    def integers(self, name: str, count: int | Width) -> tuple[int, ...]:
        """Return several arbitrary integers; for an unknown width, one for each left event."""
        if isinstance(count, Width):
            return cast(tuple[int, ...], self.positions().arbitrary(name))
        return tuple(self.integer(f"{name} {number}") for number in range(1, count + 1))

    def truth(self, name: str) -> bool:
        """Return an arbitrary condition; the same one for the same name."""
        return self._inputs.truth(name)

    def positions(self, name: str = "left events") -> Positions:
        """Return the places of sequences of any length that are equally long; the same ones for the same name."""
        return self._positions.setdefault(name, Positions(self, name))

    def fresh(self, name: str, count: int | Width) -> tuple[int, ...]:
        """Return arbitrary times that are used nowhere else."""
        self._fresh += 1
        return self.integers(f"{name} #{self._fresh}", count)

    def assume(self, *conditions: bool) -> None:
        """Assume the conditions from here on."""
        for condition in conditions:
            for conjunct in branching.conjuncts(condition):
                self._inputs.assume(self._resolved(Positions.assumed, conjunct))

    def claimed(self, condition: bool) -> bool:
        """Return a condition that is to be proved."""
        return reduce(conj, [self._resolved(Positions.claimed, part) for part in branching.conjuncts(condition)])

    def _resolved(self, settling: Callable[[Positions, bool], bool], condition: bool) -> bool:
        if isinstance(condition, bool):
            return condition
        for positions in self._positions.values():
            condition = settling(positions, condition)
        return condition

    def settle(self) -> None:
        """Add the remaining facts about sequences of any length."""
        for positions in self._positions.values():
            positions.settle()

    def value_of(self, name: str) -> bool | None:
        """Return the value of a condition in a counterexample, if it has one; an arbitrary condition has one."""
        return self._inputs.value_of(name)

    def define(self, condition: bool) -> None:
        """Add a fact that follows from the meaning of a name, which no path can contradict."""
        self._inputs.define(condition)

    def formula(self, name: str | None, question: Callable[[], bool]) -> bool:
        """Return the answer of code that branches as one condition, without forking. Equal names: the same answer."""
        return self._inputs.formula(name, question)


def choice(run: Run, name: str, options: Sequence[_Option]) -> _Option:
    """Return one of several options; the run forks."""
    for number, option in enumerate(options[:-1], 1):
        if run.truth(f"{name}: option {number}"):
            return option
    return options[-1]


# --- Symbolic inputs: every path --------------------------------------------------------------------------------------


class _Infeasible(Exception):
    """The assumptions contradict the path."""


class _Fractions(Exception):
    """A number that need not be whole is requested, so the solver needs another logic."""


@dataclass(frozen=True, slots=True)
class Path:
    """One path to its end: the conjuncts of its path condition, and its claims."""

    condition: tuple[bool, ...]
    claims: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Paths:
    """All paths of a body, and its hypotheses on them; if they are not the `whole`, one of the paths."""

    hypotheses: tuple[bool, ...]
    paths: tuple[Path, ...]
    rational: bool = False
    whole: bool = True

    def problem(self, name: str) -> Problem:
        """Return the problem: some path ends in a false claim, or the hypotheses admit a case that is on no path."""
        broken = [
            terms.conjunction([*path.condition, terms.negated(terms.conjunction([claim for _, claim in path.claims]))])
            for path in self.paths
            if path.claims
        ]
        if self.whole:
            missed = [terms.negated(terms.conjunction(path.condition)) for path in self.paths]
            broken.append(terms.conjunction(missed))
        return Problem(name, self.hypotheses, terms.disjunction(broken), self.rational)


class _Symbolic:
    """Inputs of one path: first the prescribed branches, then feasible ones; the alternatives go to `pending`.

    The path before shares the prescribed branches but the last: `feasible` has their conditions, and the hypotheses on
    them are known.
    """

    def __init__(
        self,
        prescribed: list[tuple[bool, bool]],
        pending: list[list[tuple[bool, bool]]],
        formulas: dict[str, bool],
        feasible: branching.Feasibility,
        rational: bool,
    ) -> None:
        self.formulas = formulas
        self.taken: list[tuple[bool, bool]] = []
        self.prescribed = prescribed
        self.pending = pending
        self.condition: list[bool] = []
        self.premise: bool | None = None  # the conjunction of the condition, once it is needed
        self.hypotheses: list[bool] = []
        self.feasible = feasible
        self.has_rationals = rational
        self.decided: dict[int, tuple[bool, bool]] = {}  # by the identity of a term: the term, and the chosen value
        feasible.back_to(max(sum(forked for _, forked in prescribed) - 1, 0))

    @property
    def repeats(self) -> bool:
        """True as long as the path is that of the path before."""
        return len(self.taken) < len(self.prescribed)

    def integer(self, name: str) -> int:
        return branching.integer(name)

    def rational(self, name: str) -> Fraction:
        if not self.has_rationals:
            raise _Fractions
        return branching.rational(name)

    def truth(self, name: str) -> bool:
        return branching.boolean(name)

    def value_of(self, name: str) -> bool | None:
        return branching.boolean(name)

    def assume(self, condition: bool) -> None:
        self.define(condition)
        if self.condition and not self.repeats and not self.feasible.admits(True):
            raise _Infeasible

    def define(self, condition: bool) -> None:
        if condition is True or self.repeats:
            return
        if self.premise is None and self.condition:
            self.premise = terms.conjunction(self.condition)
        self.hypotheses.append(condition if self.premise is None else branching.implication(self.premise, condition))
        self.feasible.add(condition)

    def decide(self, condition: bool) -> bool:
        earlier = self.decided.get(branching.identity(condition))
        if earlier is None:
            earlier = self.decided[branching.identity(condition)] = condition, self._choose(condition)
        return earlier[1]

    def _choose(self, condition: bool) -> bool:
        last = len(self.taken) + 1 >= len(self.prescribed)
        if self.repeats:
            chosen, forked = self.prescribed[len(self.taken)]
        else:
            chosen, forked = self._feasible(condition)
            if forked:
                self.pending.append([*self.taken, (False, True)])
        self.taken.append((chosen, forked))
        if forked:
            literal = condition if chosen else terms.negated(condition)
            self.condition.append(literal)
            self.premise = None
            if last:
                self.feasible.fork(literal)
        return chosen

    def _feasible(self, condition: bool) -> tuple[bool, bool]:
        """Return a value that a condition can have, and whether it can have the other one too."""
        known = branching.constant(condition)
        if known is not None:
            return known, False
        chosen = self.feasible.admits(condition)
        return chosen, chosen and self.feasible.admits(terms.negated(condition))

    def formula(self, name: str | None, question: Callable[[], bool]) -> bool:
        if name is None:
            return _as_formula(question)
        if name not in self.formulas:
            self.formulas[name] = _as_formula(question)
        return self.formulas[name]


UNDECIDABLE = "not in a form that can be decided: "
"""The beginning of the claim in place of those of code that uses a sequence of any length in an unsupported way."""


def _claims(body: Body, run: Run) -> tuple[tuple[str, bool], ...]:
    """Return the claims of a body on one path.

    Code that fails, or that uses a sequence of any length in an unsupported way, breaks its claims: the result is then
    one claim that does not hold.
    """
    try:
        with understood():
            claims = [(sentence, run.claimed(condition)) for sentence, condition in body(run)]
            run.settle()
            return tuple(claims)
    except NotOfAnyLength as refused:
        return ((f"{UNDECIDABLE}{refused}", False),)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
        return ((f"the code comes to an end, without {type(error).__name__}: {error}", False),)


def paths_of(body: Body, model: Model, *, broken: bool = False) -> Paths:
    """Return every path of a body, in depth-first order.

    With `broken` the exploration ends at the first path on which a claim seems to fail, and the result is that one.
    """
    try:
        return _explored(body, model, broken=broken, rational=False)
    except _Fractions:
        return _explored(body, model, broken=broken, rational=True)


def _explored(body: Body, model: Model, *, broken: bool, rational: bool) -> Paths:
    pending: list[list[tuple[bool, bool]]] = [[]]
    hypotheses: dict[int, bool] = {}
    formulas: dict[str, bool] = {}
    feasible = branching.Feasibility(rational)
    paths = []
    while pending:
        inputs = _Symbolic(pending.pop(), pending, formulas, feasible, rational)
        try:
            run = Run(model, inputs)

            def decide(condition: bool, run: Run = run, inputs: _Symbolic = inputs) -> bool:
                run.settle()
                return inputs.decide(condition)

            with branching.deciding(decide):
                claims: tuple[tuple[str, bool], ...] | None = _claims(body, run)
        except _Infeasible:
            claims = None
        hypotheses.update((branching.identity(hypothesis), hypothesis) for hypothesis in inputs.hypotheses)
        if claims is not None:
            paths.append(Path(tuple(inputs.condition), claims))
            if broken and feasible.admits(terms.negated(terms.conjunction([claim for _, claim in claims]))):
                return Paths(tuple(hypotheses.values()), (paths[-1],), rational, whole=False)
    return Paths(tuple(hypotheses.values()), tuple(paths), rational)


def _as_formula(question: Callable[[], bool]) -> bool:
    """Return the disjunction of the paths on which the answer is yes."""
    pending: list[list[bool]] = [[]]
    affirmed = []
    while pending:
        prefix = pending.pop()
        taken: list[bool] = []
        literals: list[bool] = []

        def decide(
            condition: bool, prefix: list[bool] = prefix, taken: list[bool] = taken, literals: list[bool] = literals
        ) -> bool:
            known = branching.constant(condition)
            if known is not None:
                return known
            if len(taken) < len(prefix):
                chosen = prefix[len(taken)]
            else:
                chosen = True
                pending.append([*taken, False])
            taken.append(chosen)
            literals.append(condition if chosen else terms.negated(condition))
            return chosen

        with branching.deciding(decide):
            answer = question()
        if answer is not False:
            affirmed.append(terms.conjunction(literals if answer is True else [*literals, answer]))
    return terms.disjunction(affirmed)


# --- Concrete values: replay ------------------------------------------------------------------------------------------


class NoCounterexample(RuntimeError):
    """The values of a solver break no claim when the code runs: the proofs are wrong, not the machine."""


class _Concrete:
    """Inputs from a solver; values that it leaves open are irrelevant."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = values

    def integer(self, name: str) -> int:
        return int(self.values.get(name, 0))

    def rational(self, name: str) -> Fraction:
        return Fraction(self.values.get(name, 0))

    def truth(self, name: str) -> bool:
        return bool(self.values.get(name, False))

    def assume(self, condition: bool) -> None:
        if not condition:
            raise NoCounterexample("the values contradict an assumption")

    def define(self, condition: bool) -> None:
        """Do nothing: a solver may leave out a name whose meaning is irrelevant for its answer."""

    def value_of(self, name: str) -> bool | None:
        value = self.values.get(name)
        return None if value is None else bool(value)

    def formula(self, name: str | None, question: Callable[[], bool]) -> bool:
        del name
        return question()


def replay(body: Body, model: Model, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the claims that do not hold for concrete values. Raise NoCounterexample if all hold."""
    broken = tuple(sentence for sentence, holds in _claims(body, Run(model, _Concrete(values))) if not holds)
    if not broken:
        raise NoCounterexample("every claim holds for the values")
    return broken
