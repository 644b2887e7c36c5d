"""A source of choices, from which programs and traces are drawn.

A language describes its cases by functions of a `Draw`. With `Seeded` they are drawn from a seed; in property tests
Hypothesis makes the choices (`structural`) and shrinks the result. The first option is the plainest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw(ABC):
    """Choices, all derived from integers."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`; the nearest to zero is the plainest."""

    @abstractmethod
    def part(self, make: Callable[[], T]) -> T:
        """Return a part of a tree, which a shrinker may put in the place of the whole."""

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """Return True with a probability of `percent` in a hundred; False is the plainest."""
        return self.integer(0, 99) >= 100 - percent

    def one_of(self, *options: tuple[int, Callable[[], T]]) -> T:
        """Return the result of one of the options, which have weights."""
        number = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, make in options:
            if number < weight:
                return make()
            number -= weight
        raise AssertionError("the number is less than the sum of the weights")

    def several(self, make: Callable[[], T], least: int, most: int) -> tuple[T, ...]:
        """Return from `least` to `most` parts, rather more than fewer.

        A decision of the same kind precedes each part, so that a shrinker can drop any of them.
        """
        parts: list[T] = []
        while len(parts) < least or (len(parts) < most and self.integer(0, most - least) > 0):
            parts.append(self.part(make))
        return tuple(parts)

    def subset(self, options: Sequence[T], least: int, most: int) -> tuple[T, ...]:
        """Return from `least` to `most` different options, in any order."""
        left = list(options)
        return self.several(lambda: left.pop(self.integer(0, len(left) - 1)), least, min(most, len(left)))


@dataclass(frozen=True, slots=True)
class Seeded(Draw):
    """Choices of a random number generator."""

    rng: Random

    def integer(self, low: int, high: int) -> int:
        """Return an integer; all have the same probability."""
        return low + int(self.rng.random() * (high - low + 1))

    def part(self, make: Callable[[], T]) -> T:
        """Return the part itself."""
        return make()


def seeded(seed: object) -> Seeded:
    """Return the choices of a seed."""
    return Seeded(Random(f"{seed}"))
