"""Conditions that describe a String by a constant, as regular expressions, for the solver (level 2).

`starts_with(s, "a")` is that `s` is described by `a.*`: the solver decides more about languages than about parts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from parte.checker.solver.regular import alike, respelt
from parte.semantics.partelang.syntax.implementations import Implementations, MissingFunction
from parte.semantics.source.regular import Range, Regular, regular
from parte.semantics.source.wildcards import segments

_UPPER, _LOWER, _BETWEEN = (ord("A"), ord("Z")), (ord("a"), ord("z")), ord("a") - ord("A")

PATTERNS: Implementations[Callable[[str], Regular]] = Implementations(
    {"like": lambda pattern: alike(segments(pattern)), "matches": regular}, partial(MissingFunction, "the solver")
)
"""The functions whose patterns describe texts."""

CASES: Implementations[tuple[Range, int]] = Implementations(
    {"lower": (_UPPER, _BETWEEN), "upper": (_LOWER, -_BETWEEN)}, partial(MissingFunction, "the solver")
)
"""The functions that change letters of a range: they add a number to their code points."""


def before(function: str, of: Regular) -> Regular:
    """Return the expression of the texts that one of `CASES` changes into texts that `of` describes."""
    (first, last), distance = CASES[function]

    def origins(ranges: tuple[Range, ...]) -> list[Range]:
        changed: list[Range] = []
        for low, high in ranges:
            # What the function changes is not among its results; the changed letters are, for those before.
            changed += [(low, min(high, first - 1)), (max(low, last + 1), high)]
            changed.append((max(low - distance, first), min(high - distance, last)))
        return [(low, high) for low, high in changed if low <= high]

    return respelt(of, origins)
