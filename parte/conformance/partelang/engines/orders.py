"""The possible orders of the events of a match, for engines whose patterns are sequences.

A rule bounds the distances between its events, not their order. In a language of sequences one writes a pattern for
each order that its windows admit, and takes all of them together; two variables that one event may fill are one place
of a further pattern, since there an event fills one place of a match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.flink.intervals import closure
from parte.semantics.partelang.syntax import core

MOST_ORDERS = 100
_FAR = 2**100
"""A distance that no two timestamps have."""


@dataclass(frozen=True, slots=True)
class Order:
    """The places of a sequence, each with the variables that its one event fills; `span` is the greatest distance in ms
    between the first event and the last."""

    places: tuple[tuple[str, ...], ...]
    span: int

    def place(self, variable: str) -> int:
        """Return the place of a variable, from 0."""
        return next(number for number, place in enumerate(self.places) if variable in place)


@dataclass(frozen=True, slots=True)
class Absence:
    """A place where an event that defeats a match may come, and the conditions to test there.

    `after` is the place after which it comes, before the next one. `windows` are those that its place does not imply.
    It is `tied` if it can come there only at the same time as that place's event.
    """

    pattern: core.Pattern
    after: int
    windows: tuple[core.Constraint, ...]
    tied: bool


def orders(rule: core.Rule) -> Sequence[Order]:
    """Return all orders that the windows admit. Inexpressible if there is none, or more than `MOST_ORDERS`."""
    windows = [constraint for constraint in rule.constraints if not constraint.negated]
    variables = [pattern.variable for pattern in rule.positive]
    admitted = []
    for places in _arranged(rule, windows, variables, ()):
        most = closure(variables, [*windows, *_ordered(places)])
        first = places[0][0]
        admitted.append(Order(places, max(most[first, variable] for variable in variables)))
        if len(admitted) > MOST_ORDERS:
            raise Inexpressible(f"events that may come in more than {MOST_ORDERS} orders, each a sequence of its own")
    if not admitted:
        raise Inexpressible("windows that no order of the events fits: there is no sequence to ask for")
    return admitted


def _arranged(
    rule: core.Rule,
    windows: Sequence[core.Constraint],
    left: Sequence[str],
    places: tuple[tuple[str, ...], ...],
) -> Iterator[tuple[tuple[str, ...], ...]]:
    if not left:
        yield places
        return
    variables = [pattern.variable for pattern in rule.positive]
    template = {pattern.variable: pattern.template for pattern in rule.patterns}
    most = closure(variables, [*windows, *_ordered(places)])
    first = [variable for variable in left if all(most[variable, successor] >= 0 for successor in left)]
    for place in chain.from_iterable(combinations(first, size) for size in range(1, len(first) + 1)):
        if len({template[variable] for variable in place}) == 1:
            longer = (*places, place)
            if _possible(closure(variables, [*windows, *_ordered(longer)])):
                yield from _arranged(rule, windows, [v for v in left if v not in place], longer)


def absences(rule: core.Rule, order: Order, negated: core.Pattern) -> Sequence[Absence]:
    """Return the places at which an event of a negated pattern defeats a match that comes in this order.

    Inexpressible if one of them is before the first event, or if a condition on the event there concerns later events.
    An event that could come before another only at the same time is taken to come after it.
    """
    own = [constraint for constraint in rule.constraints if constraint.subject == negated.variable]
    known = [*(c for c in rule.constraints if not c.negated), *_ordered(order.places)]
    names = [pattern.variable for pattern in rule.positive] + [negated.variable]
    first, last = order.places[0][0], len(order.places) - 1
    if _possible(closure(names, [*known, *own, core.Constraint(first, negated.variable, 1, _FAR, False)])):
        raise Inexpressible("an absence before the first event of a match: a sequence begins with an event")
    possible = []
    for after in range(last + 1):
        at = order.places[after][0]
        there = [*known, core.Constraint(negated.variable, at, 0, _FAR, False)]
        if after < last:
            there.append(core.Constraint(order.places[after + 1][0], negated.variable, 1, _FAR, False))
        most = closure(names, [*there, *own])
        if not _possible(most):
            continue
        tied = most[at, negated.variable] == 0
        past = {variable for place in order.places[: after + 1] for variable in place}
        tested = tuple(constraint for constraint in own if constraint.reference in past)
        most = closure(names, [*there, *tested])
        if not all(_implied(constraint, most) for constraint in own if constraint not in tested):
            raise Inexpressible(
                "an absence in a window around a later event: only earlier ones are known to a sequence"
            )
        later = {variable for condition in negated.conditions for variable in core.variables_of(condition)} - past
        if later - {negated.variable}:
            raise Inexpressible("an absence under a condition about a later event: only earlier ones are known")
        possible.append(Absence(negated, after, tested, tied))
    return possible


def itself(rule: core.Rule, order: Order, negated: core.Pattern) -> Sequence[int]:
    """Return the places whose own event may fill a negated pattern, and so defeat the match that it is part of."""
    own = [constraint for constraint in rule.constraints if constraint.subject == negated.variable]
    known = [*(c for c in rule.constraints if not c.negated), *_ordered(order.places)]
    names = [pattern.variable for pattern in rule.positive] + [negated.variable]
    template = {pattern.variable: pattern.template for pattern in rule.patterns}
    return [
        number
        for number, place in enumerate(order.places)
        if template[place[0]] == negated.template
        and _possible(closure(names, [*known, *own, core.Constraint(negated.variable, place[0], 0, 0, False)]))
    ]


def farthest(rule: core.Rule, order: Order, place: int = 0) -> int:
    """Return the greatest distance in ms from the event of a place, the first, to the last event, or to an event that
    may defeat the match."""
    positive = [pattern.variable for pattern in rule.positive]
    known = [*(c for c in rule.constraints if not c.negated), *_ordered(order.places)]
    since = order.places[place][0]
    most = closure(positive, known)
    distances = [most[since, variable] for variable in positive]
    for absent in (pattern.variable for pattern in rule.patterns if pattern.negated):
        own = [constraint for constraint in rule.constraints if constraint.subject == absent]
        most = closure([*positive, absent], [*known, *own])
        if _possible(most):  # else nothing defeats
            distances.append(most[since, absent])
    return max(distances)


def _ordered(places: Iterable[tuple[str, ...]]) -> Iterator[core.Constraint]:
    """Yield constraints for places: events of one place have the same time, and none is before an earlier place."""
    places = list(places)
    for place in places:
        for variable in place[1:]:
            yield core.Constraint(variable, place[0], 0, 0, False)
    for earlier, later in pairwise(places):
        yield core.Constraint(later[0], earlier[0], 0, _FAR, False)


def _possible(most: Mapping[tuple[str, str], int]) -> bool:
    return all(distance >= 0 for (first, second), distance in most.items() if first == second)


def _implied(constraint: core.Constraint, most: Mapping[tuple[str, str], int]) -> bool:
    subject, reference = constraint.subject, constraint.reference
    return most[reference, subject] <= constraint.upper and most[subject, reference] <= -constraint.begins
