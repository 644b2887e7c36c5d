"""Diagnostics: the errors of a program, their places, and hints (specification: diagnostic-form)."""

from __future__ import annotations

import tomllib
import unicodedata
from dataclasses import dataclass
from enum import Enum
from importlib import resources

from parte.semantics.source.spans import Span


class Severity(Enum):
    """Errors stop a run; warnings do not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Code:
    """The title and explanation of a diagnostic code; every language has a table of its own."""

    name: str
    title: str
    explanation: str
    severity: Severity = Severity.ERROR


def read_codes(package: str) -> dict[str, Code]:
    """The codes that the file `codes.toml` of a package holds, by their names."""
    table = tomllib.loads(resources.files(package).joinpath("codes.toml").read_text(encoding="utf-8"))
    return {
        name: Code(name, given["title"], given["explanation"], Severity(given.get("severity", Severity.ERROR)))
        for name, given in table.items()
    }


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem. `code` is stable (a language lists its codes); `source_line` is the line the span starts on."""

    code: str
    severity: Severity
    message: str
    hint: str
    span: Span
    source_line: str

    def render(self, filename: str = "program") -> str:
        """`file:line:column: error[code]: message`, the source line, a caret line, and the hint."""
        start, end = self.span.start, self.span.end
        head = f"{filename}:{start.line}:{start.column}: {self.severity.value}[{self.code}]: {self.message}"
        width = end.column - start.column if end.line == start.line else len(self.source_line) - start.column + 1
        # Of a long line only the part around the caret is shown.
        first = max(0, start.column - 1 - _SHOWN_BEFORE) if len(self.source_line) > _SHOWN else 0
        shown = printable(self.source_line[first : first + _SHOWN])
        before = start.column - 1 - first
        # Characters keep their width in the caret line, so that the caret stands under what it points at.
        indent = "".join("\t" if char == "\t" else " " * _columns(char) for char in shown[:before])
        carets = "^" * max(1, sum(map(_columns, shown[before : before + width])))
        return f"{head}\n    {shown}\n    {indent}{carets}\n  hint: {self.hint}"


_SHOWN = 160
_SHOWN_BEFORE = 100


def printable(text: str) -> str:
    """The text without characters that would act on a terminal that shows it, or that a document must not hold."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)


def _columns(char: str) -> int:
    """Return the width of a character in terminal columns: wide ones take two, marks that combine take none."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class ProgramError(Exception):
    """A program that cannot be run; `diagnostics` holds every error found, in source order, and the warnings."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], filename: str = "program") -> None:
        self.diagnostics = diagnostics
        self.filename = filename
        super().__init__(self.render())

    def __reduce__(self) -> tuple[type[ProgramError], tuple[tuple[Diagnostic, ...], str]]:
        # An exception is rebuilt from its message otherwise, which fails when it crosses between processes.
        return ProgramError, (self.diagnostics, self.filename)

    def render(self, filename: str | None = None) -> str:
        """All diagnostics, one after the other."""
        return "\n".join(diagnostic.render(filename or self.filename) for diagnostic in self.diagnostics)
