"""Diagnostics: what is wrong with a program, where, and what to do about it (SPEC §2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from semantics.syntax.spans import Span


class Severity(Enum):
    """Errors stop a run; warnings do not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` is stable (see `semantics.syntax.codes`); `source_line` is the line the span starts on."""

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
        # Tabs keep their width in the caret line, so that the caret stands under what it points at.
        indent = "".join("\t" if char == "\t" else " " for char in self.source_line[: start.column - 1])
        return f"{head}\n    {self.source_line}\n    {indent}{'^' * max(1, width)}\n  hint: {self.hint}"


class ProgramError(Exception):
    """A program that cannot be run; `diagnostics` holds every error found, in source order, and the warnings."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        self.diagnostics = diagnostics
        super().__init__(self.render())

    def render(self, filename: str = "program") -> str:
        """All diagnostics, one after the other."""
        return "\n".join(diagnostic.render(filename) for diagnostic in self.diagnostics)
