"""The fractional edge cover: an upper bound on the number of partial matches that share values (D §5.6.1;
specification: edge-cover).

The vertices are the events of a partial match, and the classes of attributes that conditions make equal. A degree says:
for one combination of the vertices `origin` there are at most `count` combinations of the vertices `targets`. Let h be
the entropy of a partial match that is drawn from all of them with equal chances, so that h is the logarithm of their
number. For any order of the vertices, and weights w of degrees such that every vertex is covered with weight 1 by
degrees whose `origin` stands before it:

    Σ w · log count  ≥  Σ w · h(targets | origin)  ≥  Σ h(vertex | all vertices before)  =  h

So there are at most Π count^w partial matches. A linear program finds the weights; the certificate is checked without
it, in integers. The case of pairwise joins is the bound of Atserias, Grohe and Marx.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from parte.semantics.partelang.counting import affordable

PRECISION = 2**20
"""Logarithms become integers after multiplication by this; rounding may only choose weights that are not the best."""


@dataclass(frozen=True, slots=True)
class Degree:
    """At most `count` combinations of the vertices `targets` for each combination of the vertices `origin`."""

    origin: frozenset[int]
    targets: frozenset[int]
    count: int

    def covers(self, order: Sequence[int]) -> frozenset[int]:
        """Return the vertices that it covers under an order: those targets that stand after the whole origin."""
        last = max((order.index(vertex) for vertex in self.origin), default=-1)
        return self.targets.intersection(order[last + 1 :])


@dataclass(frozen=True, slots=True)
class Cover:
    """A certificate: an order of the vertices, and degrees with weights."""

    order: tuple[int, ...]
    weights: tuple[tuple[Degree, Fraction], ...]

    def bound(self) -> int:
        """Return the bound that it certifies. Raise ValueError if it certifies none, NotComputed if it is too large."""
        covered = dict.fromkeys(self.order, Fraction())
        for degree, weight in self.weights:
            if weight < 0:
                raise ValueError(f"expected a weight of at least 0, found {weight}")
            for vertex in degree.covers(self.order):
                covered[vertex] += weight
        if any(weight < 1 for weight in covered.values()):
            raise ValueError(f"a vertex is covered with less than 1: {covered}")
        root = math.lcm(*(weight.denominator for _, weight in self.weights))
        return affordable(_root(math.prod(degree.count ** int(weight * root) for degree, weight in self.weights), root))


def _root(number: int, degree: int) -> int:
    """Return the greatest integer whose power is at most a number."""
    if degree == 1 or number < 2:
        return number
    low, high = 1, 1 << (number.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle)
    return low


def least_cover(degrees: Sequence[Degree], orders: Iterable[Sequence[int]]) -> Cover | None:
    """Return the cover with the least bound over some orders; None if no order has one. All counts are positive."""
    covers = [cover for order in orders if (cover := _covered(degrees, tuple(order))) is not None]
    return min(covers, key=Cover.bound, default=None)


def orders_of(events: Sequence[int], classes: Sequence[frozenset[int]], start: Sequence[int]) -> Iterator[list[int]]:
    """Yield orders of the vertices: `start` and then the other events, each class just before the first of its events.

    `classes` are the events of each class; class i is the vertex after the events and i other classes.
    """
    for rest in permutations([event for event in events if event not in start]):
        order: list[int] = []
        for event in (*start, *rest):
            order.extend(
                vertex
                for vertex, of_class in enumerate(classes, start=len(events))
                if event in of_class and vertex not in order
            )
            order.append(event)
        yield order


def _covered(degrees: Sequence[Degree], order: tuple[int, ...]) -> Cover | None:
    """Return the best cover for one order."""
    cheapest: dict[frozenset[int], Degree] = {}
    for degree in degrees:
        covers = degree.covers(order)
        if covers and (covers not in cheapest or degree.count < cheapest[covers].count):
            cheapest[covers] = degree
    chosen = [
        (covers, degree)
        for covers, degree in cheapest.items()
        if not any(covers < wider and cheaper.count <= degree.count for wider, cheaper in cheapest.items())
    ]
    if frozenset().union(*(covers for covers, _ in chosen)) != frozenset(order):
        return None
    costs = [round(math.log2(degree.count) * PRECISION) for _, degree in chosen]
    weights = cheapest_weights([[vertex in covers for vertex in order] for covers, _ in chosen], costs)
    return Cover(order, tuple((degree, weight) for (_, degree), weight in zip(chosen, weights, strict=True) if weight))


def cheapest_weights(covers: Sequence[Sequence[bool]], costs: Sequence[int]) -> list[Fraction]:
    """Return the weights of rows with the least total cost such that each column is covered with at least 1.

    This is the simplex algorithm on the dual program, exact and with Bland's rule: the most that columns can pay if no
    row is paid more than its cost. Every column must be covered by some row.
    """
    rows, columns = len(costs), len(covers[0])
    table = [
        [Fraction(covered) for covered in row] + [Fraction(row_number == slack) for slack in range(rows)]
        for row_number, row in enumerate(covers)
    ]
    limits = [Fraction(cost) for cost in costs]
    gains = [Fraction(1)] * columns + [Fraction(0)] * rows
    basis = [columns + row for row in range(rows)]
    while (entering := next((index for index, gain in enumerate(gains) if gain > 0), None)) is not None:
        ratios = [
            (limits[row] / table[row][entering], basis[row], row) for row in range(rows) if table[row][entering] > 0
        ]
        _, _, leaving = min(ratios)
        pivot = table[leaving][entering]
        table[leaving] = [value / pivot for value in table[leaving]]
        limits[leaving] /= pivot
        for row in range(rows):
            if row != leaving and table[row][entering]:
                factor = table[row][entering]
                table[row] = [value - factor * base for value, base in zip(table[row], table[leaving], strict=True)]
                limits[row] -= factor * limits[leaving]
        factor = gains[entering]
        gains = [gain - factor * base for gain, base in zip(gains, table[leaving], strict=True)]
        basis[leaving] = entering
    return [-gain for gain in gains[columns:]]
