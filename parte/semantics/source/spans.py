"""Positions and spans in a source text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, dataclass_transform

from parte.semantics.events.bounds import Positive


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a source text: line and column, both counted from 1, columns in code points."""

    line: Positive
    column: Positive


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From `start` up to, not including, `end`."""

    # `origin` is added to messages about this text: it names what put the text in where the message applies.
    # `file` is the file of the text, if a program consists of several.

    start: Position
    end: Position
    origin: str = field(default="", compare=False, repr=False)
    file: str = field(default="", compare=False, repr=False)

    @property
    def line(self) -> str:
        """The line on which the span begins, and its file if there are several, for a message."""
        return f"line {self.start.line}" + (f" of {self.file}" if self.file else "")


NOWHERE = Span(Position(1, 1), Position(1, 1))
"""The span of a tree that was built by a program, not read from a text."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _Frozen(type):
    """The metaclass that makes every class a frozen dataclass with slots."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        new: Any = super().__new__(cls, name, bases, namespace)
        return new if "__slots__" in namespace else dataclass(frozen=True, slots=True)(new)


class Spanned(metaclass=_Frozen):
    """A node of a tree. Comparisons ignore its span. Every subclass is a frozen dataclass, without a decorator."""

    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)
