"""The texts that patterns and comparisons of EQL describe, as regular expressions (specification: eql-patterns)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

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


def _origins(ranges: tuple[Range, ...]) -> Iterator[Range]:
    """Yield the characters that folding turns into those of some ranges."""
    changed = sorted(code for codes in _changed().values() for code in codes)
    for low, high in ranges:
        for code in changed:
            if low <= code <= high:
                if low < code:
                    yield low, code - 1
                low = code + 1
        if low <= high:
            yield low, high
    for after, codes in _changed().items():
        if any(low <= after <= high for low, high in ranges):
            yield from ((code, code) for code in codes)


def unfolded(of: Regular) -> Regular:
    """Return the expression of the texts that an expression describes once they are folded."""
    return respelt(of, lambda ranges: ranges if ranges == ((0, LAST_CODE_POINT),) else tuple(_origins(ranges)))


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
