"""Values that are only compared: what is made up lies where it is to lie, and neighbours have nothing between them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from parte.checker.solver.numbers import NumberOrder, successor
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER

NUMBERS = st.one_of(
    st.integers(LEAST_INTEGER, GREATEST_INTEGER),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([2**53, 2.0**53, 2**53 + 1, 2**63 - 1, -(2**63), 2.0**63, 5e-324, 0, -0.0, 1.7976931348623157e308]),
)


@given(number=NUMBERS)
def test_nothing_lies_between_a_number_and_its_successor(number: int | float) -> None:
    if number == 1.7976931348623157e308:
        return
    above = successor(number)
    assert above > number
    exact = Fraction(number), Fraction(above)
    middle = float((exact[0] + exact[1]) / 2)
    assert not number < middle < above
    assert not (isinstance(above, float) and LEAST_INTEGER <= (whole := number // 1 + 1) <= GREATEST_INTEGER) or (
        whole >= above or whole <= number
    )


@given(mentioned=st.lists(NUMBERS, max_size=4), places=st.lists(st.fractions(0, 70), max_size=5))
def test_places_become_numbers_in_the_same_order(mentioned: list[int | float], places: list[Fraction]) -> None:
    order = NumberOrder(mentioned)
    last = len(order.known) - 1
    inside = [
        place
        for place in places
        if place <= last
        and (place.denominator == 1 or successor(order.known[int(place)]) != order.known[int(place) + 1])
    ]
    numbers = order.values(inside)
    assert all(numbers[left] < numbers[right] for left, right in pairwise(sorted(set(inside))))
    for place, number in numbers.items():
        low = order.known[int(place)]
        assert number == low if place.denominator == 1 else low < number < order.known[int(place) + 1]
        assert isinstance(number, float) or LEAST_INTEGER <= number <= GREATEST_INTEGER
