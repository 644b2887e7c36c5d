"""What is a pattern of EA and what its type is (D def. 11)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from parte.algebra.partelang.patterns import (
    All,
    Binding,
    Conjunction,
    Disjunction,
    Filter,
    FilteredNegation,
    Pattern,
    PatternError,
    Within,
    type_of,
)
from tests.algebra.partelang.strategies import attribute_of

X, Y, Z = Binding("T", "x"), Binding("U", "y"), Binding("T", "z")
NEAR = Within("y", "x", 0, 2)


@pytest.mark.parametrize(
    ("pattern", "type_"),
    [
        (X, {"x": "T"}),
        (Conjunction(X, Y), {"x": "T", "y": "U"}),
        (Disjunction(Conjunction(X, Y), Conjunction(Y, X)), {"x": "T", "y": "U"}),
        (Filter(Conjunction(X, Y), NEAR), {"x": "T", "y": "U"}),
        (FilteredNegation(X, Y, NEAR), {"x": "T"}),
        (Conjunction(FilteredNegation(X, Y, NEAR), Binding("T", "y")), {"x": "T", "y": "T"}),
    ],
)
def test_types(pattern: Pattern, type_: dict[str, str]) -> None:
    assert type_of(pattern) == type_


@pytest.mark.parametrize(
    ("construct", "names"),
    [
        (lambda: Conjunction(X, X), "x"),
        (lambda: Conjunction(Conjunction(X, Y), Binding("U", "x")), "x"),
        (lambda: Disjunction(X, Y), "same variables"),
        (lambda: Disjunction(X, Conjunction(X, Y)), "same variables"),
        (lambda: Filter(X, NEAR), "y"),
        (lambda: Filter(X, All((attribute_of("z", "b"),))), "z"),
        (lambda: FilteredNegation(X, X, All(())), "x"),
        (lambda: FilteredNegation(X, Z, NEAR), "y"),
        (lambda: Filter(FilteredNegation(X, Y, NEAR), NEAR), "y"),
    ],
)
def test_what_is_no_pattern_cannot_be_built(construct: Callable[[], Pattern], names: str) -> None:
    with pytest.raises(PatternError, match=names):
        construct()
