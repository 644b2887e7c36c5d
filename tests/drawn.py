"""Draw from strategies of Hypothesis outside property tests."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")


def drawn(strategy: SearchStrategy[Drawn], number: int, count: int) -> list[Drawn]:
    """About so many values, the simplest first; always the same for a seed, a count and a version of hypothesis."""
    values: list[Drawn] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: Drawn) -> None:
        values.append(value)

    draw()
    return values
