"""The temporal closure against what the constraints mean (D §5.5.3)."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from parte.semantics.partelang.syntax.core import Constraint
from parte.semantics.partelang.syntax.temporal import Distances, closure, negated_bounds

VARIABLES = ("a", "b", "c")
RANGE = range(-9, 10)
"""Differences of timestamps that bounds of at most 3 allow over three steps."""


def constraint(subject: str, reference: str, lower: int, width: int, *, negated: bool = False) -> Constraint:
    return Constraint(subject, reference, lower, lower + width, negated)


pairs = st.tuples(st.sampled_from(VARIABLES), st.sampled_from(VARIABLES)).filter(lambda pair: pair[0] != pair[1])
positive = st.builds(
    lambda pair, lower, width: constraint(pair[0], pair[1], lower, width), pairs, st.integers(-3, 1), st.integers(0, 2)
)
negative = st.builds(
    lambda reference, lower, width: constraint("n", reference, lower, width, negated=True),
    st.sampled_from(VARIABLES),
    st.integers(-3, 1),
    st.integers(0, 2),
)


def holds(item: Constraint, times: dict[str, int]) -> bool:
    return times[item.reference] + item.begins <= times[item.subject] <= times[item.reference] + item.upper


@given(st.lists(positive, max_size=5))
def test_closure_is_what_the_constraints_allow(constraints: list[Constraint]) -> None:
    distances = closure(VARIABLES, constraints)
    # Only differences matter, so the first variable stands still; what is unbounded leaves the range.
    candidates = [{"a": 0, "b": b, "c": c} for b, c in product(RANGE, RANGE)]
    models = [times for times in candidates if all(holds(item, times) for item in constraints)]
    assert distances.contradictory == (not models)
    if models:
        for subject, reference in product(VARIABLES, VARIABLES):
            bounds = distances.between(subject, reference)
            seen = [times[subject] - times[reference] for times in models]
            if bounds is None:
                assert not connected(subject, reference, constraints)
            else:
                assert bounds == (min(seen), max(seen))


def connected(start: str, goal: str, constraints: list[Constraint]) -> bool:
    reached = {start}
    for _ in VARIABLES:
        for item in constraints:
            if {item.subject, item.reference} & reached:
                reached |= {item.subject, item.reference}
    return goal in reached


@given(st.lists(positive, max_size=4), st.lists(negative, min_size=1, max_size=3))
def test_bounds_of_a_negated_variable(constraints: list[Constraint], negations: list[Constraint]) -> None:
    distances = closure(VARIABLES, [*constraints, *negations])
    assert distances == closure(VARIABLES, constraints)
    if distances.contradictory or any(distances.between("a", name) is None for name in VARIABLES):
        return
    bounds = negated_bounds(distances, "n", negations)
    assert set(bounds) == set(VARIABLES)
    candidates = [{"a": 0, "b": b, "c": c, "n": n} for b, c, n in product(RANGE, RANGE, RANGE)]
    models = [times for times in candidates if all(holds(item, times) for item in (*constraints, *negations))]
    for positive_variable, (lower, upper) in bounds.items():
        seen = [times["n"] - times[positive_variable] for times in models]
        if seen:
            assert lower <= min(seen)
            assert max(seen) <= upper
    assert any(lower > upper for lower, upper in bounds.values()) == (not models)


def test_bounds_beyond_64_bit_are_exact() -> None:
    great = 2**63 - 1
    distances = closure(VARIABLES, [constraint("b", "a", great, 0), constraint("c", "b", great, 0)])
    assert distances.between("c", "a") == (2 * great, 2 * great)


def test_a_variable_alone() -> None:
    assert closure(["a"], []) == Distances(("a",), ((0,),), contradictory=False)
    assert closure(["a"], []).between("a", "a") == (0, 0)


def test_a_contradiction_among_many_variables_ends() -> None:
    names = [f"v{number}" for number in range(64)]
    constraints = [
        constraint(subject, reference, 1, 0) for subject, reference in product(names, names) if subject != reference
    ]
    assert closure(names, constraints).contradictory
