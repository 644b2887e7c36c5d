"""Fractional edge covers: certificates that are checked apart from the linear program, and counts by brute force."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
import z3
from hypothesis import assume, given
from hypothesis import strategies as st

from parte.checker.environment.deployment import Cardinality, Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event
from parte.semantics.events.rates import Rate, Supply
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.edge_cover import Cover, Degree, cheapest_weights, least_cover, orders_of
from parte.semantics.partelang.execution import run_network
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.streams import Key, Partial, Stream
from parte.semantics.partelang.syntax.elaborate import parse

LONG = 1000
"""Milliseconds in which all events of these streams come."""


def cycle(numbers: list[int], copies: list[int], *, covering: bool = True) -> Partial:
    """Partial matches in which `y` of each event equals `x` of the next, and `y` of the last `x` of the first; of each
    template come so many events, of one pair of values so many copies."""
    size = len(numbers)
    streams = tuple(
        Stream((Supply(Rate(number, LONG)),), keys={frozenset({"x", "y"}): Key(Rate(copy, LONG))})
        for number, copy in zip(numbers, copies, strict=True)
    )
    classes = tuple(frozenset({(i, "y"), ((i + 1) % size, "x")}) for i in range(size))
    distances = tuple(tuple((0, 0) if i == j else (-9, 9) for j in range(size)) for i in range(size))
    return Partial(tuple("abcdef"[:size]), streams, distances, classes, (frozenset(),) * size, covering)


def counted(partial: Partial) -> int:
    return partial.product([partial.root(j, 9) for j in range(len(partial.streams))])


@pytest.mark.parametrize(
    ("number", "copies", "expected"),
    [(2, 1, 2), (3, 1, 5), (4, 1, 8), (2, 2, 8), (3, 2, 14), (3, 3, 27), (5, 1, 11)],
)
def test_a_triangle(number: int, copies: int, expected: int) -> None:
    assert counted(cycle([number] * 3, [copies] * 3)) == expected
    assert counted(cycle([number] * 3, [copies] * 3, covering=False)) == number**3


def test_longer_partial_matches_are_counted_by_trees() -> None:
    assert counted(cycle([2] * 5, [1] * 5)) == 5  # ⌊2^2.5⌋
    assert counted(cycle([2] * 6, [1] * 6)) == 2**6


def test_counts_whose_logarithms_are_rounded_alike() -> None:
    """The weights may then be those of the greater count, but the bound is exact for them."""
    huge = 10**40
    degrees = [Degree(frozenset(), frozenset({0}), huge), Degree(frozenset(), frozenset({0, 1}), huge + 1)]
    cover = least_cover([*degrees, Degree(frozenset({0}), frozenset({1}), 1)], [(0, 1)])
    assert cover is not None
    assert cover.bound() in (huge, huge + 1)


Pair = tuple[int, int]


@st.composite
def relations(draw: st.DrawFn) -> list[list[Pair]]:
    """Pairs of values for the events of three or four templates, several equal ones among them."""
    values = st.tuples(st.integers(0, 2), st.integers(0, 2))
    return draw(st.lists(st.lists(values, min_size=1, max_size=6), min_size=3, max_size=4))


@given(relations())
def test_no_more_partial_matches_than_the_cover_says(events: list[list[Pair]]) -> None:
    size = len(events)
    matches = sum(all(chosen[i][1] == chosen[(i + 1) % size][0] for i in range(size)) for chosen in product(*events))
    partial = cycle([len(pairs) for pairs in events], [max(Counter(pairs).values()) for pairs in events])
    assert matches <= counted(partial)
    assert partial.extending((0,), 1) * len(events[0]) >= matches


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=5), st.data())
def test_the_linear_program_finds_the_least_cost(rows: list[list[bool]], data: st.DataObject) -> None:
    assume(all(any(row[column] for row in rows) for column in range(3)))
    costs = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    weights = cheapest_weights(rows, costs)
    assert all(weight >= 0 for weight in weights)
    for column in range(3):
        assert sum(weight for row, weight in zip(rows, weights, strict=True) if row[column]) >= 1
    solver, unknown = z3.Optimize(), [z3.Real(f"w{number}") for number in range(len(rows))]
    solver.add(*(weight >= 0 for weight in unknown))
    for column in range(3):
        solver.add(z3.Sum([weight for row, weight in zip(rows, unknown, strict=True) if row[column]]) >= 1)
    total = z3.Sum([cost * weight for cost, weight in zip(costs, unknown, strict=True)])
    least = solver.minimize(total)
    assert solver.check() == z3.sat
    assert Fraction(str(solver.lower(least))) == sum(c * w for c, w in zip(costs, weights, strict=True))


def test_a_certificate_that_covers_too_little_is_refused() -> None:
    """Its weights are made smaller, made negative, or its order such that what is given comes too late."""
    both = frozenset({0, 1})
    degrees = [Degree(frozenset(), both, 5), Degree(frozenset({0}), frozenset({1}), 2)]
    cover = least_cover(degrees, orders_of([0, 1], [], ()))
    assert cover is not None
    assert cover.bound() == 5
    for weights in (
        [(degrees[0], Fraction(1, 2))],
        [(degrees[0], Fraction(2)), (degrees[1], Fraction(-1))],
    ):
        with pytest.raises(ValueError, match=r"weight|covered"):
            Cover((0, 1), tuple(weights)).bound()
    one_by_one = Degree(frozenset(), frozenset({0}), 3), Degree(frozenset({0}), frozenset({1}), 1)
    assert Cover((0, 1), tuple((degree, Fraction(1)) for degree in one_by_one)).bound() == 3
    with pytest.raises(ValueError, match="covered"):
        Cover((1, 0), tuple((degree, Fraction(1)) for degree in one_by_one)).bound()


def test_nothing_is_covered_without_a_degree() -> None:
    assert least_cover([Degree(frozenset({0}), frozenset({1}), 2)], orders_of([0, 1], [], ())) is None


# --- The sizes of a program -------------------------------------------------------------------------------------------

TRIANGLE = """template A { x: Integer, y: Integer }
template B { x: Integer, y: Integer }
template C { x: Integer, y: Integer }
template D { x: Integer }
rule R where a: A, b: B { x = a.y }, c: C { x = b.y, y = a.x }, d: D
when b in a [-9 ms, 9 ms], c in a [-9 ms, 9 ms], c in b [-9 ms, 9 ms], d in a [0 ms, 9 ms] then
"""


def deployment(number: int, copies: int | None) -> Deployment:
    emits = tuple(Emits(name, Rate(number, LONG)) for name in "ABC")
    keys = () if copies is None else tuple(Cardinality(name, ("x", "y"), Rate(copies, LONG)) for name in "ABC")
    return Deployment((Source("s", (*emits, Emits("D", Rate(1, LONG)))),), keys)


def test_the_report_says_which_of_the_two_bounds_is_less() -> None:
    program = parse(TRIANGLE)
    plain = bounds(program, deployment(4, None)).size("join:R.d", "left")
    keyed = bounds(program, deployment(4, 1)).size("join:R.d", "left")
    assert plain.viable is not None
    assert (plain.viable, plain.reason) == (4**3 + 4**2 + 1, "partial matches along the best spanning tree")
    assert keyed.viable is not None
    assert keyed.viable < plain.viable
    assert keyed.reason.startswith("partial matches by a fractional edge cover; 80 along the best spanning tree")


@pytest.mark.parametrize(("number", "most"), [(2, 2), (3, 4), (4, 8)])
def test_equal_events_have_more_matches_than_the_printed_triangle_query(number: int, most: int) -> None:
    """D prints the bound for sets of tuples, but events are individuals: without a declaration there are n³ matches.
    With different pairs, no run has more than the bound."""
    assert triangles([(0, 0)] * number) == number**3 > int(number**1.5)
    draw = random.Random(number)
    pairs = [(x, y) for x in range(2) for y in range(2)]
    greatest = max(triangles(draw.sample(pairs, number)) for _ in range(20))
    assert greatest == most <= counted(cycle([number] * 3, [1] * 3)) == int(number**1.5)


def triangles(pairs: list[Pair]) -> int:
    """The matches of the machine if events of these pairs come of each template at once, and one of D."""
    network = compile_program(parse(TRIANGLE), {}, dict.fromkeys("ABCD", ("s",)))
    events = [Event(f"{name}{i}", name, 0, {"x": x, "y": y}, "s") for name in "ABC" for i, (x, y) in enumerate(pairs)]
    arrivals = [Arrival("s", event.template, 0, event) for event in (*events, Event("d", "D", 0, {"x": 0}, "s"))]
    arrivals += [Arrival("s", name, POSITIVE_INFINITY, None) for name in "ABCD"]
    return len(run_network(network, arrivals, SOUND, RoundRobin()).matches)
