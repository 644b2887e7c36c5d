"""The valuations of a formula on a stream, clause by clause (specification: core-den-type, core-den-seq; T fig. 3.2).

Positions count the events of the argument, from 0. This is the definition: naive, and exponential where the result is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from parte.languages.cel.algebra.predicates import compared, satisfies
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

MAX_VALUATIONS = 100_000
"""The greatest number of valuations of a formula; more are an error, because the definition is not meant for them."""


MAX_PAIRS = 5_000_000
"""The greatest number of pairs of valuations to compare: `(A+)+` joins all valuations of `A+` with each other."""


class TooManyValuations(ValueError):
    """The definition would take too much memory or time."""

    def __init__(self, what: str = "") -> None:
        limit = what or f"a formula has more than {MAX_VALUATIONS} valuations here"
        super().__init__(f"{limit}; run a machine, or a shorter trace")


@dataclass(slots=True)
class Effort:
    """The number of pairs of valuations that may be compared, and the number compared so far."""

    most: int = MAX_PAIRS
    spent: int = 0

    def spend(self, amount: int) -> None:
        """Count `amount` more pairs. Raise TooManyValuations above the limit."""
        self.spent += amount
        if self.spent > self.most:
            raise TooManyValuations(f"the definition would have to look at more than {self.most} pairs of valuations")


@dataclass(frozen=True, slots=True)
class Valuation:
    """An interval of positions, both ends included, with pairs of a variable and a position that it contains."""

    start: int
    end: int
    content: frozenset[tuple[str, int]]

    def of(self, variable: str) -> list[int]:
        """Return the positions of a variable."""
        return [position for name, position in self.content if name == variable]

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of all variables, ascending."""
        return tuple(sorted({position for _, position in self.content}))


Valuations = frozenset[Valuation]


def denote(
    formula: tree.Formula, events: Sequence[Event], sequence: str = "after", effort: Effort | None = None
) -> Valuations:
    """Return all valuations of a formula. `sequence` is a reading (`readings`). Raise TooManyValuations above the
    limits."""
    valuations = _denote(formula, events, sequence, effort or Effort())
    if len(valuations) > MAX_VALUATIONS:
        raise TooManyValuations
    return valuations


def _denote(formula: tree.Formula, events: Sequence[Event], sequence: str, effort: Effort) -> Valuations:
    match formula:
        case tree.EventType(name=name):
            return den_type(name, events)
        case tree.Named(operand=operand, variable=variable):
            return den_as(denote(operand, events, sequence, effort), variable)
        case tree.Filtered(operand=operand, condition=condition):
            return den_filter(denote(operand, events, sequence, effort), condition, events)
        case tree.Or(parts=parts):
            return den_or([denote(part, events, sequence, effort) for part in parts])
        case tree.Sequence(parts=parts, contiguous=contiguous):
            first, *others = [denote(part, events, sequence, effort) for part in parts]
            for following in others:
                effort.spend(len(first) * len(following))
                first = den_sequence(first, following, "next" if contiguous else sequence)
            return first
        case tree.Iteration(operand=operand, contiguous=contiguous):
            return den_plus(denote(operand, events, sequence, effort), "next" if contiguous else sequence, effort)
        case tree.Projection(variables=names, operand=operand):
            return den_proj(denote(operand, events, sequence, effort), names)


def den_type(name: str, events: Sequence[Event]) -> Valuations:
    """CORE/DEN-TYPE: one valuation for each event of the type; its variable is the type, and contains the event."""
    return frozenset(
        Valuation(position, position, frozenset([(name, position)]))
        for position, event in enumerate(events)
        if event.template == name
    )


def den_as(valuations: Valuations, variable: str) -> Valuations:
    """CORE/DEN-AS: the variable gets all positions of the valuation; the other variables do not change."""
    return frozenset(
        replace(
            valuation,
            content=frozenset((name, position) for name, position in valuation.content if name != variable)
            | {(variable, position) for position in valuation.positions},
        )
        for valuation in valuations
    )


def den_filter(valuations: Valuations, condition: tree.Condition, events: Sequence[Event]) -> Valuations:
    """CORE/DEN-FILTER: the valuations that fulfil the condition."""
    return frozenset(valuation for valuation in valuations if fulfils(valuation, condition, events))


def fulfils(valuation: Valuation, condition: tree.Condition, events: Sequence[Event]) -> bool:
    """Return whether a valuation fulfils a condition, for all events of a variable, or all pairs of events of two
    variables. An empty variable fulfils it."""
    match condition:
        case tree.Holds(variable=variable, predicate=predicate):
            return all(satisfies(events[position], predicate) for position in valuation.of(variable))
        case tree.Link():
            return all(
                compared(
                    events[left].attributes.get(condition.left_attribute),
                    condition.operator,
                    events[right].attributes.get(condition.right_attribute),
                )
                for left, right in product(valuation.of(condition.left), valuation.of(condition.right))
            )
        case tree.Both(parts=parts):
            return all(fulfils(valuation, part, events) for part in parts)
        case tree.Either(parts=parts):
            return any(fulfils(valuation, part, events) for part in parts)


def den_or(operands: Iterable[Valuations]) -> Valuations:
    """CORE/DEN-OR: the union of the valuations of the operands."""
    return frozenset[Valuation]().union(*operands)


_FITS: Mapping[str, Callable[[Valuation, Valuation], bool]] = {
    "after": lambda first, second: first.end < second.start,
    "meets": lambda first, second: first.end == second.start,
    "next": lambda first, second: first.end + 1 == second.start,
}


def den_sequence(first: Iterable[Valuation], then: Iterable[Valuation], sequence: str) -> Valuations:
    """CORE/DEN-SEQ: two valuations in sequence, from the start of the first to the end of the second, with both
    contents. With `next`, the second begins at the position after the first."""
    fits, later = _FITS[sequence], list(then)
    joined = set[Valuation]()
    for left in first:
        joined.update(
            Valuation(left.start, right.end, left.content | right.content) for right in later if fits(left, right)
        )
        if len(joined) > MAX_VALUATIONS:
            raise TooManyValuations
    return frozenset(joined)


def den_plus(valuations: Valuations, sequence: str, effort: Effort | None = None) -> Valuations:
    """CORE/DEN-PLUS: the least set that contains these valuations, and each of them followed by a member of the set."""
    closure = new = valuations
    effort = effort or Effort()
    while new:
        effort.spend(len(valuations) * len(new))
        new = den_sequence(valuations, new, sequence) - closure
        closure |= new
    return closure


def den_proj(valuations: Valuations, names: Iterable[str]) -> Valuations:
    """CORE/DEN-PROJ: the variables that are not named become empty; the interval does not change."""
    selected = frozenset(names)
    return frozenset(
        replace(
            valuation, content=frozenset((name, position) for name, position in valuation.content if name in selected)
        )
        for valuation in valuations
    )
