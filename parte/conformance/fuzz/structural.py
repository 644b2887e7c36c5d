"""Hypothesis as a source of choices: a description of cases becomes a strategy, which shrinks by the structure of the
tree.

Needs Hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st

from parte.conformance.fuzz.draw import Draw

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Shrinkable(Draw):
    draw: st.DrawFn

    def integer(self, low: int, high: int) -> int:
        return self.draw(_integers(low, high))

    def part(self, make: Callable[[], T]) -> T:
        return self.draw(strategy(lambda _: make()))  # a span of choices, which may be replaced by a span in it

    def several(self, make: Callable[[], T], least: int, most: int) -> tuple[T, ...]:
        """As for any `Draw`. The number comes first, for then Hypothesis drops the last parts or the first."""
        return tuple([self.part(make) for _ in range(self.integer(least, most))])


@cache
def _integers(low: int, high: int) -> st.SearchStrategy[int]:
    return st.integers(low, high)


@st.composite
def strategy(draw: st.DrawFn, describe: Callable[[Draw], T]) -> T:
    """Return the strategy of the values that a description draws."""
    return describe(_Shrinkable(draw))
