"""The valuations of a formula on a stream, clause by clause (specification: core-den-type, core-den-seq; T fig. 3.2).

Positions are those of the events that are given, from 0. This is the definition: naive, and exponential where the
result is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from parte.languages.cel.algebra.predicates import compared, satisfies
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

MAX_VALUATIONS = 100_000
"""More valuations of a formula than these are an error: the definition is not meant for them."""


MAX_PAIRS = 5_000_000
"""So many pairs of valuations are looked at: `(A+)+` joins all valuations of `A+` with each other."""


class TooManyValuations(ValueError):
    """The definition would take too much memory, or too long."""

    def __init__(self, what: str = "") -> None:
        limit = what or f"a formula has more than {MAX_VALUATIONS} valuations here"
        super().__init__(f"{limit}; run a machine, or a shorter trace")


@dataclass(slots=True)
class Effort:
    """How many pairs of valuations may be looked at, and were."""

    most: int = MAX_PAIRS
    spent: int = 0

    def spend(self, amount: int) -> None:
        """Look at some. TooManyValuations if too many were."""
        self.spent += amount
        if self.spent > self.most:
            raise TooManyValuations(f"the definition would have to look at more than {self.most} pairs of valuations")


@dataclass(frozen=True, slots=True)
class Valuation:
    """An interval of positions, both ends included, and which positions in it which variables hold."""

    start: int
    end: int
    content: frozenset[tuple[str, int]]

    def of(self, variable: str) -> list[int]:
        """The positions of a variable."""
        return [position for name, position in self.content if name == variable]

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of all variables, rising."""
        return tuple(sorted({position for _, position in self.content}))


Valuations = frozenset[Valuation]


def denote(
    formula: tree.Formula, events: Sequence[Event], sequence: str = "after", effort: Effort | None = None
) -> Valuations:
    """All valuations of a formula. `sequence` is a reading (`readings`). TooManyValuations."""
    found = _denote(formula, events, sequence, effort or Effort())
    if len(found) > MAX_VALUATIONS:
        raise TooManyValuations
    return found


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
            for other in others:
                effort.spend(len(first) * len(other))
                first = den_sequence(first, other, "next" if contiguous else sequence)
            return first
        case tree.Iteration(operand=operand, contiguous=contiguous):
            return den_plus(denote(operand, events, sequence, effort), "next" if contiguous else sequence, effort)
        case tree.Projection(variables=names, operand=operand):
            return den_proj(denote(operand, events, sequence, effort), names)


def den_type(name: str, events: Sequence[Event]) -> Valuations:
    """CORE/DEN-TYPE: one valuation for each event of the type, which is a variable and holds the event."""
    return frozenset(
        Valuation(position, position, frozenset([(name, position)]))
        for position, event in enumerate(events)
        if event.template == name
    )


def den_as(valuations: Valuations, variable: str) -> Valuations:
    """CORE/DEN-AS: the variable holds all positions of the valuation; the others are as they were."""
    return frozenset(
        replace(
            each,
            content=frozenset((name, position) for name, position in each.content if name != variable)
            | {(variable, position) for position in each.positions},
        )
        for each in valuations
    )


def den_filter(valuations: Valuations, condition: tree.Condition, events: Sequence[Event]) -> Valuations:
    """CORE/DEN-FILTER: those that fulfil the condition."""
    return frozenset(each for each in valuations if fulfils(each, condition, events))


def fulfils(valuation: Valuation, condition: tree.Condition, events: Sequence[Event]) -> bool:
    """Whether a valuation fulfils a condition: for all events of a variable, for all pairs of two. An empty variable
    does."""
    match condition:
        case tree.Holds(variable=variable, predicate=predicate):
            return all(satisfies(events[position], predicate) for position in valuation.of(variable))
        case tree.Link():
            return all(
                compared(
                    events[one].attributes.get(condition.left_attribute),
                    condition.operator,
                    events[other].attributes.get(condition.right_attribute),
                )
                for one, other in product(valuation.of(condition.left), valuation.of(condition.right))
            )
        case tree.Both(parts=parts):
            return all(fulfils(valuation, part, events) for part in parts)
        case tree.Either(parts=parts):
            return any(fulfils(valuation, part, events) for part in parts)


def den_or(operands: Iterable[Valuations]) -> Valuations:
    """CORE/DEN-OR: the valuations of each."""
    return frozenset[Valuation]().union(*operands)


_FITS: Mapping[str, Callable[[Valuation, Valuation], bool]] = {
    "after": lambda one, other: one.end < other.start,
    "meets": lambda one, other: one.end == other.start,
    "next": lambda one, other: one.end + 1 == other.start,
}


def den_sequence(first: Iterable[Valuation], then: Iterable[Valuation], sequence: str) -> Valuations:
    """CORE/DEN-SEQ: one after the other, from the start of the first to the end of the second, their variables united.
    With `next`, the second begins right behind the first."""
    fits, later = _FITS[sequence], list(then)
    found = set[Valuation]()
    for one in first:
        found.update(Valuation(one.start, two.end, one.content | two.content) for two in later if fits(one, two))
        if len(found) > MAX_VALUATIONS:
            raise TooManyValuations
    return frozenset(found)


def den_plus(valuations: Valuations, sequence: str, effort: Effort | None = None) -> Valuations:
    """CORE/DEN-PLUS: the least set that has these, and these in front of what it has."""
    found = new = valuations
    effort = effort or Effort()
    while new:
        effort.spend(len(valuations) * len(new))
        new = den_sequence(valuations, new, sequence) - found
        found |= new
    return found


def den_proj(valuations: Valuations, names: Iterable[str]) -> Valuations:
    """CORE/DEN-PROJ: the variables that are not named become empty; the interval stays."""
    kept = frozenset(names)
    return frozenset(
        replace(each, content=frozenset((name, position) for name, position in each.content if name in kept))
        for each in valuations
    )
