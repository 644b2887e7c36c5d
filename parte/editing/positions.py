"""Where something stands in a text, in the words of the language server protocol, and in ours.

Ours are offsets, and lines and columns from 1, in code points, where a line ends with a line feed. The protocol counts
lines and characters from 0; a line ends with a line feed, a carriage return or both, and characters are units of an
encoding that client and server agree on, UTF-16 if nothing is said.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate, takewhile
from typing import Final, NamedTuple

from parte.semantics.source.spans import Position, Span

UTF16: Final = "utf-16"
UNITS: Final[Mapping[str, tuple[str, int]]] = {
    "utf-8": ("utf-8", 1),
    UTF16: ("utf-16-le", 2),
    "utf-32": ("utf-32-le", 4),
}
"""The encodings: what Python calls them, and the bytes of a unit."""

_BREAK = re.compile("\r\n|\n|\r")


class Place(NamedTuple):
    """A place in the words of the protocol: line and character, from 0."""

    line: int
    character: int


class Range(NamedTuple):
    """From `start` up to, not including, `end`."""

    start: Place
    end: Place


class Lines:
    """The lines of a text. What lies beyond a line or the text is taken for its end, and what lies within a character,
    or within what ends a line, for its start."""

    def __init__(self, text: str, encoding: str = UTF16) -> None:
        self.text = text
        self._encoding = encoding
        breaks = list(_BREAK.finditer(text))
        self._starts = [0, *(each.end() for each in breaks)]
        self._ends = [*(each.start() for each in breaks), len(text)]
        self._fed = [0, *(each.end() for each in re.finditer("\n", text))]

    def place(self, offset: int) -> Place:
        """An offset as a place."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return Place(line, self._width(self.text[start : min(offset, self._ends[line])]))

    def range(self, start: int, end: int) -> Range:
        """What lies between two offsets."""
        return Range(self.place(start), self.place(end))

    def offset(self, line: int, character: int) -> int:
        """A place as an offset."""
        if not 0 <= line < len(self._starts):
            return 0 if line < 0 else len(self.text)
        start, end = self._starts[line], self._ends[line]
        shown = self.text[start:end]
        if shown.isascii():
            return start + max(0, min(character, len(shown)))
        return start + sum(
            1 for _ in takewhile(lambda passed: passed <= character, accumulate(map(self._width, shown)))
        )

    def offset_of(self, position: Position) -> int:
        """One of our positions as an offset."""
        if position.line > len(self._fed):
            return len(self.text)
        return min(self._fed[position.line - 1] + position.column - 1, len(self.text))

    def range_of(self, span: Span) -> Range:
        """One of our spans as a range."""
        return self.range(self.offset_of(span.start), self.offset_of(span.end))

    def _width(self, text: str) -> int:
        if text.isascii():
            return len(text)
        codec, unit = UNITS[self._encoding]
        return len(text.encode(codec, "surrogatepass")) // unit
