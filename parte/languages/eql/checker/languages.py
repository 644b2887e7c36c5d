"""The texts that patterns and comparisons of EQL describe, as regular expressions (specification: eql-patterns)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cache, lru_cache

from parte.checker.solver.regular import ANYTHING, alike, exactly, respelt
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import folded, folded_pattern, segments
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.source.regular import LAST_CODE_POINT, Chain, Characters, Choice, Range, Regular, regular

_CASED = 0x20000
"""No character from here on has a case."""


@cache
def _changed() -> dict[int, list[int]]:
    """Return the characters that folding changes, by what each becomes."""
    origins: dict[int, list[int]] = {}
    for code in range(_CASED):
        after = ord(folded(chr(code)))
        if after != code:
            origins.setdefault(after, []).append(code)
    return origins


@cache
def _unstable() -> list[int]:
    """Return the characters that folding changes, in order."""
    return sorted(code for codes in _changed().values() for code in codes)


@lru_cache(maxsize=4096)
def _origins(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the characters that folding turns into those of some ranges."""
    origins: list[Range] = []
    for low, high in ranges:
        for code in _unstable()[bisect_left(_unstable(), low) : bisect_right(_unstable(), high)]:
            if low < code:
                origins.append((low, code - 1))
            low = code + 1
        if low <= high:
            origins.append((low, high))
    for after, codes in _changed().items():
        if any(low <= after <= high for low, high in ranges):
            origins += [(code, code) for code in codes]
    return tuple(origins)


@lru_cache(maxsize=4096)
def unfolded(of: Regular) -> Regular:
    """Return the expression of the texts that an expression describes once they are folded."""
    return respelt(of, lambda ranges: ranges if ranges == ((0, LAST_CODE_POINT),) else _origins(ranges))


def spelt(text: str, form: Callable[[str], Regular], *, fold: bool) -> Regular:
    """Return the expression of the texts that stand in a form, such as `starting`, to a text, as folding sees them."""
    return unfolded(form(folded(text))) if fold else form(text)


def described(pattern: str, matching: tree.Matching, readings: Readings) -> Regular:
    """Return the expression of the texts that a pattern of `like` or `regex` describes."""
    match matching:
        case tree.Matching.REGEX:
            return regular(pattern)
        case tree.Matching.REGEX_FOLDED:
            return unfolded(regular(folded_pattern(pattern)))
        case _:
            fold = matching is not tree.Matching.LIKE or readings.case == "folded"
            expression = alike(segments(pattern, star=readings.wildcard == "star", fold=fold))
            return unfolded(expression) if fold else expression


def below(text: str) -> Regular:
    """Return the expression of the texts before one in the order of code points."""
    expression: Regular = Characters(())
    for sign in reversed(text):
        less: tuple[Regular, ...] = (Chain((Characters(((0, ord(sign) - 1),)), ANYTHING)),) if ord(sign) else ()
        expression = Choice((Chain(()), *less, Chain((exactly(sign), expression))))
    return expression
