"""Put comments back into printed lines (specification: canonical-layout).

A comment on a line of its own goes before the first line whose origin is later in the source. A comment after code goes
to the end of the last line whose origin is earlier. No comment is lost, and printing a printed text again changes
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parte.semantics.source.spans import Position, Span

_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment without its marker; `own_line` if nothing stands before it on its line.

    A comment of several lines is several comments; the last is `open` if its mark of the end is missing.
    """

    text: str
    own_line: bool
    span: Span
    open: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line and its origin: its position in the source; None for blank lines."""

    text: str
    origin: Position | None
    closes: bool = False

    @property
    def indent(self) -> str:
        """The indentation of the lines before this line in the same block."""
        own = self.text[: len(self.text) - len(self.text.lstrip(" "))]
        return own + _INDENT if self.closes else own


def with_comments(lines: Sequence[Line], comments: Sequence[Comment], marker: str = "//") -> list[str]:
    """Return the texts of the lines with the comments among them, each comment after the marker."""
    if not comments:
        return [line.text for line in lines]
    origins = [(line.origin, number) for number, line in enumerate(lines) if line.origin is not None]
    before: dict[int, list[Comment]] = {}
    behind: dict[int, list[Comment]] = {}
    passed = 0
    for comment in comments:
        while passed < len(origins) and origins[passed][0] < comment.span.start:
            passed += 1
        if not comment.own_line and passed > 0:
            behind.setdefault(origins[passed - 1][1], []).append(comment)
        else:
            following = origins[passed][1] if passed < len(origins) else len(lines)
            before.setdefault(following, []).append(comment)
    printed: list[str] = []
    for number, line in enumerate(lines):
        if number in before:
            printed.extend(_block(before[number], line.indent, line.origin, marker))
        trailing = "".join(f"  {_text(comment, marker)}" for comment in behind.get(number, ()))
        printed.append(line.text + trailing)
    last = before.get(len(lines), [])
    if last and printed:
        printed.append("")
    return printed + _block(last, "", None, marker)


def _block(comments: Sequence[Comment], indent: str, following: Position | None, marker: str) -> list[str]:
    """Return comments on lines of their own; between declarations, keep blank lines after them, as one blank line."""
    printed: list[str] = []
    for number, comment in enumerate(comments):
        printed.append(f"{indent}{_text(comment, marker)}")
        after = comments[number + 1].span.start if number + 1 < len(comments) else following
        if not indent and after is not None and after.line > comment.span.start.line + 1:
            printed.append("")
    return printed


def _text(comment: Comment, marker: str) -> str:
    separator = " " if comment.text[:1].isalnum() else ""
    return f"{marker}{separator}{comment.text}"
