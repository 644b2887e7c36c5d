"""Diagnostics: the error, its place, and a hint how to correct it (specification: diagnostic-form)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from parte.semantics.source.packages import data_file
from parte.semantics.source.spans import Span


class Severity(Enum):
    """The severity of a diagnostic: errors stop a run, warnings do not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Code:
    """A diagnostic code with its title and explanation; every language has its own table of codes."""

    name: str
    title: str
    explanation: str
    severity: Severity = Severity.ERROR


class Codes(Mapping[str, Code]):
    """The codes in the file `codes.toml` of a package, by name. The file is read at the first use."""

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def _codes(self) -> dict[str, Code]:
        import tomllib  # which a program without errors does not need

        table = tomllib.loads(data_file(self._package, "codes.toml").read_text(encoding="utf-8"))
        return {
            name: Code(name, entry["title"], entry["explanation"], Severity(entry.get("severity", Severity.ERROR)))
            for name, entry in table.items()
        }

    def __getitem__(self, name: str) -> Code:
        return self._codes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._codes)

    def __len__(self) -> int:
        return len(self._codes)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error or a warning. `code` is stable (a language lists its codes); the span starts on `source_line`."""

    code: str
    severity: Severity
    message: str
    hint: str
    span: Span
    source_line: str

    def render(self, filename: str = "program") -> str:
        """Return `file:line:column: error[code]: message`, the source line, a caret line, and the hint.

        The file is that of the span, if the program consists of several.
        """
        start, end = self.span.start, self.span.end
        place = f"{self.span.file or filename}:{start.line}:{start.column}"
        head = f"{place}: {self.severity.value}[{self.code}]: {self.message}"
        width = end.column - start.column if end.line == start.line else len(self.source_line) - start.column + 1
        # Print only the part of a long line around the caret.
        first = max(0, start.column - 1 - _SHOWN_BEFORE) if len(self.source_line) > _SHOWN else 0
        excerpt = printable(self.source_line[first : first + _SHOWN])
        before = start.column - 1 - first
        # Keep the widths of characters in the caret line, so that the carets stand under the span.
        indent = "".join("\t" if char == "\t" else " " * _columns(char) for char in excerpt[:before])
        carets = "^" * max(1, sum(map(_columns, excerpt[before : before + width])))
        return f"{head}\n    {excerpt}\n    {indent}{carets}\n  hint: {self.hint}"


_SHOWN = 160
_SHOWN_BEFORE = 100


def printable(text: str) -> str:
    """Return the text without characters that control a terminal or that a document must not contain."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)


def _columns(char: str) -> int:
    """Return the columns of a terminal that the character takes: 2 if it is wide, 0 if it is a combining mark."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class ProgramError(Exception):
    """A program that cannot be run. `diagnostics` has all errors, in source order, and the warnings."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], filename: str = "program") -> None:
        self.diagnostics = diagnostics
        self.filename = filename
        super().__init__(self.render())

    def __reduce__(self) -> tuple[type[ProgramError], tuple[tuple[Diagnostic, ...], str]]:
        # By default an exception is rebuilt from its message, which fails when it is sent between processes.
        return ProgramError, (self.diagnostics, self.filename)

    def render(self, filename: str | None = None) -> str:
        """Return all diagnostics, one after the other."""
        return "\n".join(diagnostic.render(filename or self.filename) for diagnostic in self.diagnostics)
