"""Counts of partial matches by spanning trees: the best tree of few events, a good one of many."""

from __future__ import annotations

from random import Random

import pytest

from parte.semantics.partelang import streams
from parte.semantics.partelang.streams import EXACT_TREES, least_product


@pytest.mark.parametrize("seed", range(20))
def test_beyond_the_exact_trees_a_count_is_not_too_small(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, size = Random(seed), EXACT_TREES + 2
    roots = [draw.randrange(1, 9) if number % 3 == 0 else None for number in range(size)]
    edges = [[draw.randrange(1, 9) for _ in range(size)] for _ in range(size)]
    good = least_product(roots, lambda i, j: edges[i][j])
    monkeypatch.setattr(streams, "EXACT_TREES", size)
    best = least_product(roots, lambda i, j: edges[i][j])
    assert best <= good <= 9**size


@pytest.mark.parametrize("size", [EXACT_TREES, EXACT_TREES + 1, 2 * EXACT_TREES])
def test_a_count_that_every_tree_has(size: int) -> None:
    assert least_product([5, *[None] * (size - 1)], lambda _i, _j: 3) == 5 * 3 ** (size - 1)
