"""The patterns that an event can fill, as the bits of a number: its *fills*.

Conditions on one variable are decided once for each event, before its row is made; queries only test bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from parte.algebra.partelang.incremental.horizons import Horizons, Place, horizons
from parte.semantics.partelang.syntax import core

WORD: Final = 62
"""Bits of one column: the bits of a signed 64-bit number without its sign."""


@dataclass(frozen=True, slots=True)
class Places:
    """The position of each pattern among those of its template, and how long events matter to it."""

    bits: Mapping[Place, int]
    counts: Mapping[str, int]
    horizons: Horizons

    def bit(self, rule: str, variable: str) -> int:
        """Return the number of a pattern among those of its template."""
        return self.bits[rule, variable]

    def words(self, template: str) -> int:
        """Return the number of columns that the fills of a template need."""
        return -(-self.counts.get(template, 0) // WORD)


def places_of(program: core.Program) -> Places:
    """Return the places of a program; rules that cannot match have none."""
    known = horizons(program)
    bits: dict[Place, int] = {}
    counts: dict[str, int] = {}
    for rule in program.rules:
        for pattern in rule.patterns:
            place = rule.name, pattern.variable
            if place in known.keeps:
                bits[place] = counts.get(pattern.template, 0)
                counts[pattern.template] = bits[place] + 1
    return Places(bits, counts, known)


def split(fills: int, words: int) -> tuple[int, ...]:
    """Return fills as the numbers of `words` columns."""
    return tuple(fills >> (WORD * word) & ((1 << WORD) - 1) for word in range(words))


def joined(words: tuple[int, ...]) -> int:
    """Return the fills that the columns of a row encode."""
    return sum(word << (WORD * number) for number, word in enumerate(words))
