"""Positions in a text, as the language server protocol counts them, and as PARTE does.

PARTE has offsets, and lines and columns from 1, in code points; a line ends with a line feed. The protocol counts lines
and characters from 0; a line ends with a line feed, a carriage return or both, and characters are units of an encoding
that client and server agree on. The default is UTF-16.
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
"""The encodings: their names in Python, and the bytes of a unit."""

_BREAK = re.compile("\r\n|\n|\r")


class Place(NamedTuple):
    """A position of the protocol: line and character, from 0."""

    line: int
    character: int


class Range(NamedTuple):
    """The range from `start` up to, not including, `end`."""

    start: Place
    end: Place


class Lines:
    """The lines of a text. A place beyond a line or the text counts as its end. A place within a character, or
    within the characters that end a line, counts as the start of these."""

    def __init__(self, text: str, encoding: str = UTF16) -> None:
        self.text = text
        self.encoding = encoding
        breaks = list(_BREAK.finditer(text))
        self._starts = [0, *(line_break.end() for line_break in breaks)]
        self._ends = [*(line_break.start() for line_break in breaks), len(text)]
        self._fed = [0, *(feed.end() for feed in re.finditer("\n", text))]

    def place(self, offset: int) -> Place:
        """Return an offset as a place."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        return Place(line, self._width(self.text[start : min(offset, self._ends[line])]))

    def range(self, start: int, end: int) -> Range:
        """Return the range between two offsets."""
        return Range(self.place(start), self.place(end))

    def offset(self, line: int, character: int) -> int:
        """Return a place as an offset."""
        if not 0 <= line < len(self._starts):
            return 0 if line < 0 else len(self.text)
        start, end = self._starts[line], self._ends[line]
        content = self.text[start:end]
        if content.isascii():
            return start + max(0, min(character, len(content)))
        return start + sum(
            1 for _ in takewhile(lambda passed: passed <= character, accumulate(map(self._width, content)))
        )

    def offset_of(self, position: Position) -> int:
        """Return a position of PARTE as an offset."""
        if position.line > len(self._fed):
            return len(self.text)
        return min(self._fed[position.line - 1] + position.column - 1, len(self.text))

    def range_of(self, span: Span) -> Range:
        """Return a span of PARTE as a range."""
        return self.range(self.offset_of(span.start), self.offset_of(span.end))

    def span_of(self, start: int, end: int) -> Span:
        """Return the range between two offsets as a span of PARTE."""
        return Span(self._position(start), self._position(end))

    def _position(self, offset: int) -> Position:
        line = bisect_right(self._fed, offset)
        return Position(line, offset - self._fed[line - 1] + 1)

    def _width(self, text: str) -> int:
        if text.isascii():
            return len(text)
        codec, unit = UNITS[self.encoding]
        return len(text.encode(codec, "surrogatepass")) // unit
