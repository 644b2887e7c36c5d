"""Monotone `at` (D §5.4.6): the bound of a production is sound only if its timestamp function is non-decreasing.

The checked functions are those that the machine runs: the closures of `parte.semantics.partelang.expressions` over the
arithmetic of `parte.semantics.partelang.kernel`, applied to solver terms instead of integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parte.checker.solver import terms
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Model, Session, Status
from parte.checker.solver.verdict import Verdict
from parte.semantics.partelang.expressions import compile_timestamp
from parte.semantics.partelang.summaries import instant_of, instants_in
from parte.semantics.partelang.syntax import core

Generator = Callable[[Sequence[int]], int]
"""The function from the timestamps of a match to that of an emission, or from bounds to a bound."""


@dataclass(frozen=True, slots=True)
class Monotone:
    """The verdict on: `lower <= upper`, variable by variable, implies `of_bounds(lower) <= of_events(upper)`.

    If `of_bounds` and `of_events` are the same function, this says that it is non-decreasing. If it does not hold,
    `lower` and `upper` are a counterexample.
    """

    verdict: Verdict
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()


def check_at(emission: core.Emission, variables: Sequence[str], session: Session, name: str) -> Monotone:
    """Check the `at` of an emission: g is non-decreasing in every timestamp, and g(bounds) <= g(timestamps)."""
    variables = [*variables, *instants_of(emission.at)]
    positions = {variable: position for position, variable in enumerate(variables)}
    # Bounds are not checked for 64 bits, and an event whose timestamp exceeds them is not emitted. So wherever there
    # is an event, the arithmetic of bounds is that of timestamps, and it is used for both.
    generate = compile_timestamp(_with_instants(emission.at), positions, of_events=False)
    return check_generator(generate, generate, len(variables), session, name)


def instants_of(at: core.TimestampExpression) -> list[str]:
    """Return the timestamps of sets in an `at`, as variables: their bounds are among the bounds (`summaries`)."""
    return list(dict.fromkeys(map(instant_of, instants_in(at))))


def _with_instants(at: core.TimestampExpression) -> core.TimestampExpression:
    def change(part: core.TimestampExpression) -> core.TimestampExpression:
        return core.TimestampOf(instant_of(part)) if isinstance(part, core.Aggregate) else part

    return core.TIMESTAMP_EXPRESSIONS.mapped(at, change)


def check_generator(of_bounds: Generator, of_events: Generator, arity: int, session: Session, name: str) -> Monotone:
    """Check the same for any generator that accepts terms."""
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
    refuted = Monotone(Verdict.REFUTED, _values(answer.model, lower), _values(answer.model, upper))
    if of_bounds(refuted.lower) <= of_events(refuted.upper):
        raise CheckerBug(f"{name}: the counterexample {refuted.lower}, {refuted.upper} is none")
    return refuted


def _values(model: Model, numbers: Sequence[terms.Number]) -> tuple[int, ...]:
    return tuple(int(model.number(number)) for number in numbers)
