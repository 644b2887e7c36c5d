"""Sets with a few elements (level 2): the events that may be elements, and the aggregates of those that are.

What is found is only a suggestion: sums of Floats are not rounded here. The machine's own aggregates decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import cast

from parte.checker.partelang.claims import Claim, Not
from parte.checker.partelang.scenes import Scene
from parte.checker.solver import terms
from parte.checker.solver.terms import Formula, Number
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core

FEW = (1, 1, 1)
"""For each set, the numbers of copies of the events beside those of the question, in the first attempt."""

MOST_ELEMENTS = 1000
"""Sets with more elements are not tried."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An event that is an element under a claim, and how many such events the trace has."""

    event: str
    copies: int
    inside: Claim


@dataclass(frozen=True, slots=True)
class Contents:
    """Events that the trace has besides, by variable with their template and number; and the candidates of each set."""

    variables: dict[str, str] = field(default_factory=dict)
    copies: dict[str, int] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    candidates: dict[str, list[Candidate]] = field(default_factory=dict)


def numbers_of_copies(aggregates: Sequence[core.Expression]) -> list[tuple[int, ...]]:
    """Return the attempts, each with the numbers of copies of the events for a set; conditions may ask for many."""
    greatest = max(
        (
            abs(part.value)
            for condition in aggregates
            for part in core.EXPRESSIONS.within(condition)
            if isinstance(part, core.Constant) and type(part.value) is int and abs(part.value) < MOST_ELEMENTS
        ),
        default=0,
    )
    many = list(FEW)
    while sum(many) <= greatest + 1:
        many.append(min(2 ** (len(many) - 2), greatest + 2 - sum(many)))
    return [FEW, tuple(many)] if len(many) > len(FEW) else [FEW]


def contents(scene: Scene, events: Mapping[str, str], copies: Sequence[int]) -> Contents:
    """Return the contents of sets if the trace has the given events, and for each set some more."""
    result = Contents()
    for of in scene.sets:
        for number, times in enumerate(copies, 1):
            event = f"{of.variable}#{number}"
            result.variables[event], result.copies[event] = of.pattern.template, times
            absent = [filler for filler in scene.absent if filler.pattern.template == of.pattern.template]
            result.claims.extend(Not(filler.filled_by(event)) for filler in absent)
    known = {**events, **result.variables}
    for of in scene.sets:
        result.candidates[of.variable] = [
            Candidate(event, result.copies.get(event, 1), of.filled_by(event))
            for event, template in known.items()
            if template == of.pattern.template
        ]
    return result


# --- Aggregates as terms ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """A candidate as terms: it is an element if `inside` holds; `value` is that of the attribute."""

    inside: Formula
    copies: int
    value: object
    time: Number


Less = Callable[[object, object], Formula]


def number_of(items: Sequence[Item]) -> Number:
    """Return how many elements there are."""
    counted = (terms.choose(item.inside, terms.whole(item.copies), terms.whole(0)) for item in items)
    return reduce(terms.plus, counted, terms.whole(0))


def number_of_values(items: Sequence[Item], equal: Less) -> Number:
    """Return how many different values the elements have."""
    total = terms.whole(0)
    for position, item in enumerate(items):
        before = [terms.both(earlier.inside, equal(earlier.value, item.value)) for earlier in items[:position]]
        new = terms.both(item.inside, terms.negated(terms.either(*before)))
        total = terms.plus(total, terms.choose(new, terms.whole(1), terms.whole(0)))
    return total


def total_of(items: Sequence[Item], type_: Scalar) -> Number:
    """Return the exact sum."""
    whole = type_ is Scalar.INTEGER
    zero = terms.whole(0) if whole else terms.rational(0)
    total = zero
    for item in items:
        times = terms.whole(item.copies) if whole else terms.rational(item.copies)
        total = terms.plus(total, terms.choose(item.inside, terms.times(times, _number(item.value)), zero))
    return total


def mean_of(items: Sequence[Item], type_: Scalar) -> Number:
    """Return the exact mean; nothing follows from it where there are no elements."""
    total, number = total_of(items, type_), number_of(items)
    real = terms.to_real(total) if type_ is Scalar.INTEGER else total
    mean = terms.rational(0)
    for size in range(1, sum(item.copies for item in items) + 1):
        quotient = terms.over(real, terms.rational(size))
        mean = terms.choose(terms.equal(number, terms.whole(size)), quotient, mean)
    return mean


def chosen(items: Sequence[Item], better: Callable[[Item, Item], Formula]) -> object:
    """Return the value of an element than which none is better."""
    best, some = items[0], items[0].inside
    for item in items[1:]:
        new = terms.both(item.inside, terms.either(terms.negated(some), better(item, best)))
        value = terms.choose(new, _number(item.value), _number(best.value))
        best = Item(terms.TRUE, 1, value, terms.choose(new, item.time, best.time))
        some = terms.either(some, item.inside)
    return best.value


def _number(value: object) -> Number:
    return cast(Number, value)
