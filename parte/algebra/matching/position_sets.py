"""The meaning of `matches` (specification: function-matches), by sets of positions (Glushkov's automaton).

A position is an occurrence of a set of characters in the pattern with its counts written out. A text matches if a walk
from a first position over positions that follow each other reads it and ends at a last position. The walk keeps all
positions that it may have reached, as the bits of an integer, so the time is linear in the text.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from parte.semantics.source.regular import Chain, Characters, Choice, Regular, Repetition, regular


@dataclass(frozen=True, slots=True)
class _Part:
    """The positions at which a part of a pattern may begin and end; `nullable`: it matches the empty text."""

    nullable: bool
    first: int
    last: int


_NOTHING = _Part(True, 0, 0)


class _Positions:
    """The positions of a pattern, numbered in the order in which they are added."""

    def __init__(self, tree: Regular) -> None:
        self._ranges: list[tuple[tuple[int, int], ...]] = []
        self.followers: list[int] = []
        self.whole = self._added(tree)
        self._starts, self._members = self._by_code_point()

    def _added(self, tree: Regular) -> _Part:
        match tree:
            case Characters(ranges):
                bit = 1 << len(self.followers)
                self._ranges.append(ranges)
                self.followers.append(0)
                return _Part(False, bit, bit)
            case Chain(parts):
                chain = _NOTHING
                for part in parts:
                    chain = self._joined(chain, self._added(part))
                return chain
            case Choice(alternatives):
                union = _Part(False, 0, 0)
                for alternative in map(self._added, alternatives):
                    nullable = union.nullable or alternative.nullable
                    union = _Part(nullable, union.first | alternative.first, union.last | alternative.last)
                return union
            case Repetition(repeated, least, most):
                chain = _NOTHING
                for number in range(least if most is None else most):
                    copy = self._added(repeated)
                    optional = copy if number < least else _Part(True, copy.first, copy.last)
                    chain = self._joined(chain, optional)
                if most is None:
                    copy = self._added(repeated)
                    self._link(copy.last, copy.first)
                    chain = self._joined(chain, _Part(True, copy.first, copy.last))
                return chain

    def _joined(self, left: _Part, right: _Part) -> _Part:
        self._link(left.last, right.first)
        return _Part(
            left.nullable and right.nullable,
            left.first | (right.first if left.nullable else 0),
            right.last | (left.last if right.nullable else 0),
        )

    def _link(self, ends: int, starts: int) -> None:
        for position in _bits(ends):
            self.followers[position] |= starts

    def _by_code_point(self) -> tuple[list[int], list[int]]:
        """Return the code points at which the positions that accept them change, and the positions from each on."""
        edges = {0, *(edge for ranges in self._ranges for first, last in ranges for edge in (first, last + 1))}
        starts = sorted(edges)
        members = [0] * len(starts)
        places = {start: place for place, start in enumerate(starts)}
        for position, ranges in enumerate(self._ranges):
            for first, last in ranges:
                for place in range(places[first], places[last + 1]):
                    members[place] |= 1 << position
        return starts, members

    def accepting(self, character: str) -> int:
        """Return the positions that accept a character."""
        return self._members[bisect_right(self._starts, ord(character)) - 1]


def _bits(positions: int) -> list[int]:
    numbers = []
    while positions:
        least = positions & -positions
        numbers.append(least.bit_length() - 1)
        positions ^= least
    return numbers


@lru_cache(64)
def _positions(pattern: str) -> _Positions:
    return _Positions(regular(pattern))


def is_match(text: str, pattern: str) -> bool:
    """Return whether a pattern describes all of a text."""
    positions = _positions(pattern)
    whole = positions.whole
    if not text:
        return whole.nullable
    reached = whole.first & positions.accepting(text[0])
    for character in text[1:]:
        if not reached:
            return False
        following = 0
        for position in _bits(reached):
            following |= positions.followers[position]
        reached = following & positions.accepting(character)
    return bool(reached & whole.last)
