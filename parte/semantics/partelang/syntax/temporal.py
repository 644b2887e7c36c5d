"""The temporal closure of a rule: the tightest bounds between its variables (D §5.5.3;
specification: variables-related).

A constraint bounds the difference of two timestamps from both sides. The bounds between all pairs follow by shortest
paths (Floyd and Warshall): variables are nodes, and an edge is the greatest value of a difference. Distances may be
solver terms, as in the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from parte.semantics.events.event import NEGATIVE_INFINITY
from parte.semantics.partelang.syntax.core import Constraint
from parte.semantics.rulebook.connectives import greater, lesser

Interval = tuple[int, int]
"""The least and the greatest difference of two timestamps, in milliseconds, both included."""


@dataclass(frozen=True, slots=True)
class Distances:
    """The closure. `greatest[i][j]` bounds variable i minus variable j; None if there is no bound.

    If the constraints contradict each other, `between` returns the bounds that were known when the contradiction was
    found, and some interval may be empty.
    """

    variables: tuple[str, ...]
    greatest: tuple[tuple[int | None, ...], ...]
    contradictory: bool

    def between(self, subject: str, reference: str) -> Interval | None:
        """Return the bounds of `subject.timestamp - reference.timestamp`; None if the two are not related."""
        i, j = self.variables.index(subject), self.variables.index(reference)
        upper, lower = self.greatest[i][j], self.greatest[j][i]
        return None if upper is None or lower is None else (-lower, upper)


def closure(variables: Sequence[str], constraints: Iterable[Constraint]) -> Distances:
    """Return the tightest bounds between `variables`, the positive ones of a rule.

    Constraints on other variables, such as negated ones, do not affect these and are left out.
    """
    index = {variable: number for number, variable in enumerate(variables)}
    size = len(index)
    rows: list[list[int | None]] = [[0 if i == j else None for j in range(size)] for i in range(size)]
    for constraint in constraints:
        if constraint.negated or constraint.subject not in index or constraint.reference not in index:
            continue
        i, j = index[constraint.subject], index[constraint.reference]
        rows[i][j] = _least(rows[i][j], constraint.upper)
        if constraint.lower is not None:
            rows[j][i] = _least(rows[j][i], -constraint.lower)
    contradictory = False
    for k in range(size):
        via = rows[k]
        for i, row in enumerate(rows):
            first = row[k]
            if first is not None and i != k:
                rows[i] = [
                    old if rest is None else _least(old, first + rest) for old, rest in zip(row, via, strict=True)
                ]
        if any(_below_zero(rows[i][i]) for i in range(size)):
            contradictory = True
            break
    return Distances(tuple(variables), tuple(map(tuple, rows)), contradictory)


def _least(known: int | None, bound: int) -> int:
    return bound if known is None else lesser(known, bound)


def _below_zero(value: int | None) -> bool:
    return value is not None and value < 0


def negated_bounds(distances: Distances, variable: str, constraints: Iterable[Constraint]) -> dict[str, Interval]:
    """Return the bounds of a negated variable relative to each positive variable that its constraints reach.

    An interval with lower > upper means that no event can fill the negated pattern; the lower end is
    `NEGATIVE_INFINITY` if the window has no beginning. The negated variable does not bound the positive ones: an absent
    event constrains nothing.
    """
    bounds: dict[str, Interval] = {}
    for constraint in constraints:
        if constraint.subject != variable:
            continue
        for positive in distances.variables:
            distance = distances.between(constraint.reference, positive)
            if distance is not None:
                lower, upper = constraint.begins + distance[0], constraint.upper + distance[1]
                if constraint.lower is None:
                    lower = NEGATIVE_INFINITY
                known = bounds.get(positive, (lower, upper))
                bounds[positive] = (greater(lower, known[0]), lesser(upper, known[1]))
    return bounds
