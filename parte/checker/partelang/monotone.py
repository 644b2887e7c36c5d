"""Monotone `at` (D §5.4.6): the bound of a production is sound only if what generates timestamps is non-decreasing.

The checked functions are those that the machine runs: the closures of `semantics.parte.expressions` over the arithmetic
of `parte.semantics.partelang.kernel`, applied to solver terms instead of integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parte.checker.solver import terms
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Model, Session, Status
from parte.checker.solver.verdict import Verdict
from parte.semantics.partelang.expressions import compile_timestamp
from parte.semantics.partelang.syntax import core

Generator = Callable[[Sequence[int]], int]
"""From the timestamps of a match to that of an emission, or from bounds to a bound."""


@dataclass(frozen=True, slots=True)
class Monotone:
    """Whether `lower <= upper`, variable by variable, gives `of_bounds(lower) <= of_events(upper)`.

    With `of_bounds` and `of_events` the same function this says that it is non-decreasing. If not, `lower` and `upper`
    are a counterexample.
    """

    verdict: Verdict
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()


def check_at(emission: core.Emission, variables: Sequence[str], session: Session, name: str) -> Monotone:
    """The `at` of an emission: g non-decreasing in every timestamp, and g(bounds) <= g(timestamps)."""
    positions = {variable: position for position, variable in enumerate(variables)}
    # Bounds are not checked for 64 bits, and an event whose timestamp leaves them is not emitted: so the arithmetic of
    # bounds is that of timestamps wherever there is an event, and is taken for both.
    generate = compile_timestamp(emission.at, positions, of_events=False)
    return check_generator(generate, generate, len(variables), session, name)


def check_generator(of_bounds: Generator, of_events: Generator, arity: int, session: Session, name: str) -> Monotone:
    """The same of any generator that accepts terms."""
    lower = [terms.integer(f"bound {number}") for number in range(arity)]
    upper = [terms.integer(f"timestamp {number}") for number in range(arity)]
    ordered = [terms.at_most(low, high) for low, high in zip(lower, upper, strict=True)]
    bound = terms.of_kernel(of_bounds([terms.as_kernel(low) for low in lower]))
    timestamp = terms.of_kernel(of_events([terms.as_kernel(high) for high in upper]))
    answer = session.ask(name, *ordered, terms.below(timestamp, bound))
    if answer.status is Status.UNSATISFIABLE:
        return Monotone(Verdict.PROVED)
    if answer.model is None:
        return Monotone(Verdict.NOT_PROVED)
    found = Monotone(Verdict.REFUTED, _values(answer.model, lower), _values(answer.model, upper))
    if of_bounds(found.lower) <= of_events(found.upper):
        raise CheckerBug(f"{name}: the counterexample {found.lower}, {found.upper} is none")
    return found


def _values(model: Model, numbers: Sequence[terms.Number]) -> tuple[int, ...]:
    return tuple(int(model.number(number)) for number in numbers)
