"""Where in a source text something stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from parte.semantics.events.bounds import Positive


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a source text: line and column, both counted from 1, columns in code points."""

    line: Positive
    column: Positive


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position


NOWHERE = Span(Position(1, 1), Position(1, 1))
"""The span of a tree that was built by a program, not read from a text."""


@dataclass(frozen=True, slots=True)
class Spanned:
    """A node of a tree: where it stands in the source does not count when trees are compared."""

    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)
