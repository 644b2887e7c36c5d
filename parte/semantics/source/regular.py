"""The patterns of `matches` (specification: function-matches), read into trees: regular expressions without captures.

The readers of programs evaluate the trees, each in its own way, in time linear in the String.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from parte.semantics.source.wildcards import InvalidPattern

LARGEST_COUNT: Final = 1_000
"""The most that a count may be, and the counts of repetitions inside each other may multiply to."""
LARGEST_SIZE: Final = 2_000
"""The most characters and classes of a pattern whose counts are written out."""
DEEPEST: Final = 100
"""The most groups inside each other."""
LAST_CODE_POINT: Final = 0x10FFFF

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Characters:
    """One code point of some ranges, which are sorted, apart from each other and not empty."""

    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Parts one after the other; without parts it is the empty text. No part is empty."""

    parts: tuple[Regular, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the alternatives, two at least."""

    alternatives: tuple[Regular, ...]


@dataclass(frozen=True, slots=True)
class Repetition:
    """The part at least `least` times and at most `most` times; any number of times if that is None."""

    part: Regular
    least: int
    most: int | None


Regular = Characters | Chain | Choice | Repetition
EMPTY: Final = Chain(())

_ANY: Final = ((0, LAST_CODE_POINT),)
_CLASSES: Final[dict[str, tuple[Range, ...]]] = {
    "d": ((0x30, 0x39),),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
    "s": ((0x09, 0x0D), (0x20, 0x20)),
}
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPED: Final = frozenset("\\.[](){}|*+?^$-&~")
_SPECIAL: Final = frozenset("[](){}|*+?^$")
_SPECIAL_IN_CLASS: Final = frozenset("[^-&~|")
_COUNTS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@lru_cache(256)
def regular(pattern: str) -> Regular:
    """Return the tree of a pattern. Raise InvalidPattern if it is invalid or too large."""
    reader = _Reader(pattern)
    tree = reader.choice(0)
    if reader.rest:
        raise InvalidPattern(f"`)` at position {reader.position + 1} closes no group: write `\\)` for itself")
    count, size = _measured(tree)
    if count > LARGEST_COUNT:
        raise InvalidPattern(f"its counts multiply to {count}, more than {LARGEST_COUNT}")
    if size > LARGEST_SIZE:
        raise InvalidPattern(f"written out it has {size} characters and classes, more than {LARGEST_SIZE}")
    return tree


def _measured(tree: Regular) -> tuple[int, int]:
    """Return the greatest product of counts inside each other, and the characters and classes of what is written
    out."""
    match tree:
        case Characters():
            return 1, 1
        case Chain(parts) | Choice(parts):
            measures = [_measured(part) for part in parts]
            return max((count for count, _ in measures), default=1), sum(size for _, size in measures)
        case Repetition(part, least, most):
            count, size = _measured(part)
            return count * max(1, least if most is None else most), size * (least + 1 if most is None else most)


def merged(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the same code points as ranges that are sorted and apart from each other."""
    result: list[Range] = []
    for first, last in sorted(ranges):
        if result and first <= result[-1][1] + 1:
            result[-1] = result[-1][0], max(result[-1][1], last)
        else:
            result.append((first, last))
    return tuple(result)


def complement(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return the other code points; the ranges are sorted and apart from each other."""
    edges = [(-1, -1), *ranges, (LAST_CODE_POINT + 1, LAST_CODE_POINT + 1)]
    return tuple((before + 1, after - 1) for (_, before), (after, _) in pairwise(edges) if before + 1 < after)


class _Reader:
    """A reader of a pattern from left to right."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0

    @property
    def rest(self) -> str:
        """The next character; none at the end."""
        return self.pattern[self.position : self.position + 1]

    def choice(self, depth: int) -> Regular:
        """Read alternatives, up to the end of the pattern or of the group."""
        alternatives = [self._chain(depth)]
        while self._take("|"):
            alternatives.append(self._chain(depth))
        distinct = tuple(dict.fromkeys(alternatives))
        return distinct[0] if len(distinct) == 1 else Choice(distinct)

    def _chain(self, depth: int) -> Regular:
        parts: list[Regular] = []
        while self.rest and self.rest not in "|)":
            part = self._repeated(self._atom(depth))
            if part != EMPTY:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Chain(tuple(parts))

    def _repeated(self, part: Regular) -> Regular:
        start = self.position
        if self.rest in _COUNTS:
            least, most = _COUNTS[self._next()]
        elif self._take("{"):
            least, most = self._counts()
        else:
            return part
        if self.rest and self.rest in "*+?{":
            raise self._wrong(f"`{self.pattern[start : self.position]}` is followed by `{self.rest}`: use a group")
        return EMPTY if part == EMPTY or most == 0 else Repetition(part, least, most)

    def _counts(self) -> tuple[int, int | None]:
        least = self._count()
        most: int | None = least
        if self._take(","):
            most = None if self.rest == "}" else self._count()
        if not self._take("}"):
            raise self._wrong("a count is written `{2}`, `{2,}` or `{2,5}`")
        if most is not None and most < least:
            raise self._wrong(f"the count {most} is less than {least}")
        return least, most

    def _count(self) -> int:
        digits = ""
        while self.rest and self.rest in "0123456789":
            digits += self._next()
        if not digits:
            raise self._wrong("a count is written `{2}`, `{2,}` or `{2,5}`")
        if len(digits.lstrip("0")) > 4 or int(digits) > LARGEST_COUNT:
            raise self._wrong(f"a count is at most {LARGEST_COUNT}")
        return int(digits)

    def _atom(self, depth: int) -> Regular:
        if self._take("("):
            if depth == DEEPEST:
                raise self._wrong(f"more than {DEEPEST} groups are inside each other")
            inner = self.choice(depth + 1)
            if not self._take(")"):
                raise self._wrong("the `)` of a group is missing")
            return inner
        if self._take("["):
            return Characters(self._class())
        if self._take("."):
            return Characters(_ANY)
        if self._take("\\"):
            escaped = self._escape()
            return Characters(escaped if isinstance(escaped, tuple) else ((escaped, escaped),))
        if self.rest in _SPECIAL:
            raise self._wrong(f"`{self.rest}` means nothing here: write `\\{self.rest}` for itself")
        code = ord(self._next())
        return Characters(((code, code),))

    def _class(self) -> tuple[Range, ...]:
        negated = self._take("^")
        ranges: list[Range] = []
        while not self._take("]"):
            first = self._member()
            if isinstance(first, tuple):
                ranges.extend(first)
                continue
            last: int | tuple[Range, ...] = first
            if self._take("-"):
                last = self._member()
            if isinstance(last, tuple) or last < first:
                raise self._wrong("a range goes from a character to one that is not before it")
            ranges.append((first, last))
        if not ranges:
            raise self._wrong("a class has at least one character")
        within = merged(ranges)
        if negated and within == _ANY:
            raise self._wrong("this class excludes every character")
        return complement(within) if negated else within

    def _member(self) -> int | tuple[Range, ...]:
        if not self.rest:
            raise self._wrong("the `]` of a class is missing")
        if self._take("\\"):
            return self._escape()
        if self.rest in _SPECIAL_IN_CLASS or self.rest == "]":
            raise self._wrong(f"`{self.rest}` means nothing here: write `\\{self.rest}` for itself")
        return ord(self._next())

    def _escape(self) -> int | tuple[Range, ...]:
        if not self.rest:
            raise self._wrong("`\\` stands before nothing")
        sign = self._next()
        if sign in _CONTROLS:
            return ord(_CONTROLS[sign])
        if sign.lower() in _CLASSES:
            ranges = _CLASSES[sign.lower()]
            return ranges if sign.islower() else complement(ranges)
        if sign in _ESCAPED:
            return ord(sign)
        raise self._wrong(f"`\\{sign}` is no escape")

    def _take(self, sign: str) -> bool:
        if self.rest == sign:
            self.position += 1
            return True
        return False

    def _next(self) -> str:
        sign = self.rest
        self.position += 1
        return sign

    def _wrong(self, message: str) -> InvalidPattern:
        return InvalidPattern(f"{message} (at character {self.position + 1} of the pattern)")


def parts_of(tree: Regular) -> Iterator[Characters]:
    """Yield the sets of characters in a tree."""
    match tree:
        case Characters():
            yield tree
        case Chain(parts) | Choice(parts):
            for part in parts:
                yield from parts_of(part)
        case Repetition(part):
            yield from parts_of(part)
