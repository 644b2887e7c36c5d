"""Conditions that describe a String by a constant, as regular expressions, for the solver (level 2).

`starts_with(s, "a")` is that `s` is described by `a.*`: the solver decides more about languages than about parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain, groupby

from parte.checker.solver import sequences
from parte.checker.solver.sequences import Language
from parte.semantics.partelang.syntax.implementations import Implementations, MissingFunction
from parte.semantics.source.regular import (
    LAST_CODE_POINT,
    Chain,
    Characters,
    Choice,
    Range,
    Regular,
    Repetition,
    merged,
    parts_of,
    regular,
)
from parte.semantics.source.wildcards import ONE, segments

_ANY = Characters(((0, LAST_CODE_POINT),))
ANYTHING = Repetition(_ANY, 0, None)

_UPPER, _LOWER, _BETWEEN = (ord("A"), ord("Z")), (ord("a"), ord("z")), ord("a") - ord("A")


def exactly(text: str) -> Regular:
    """Return the expression that describes one text."""
    return Chain(tuple(map(_character, text)))


def starting(text: str) -> Regular:
    """Return the expression of the texts that begin with one."""
    return Chain((exactly(text), ANYTHING))


def ending(text: str) -> Regular:
    """Return the expression of the texts that end with one."""
    return Chain((ANYTHING, exactly(text)))


def containing(text: str) -> Regular:
    """Return the expression of the texts that contain one."""
    return Chain((ANYTHING, exactly(text), ANYTHING))


def alike(pattern: str) -> Regular:
    """Return the expression of the texts that a pattern of `like` describes."""
    parts: list[Regular] = []
    for number, segment in enumerate(segments(pattern)):
        parts.extend([ANYTHING] if number else [])
        parts.extend(_ANY if part is ONE else _character(part) for part in segment)
    return Chain(tuple(parts))


def _character(text: str) -> Characters:
    return Characters(((ord(text), ord(text)),))


PATTERNS: Implementations[Callable[[str], Regular]] = Implementations(
    {"like": alike, "matches": regular}, partial(MissingFunction, "the solver")
)
"""The functions whose patterns describe texts."""

CASES: Implementations[tuple[Range, int]] = Implementations(
    {"lower": (_UPPER, _BETWEEN), "upper": (_LOWER, -_BETWEEN)}, partial(MissingFunction, "the solver")
)
"""The functions that change letters of a range: they add a number to their code points."""


def before(function: str, of: Regular) -> Regular:
    """Return the expression of the texts that one of `CASES` changes into texts that `of` describes."""
    (first, last), distance = CASES[function]

    def origins(ranges: tuple[Range, ...]) -> Iterator[Range]:
        for low, high in ranges:
            # What the function changes is not among its results; the changed letters are, for those before.
            yield from ((low, min(high, first - 1)), (max(low, last + 1), high))
            yield max(low - distance, first), min(high - distance, last)

    match of:
        case Characters(ranges):
            return Characters(merged((low, high) for low, high in origins(ranges) if low <= high))
        case Chain(parts):
            return Chain(tuple(before(function, part) for part in parts))
        case Choice(alternatives):
            return Choice(tuple(before(function, part) for part in alternatives))
        case Repetition(part, least, most):
            return Repetition(before(function, part), least, most)


def readable(of: Regular) -> bool:
    """Return whether the solver has all characters that an expression mentions."""
    return all(sequences.readable(low, high) for part in parts_of(of) for low, high in part.ranges)


@lru_cache(256)
def language(of: Regular) -> Language:
    """Return the language that an expression describes; it is `readable`."""
    match of:
        case Characters(()):
            return sequences.nothing()
        case Characters():
            return sequences.any_character() if of == _ANY else sequences.one_of(of.ranges)
        case Chain(parts):
            return _joined(parts)
        case Choice(alternatives):
            return sequences.choice(list(map(language, alternatives)))
        case Repetition(part, least, most):
            return sequences.anything() if of == ANYTHING else sequences.repetition(language(part), least, most)


def _joined(parts: tuple[Regular, ...]) -> Language:
    """Return the language of parts one after the other; neighbouring characters are one text."""
    flat = list(chain.from_iterable(part.parts if isinstance(part, Chain) else (part,) for part in parts))
    languages: list[Language] = []
    for single, group in groupby(flat, key=_single):
        run = list(group)
        languages.extend([sequences.only("".join(map(_text, run)))] if single else list(map(language, run)))
    return sequences.chain(languages) if languages else sequences.only("")


def _single(part: Regular) -> bool:
    return isinstance(part, Characters) and len(part.ranges) == 1 and part.ranges[0][0] == part.ranges[0][1]


def _text(part: Regular) -> str:
    assert isinstance(part, Characters)
    return chr(part.ranges[0][0])
