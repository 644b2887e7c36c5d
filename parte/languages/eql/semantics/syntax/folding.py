"""Case folding of strings and patterns, and the notation of patterns (specification: eql-patterns)."""

from __future__ import annotations

import re
from functools import lru_cache

from parte.semantics.source.wildcards import ONE, Segment

_SIGNS = re.compile(r"""\\(?:(?P<plain>["/'_:,=!%#@;<>` ])|(?s:.))""")
_BRACKETS = re.compile(r"\\(?s:.)|(\[\^?)-((?:\\(?s:.)|[^\]\\])*\])|\[(?:\\(?s:.)|[^\]\\])*\]|(\*)\?+")


def folded(text: str) -> str:
    """Return a string without regard to case, by Unicode simple folding: each character becomes one character."""
    return text.lower() if text.isascii() else "".join(map(_character, text))


@lru_cache(4096)
def _character(character: str) -> str:
    for mapped in (character.casefold(), character.lower()):
        if len(mapped) == 1:
            return mapped
    return character


def regular_pattern(pattern: str) -> str:
    r"""Return a regular expression of Elastic's in the notation that is read here: `\/` is `/`, `[-a]` is `[\-a]`, and
    `.*?`, an optional `.*`, is `.*`."""
    plain = _SIGNS.sub(lambda part: part["plain"] or part[0], pattern)
    return _BRACKETS.sub(lambda part: rf"{part[1]}\-{part[2]}" if part[1] else part[3] or part[0], plain)


def folded_pattern(pattern: str) -> str:
    r"""Return a regular expression with its characters folded, those behind a `\` excepted, which name classes."""
    return re.sub(r"\\(?s:.)|[^\\]+", lambda part: part[0] if part[0][0] == "\\" else folded(part[0]), pattern)


@lru_cache(256)
def segments(pattern: str, *, star: bool, fold: bool) -> tuple[Segment, ...]:
    """Return the segments of a pattern of `like`, between which any text lies; with `star`, `?` is itself."""
    parts = (folded(pattern) if fold else pattern).split("*")
    return tuple(tuple(ONE if sign == "?" and not star else sign for sign in part) for part in parts)
