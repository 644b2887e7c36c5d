"""Texts that a regular expression describes, for the solver: `starts_with(s, "a")` is that `a.*` describes `s`. The
solver decides more about languages than about parts of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, groupby

from parte.checker.solver import sequences
from parte.checker.solver.sequences import Language
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
)
from parte.semantics.source.wildcards import ONE, Segment

ANY = Characters(((0, LAST_CODE_POINT),))
ANYTHING = Repetition(ANY, 0, None)


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


def alike(segments: Sequence[Segment]) -> Regular:
    """Return the expression of the texts that the segments of a pattern with wildcards describe."""
    parts: list[Regular] = []
    for number, segment in enumerate(segments):
        parts.extend([ANYTHING] if number else [])
        parts.extend(ANY if part is ONE else _character(part) for part in segment)
    return Chain(tuple(parts))


def _character(text: str) -> Characters:
    return Characters(((ord(text), ord(text)),))


def respelt(of: Regular, origins: Callable[[tuple[Range, ...]], Sequence[Range]]) -> Regular:
    """Return the expression of the texts that a change of single characters turns into texts that `of` describes.

    `origins` returns the characters that the change turns into those of some ranges."""
    match of:
        case Characters(ranges):
            return Characters(merged(origins(ranges)))
        case Chain(parts):
            return Chain(tuple(respelt(part, origins) for part in parts))
        case Choice(alternatives):
            return Choice(tuple(respelt(part, origins) for part in alternatives))
        case Repetition(part, least, most):
            return Repetition(respelt(part, origins), least, most)


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
            return sequences.any_character() if of == ANY else sequences.one_of(of.ranges)
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
