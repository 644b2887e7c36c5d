"""Collect diagnostics while a program is read: all errors, not only the first (specification: every-error)."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping

from parte.semantics.source.diagnostics import Code, Diagnostic, ProgramError, Severity
from parte.semantics.source.limits import MAX_REPORTED
from parte.semantics.source.spans import Position, Span

_SUGGESTIONS = 100
_CANDIDATES = 300
"""Looking for similar names costs time: a hostile program gets this many searches among this many names."""


class Reporter:
    """The collected diagnostics of one source text; `codes` are those of its language."""

    def __init__(self, text: str, codes: Mapping[str, Code]) -> None:
        self._text = text
        self._codes = codes
        self._lines: list[str] | None = None
        self._reported: dict[Severity, list[Diagnostic]] = {Severity.ERROR: [], Severity.WARNING: []}
        self._suggestions = _SUGGESTIONS
        self._overflowed = False

    def report(self, code: str, span: Span, message: str, hint: str) -> None:
        """Record a diagnostic; its severity is that of the code. Beyond the limit one error stands for all others."""
        diagnostics = self._reported[self._codes[code].severity]
        if len(diagnostics) < MAX_REPORTED:
            diagnostics.append(self._diagnostic(code, span, message, hint))
        elif self._codes[code].severity is Severity.ERROR and not self._overflowed:
            self._overflowed = True
            message = f"more than {MAX_REPORTED} errors; the others are not listed"
            diagnostics.append(self._diagnostic("too-many-errors", span, message, "correct the errors listed first"))

    def _diagnostic(self, code: str, span: Span, message: str, hint: str) -> Diagnostic:
        return Diagnostic(code, self._codes[code].severity, message, hint, span, self._line(span.start.line))

    def _line(self, number: int) -> str:
        if self._lines is None:
            self._lines = self._text.split("\n")
        return self._lines[number - 1].rstrip("\r") if number <= len(self._lines) else ""

    def suggestion(self, name: str, candidates: Iterable[str], otherwise: str) -> str:
        """Return a hint that names the candidate most similar to `name`, or `otherwise`."""
        if self._suggestions == 0:
            return otherwise
        self._suggestions -= 1
        near = [candidate for candidate in candidates if abs(len(candidate) - len(name)) <= 1 + len(name) // 3]
        close = difflib.get_close_matches(name, near[:_CANDIDATES], n=1)
        return f"did you mean `{close[0]}`?" if close else otherwise

    @property
    def overflowed(self) -> bool:
        """Return whether there are more errors than a report lists; later errors are dropped."""
        return self._overflowed

    @property
    def failed(self) -> bool:
        """Return whether any error was reported."""
        return bool(self._reported[Severity.ERROR])

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics in source order; a note that there were more errors comes last."""
        diagnostics = self._reported[Severity.ERROR] + self._reported[Severity.WARNING]
        return tuple(sorted(diagnostics, key=_order))

    def raise_if_failed(self, tolerated: Collection[str] = ()) -> None:
        """Raise ProgramError with all diagnostics, if one of them is an error that is not tolerated."""
        if any(diagnostic.code not in tolerated for diagnostic in self._reported[Severity.ERROR]):
            raise ProgramError(self.diagnostics())


def _order(diagnostic: Diagnostic) -> tuple[bool, Position, str, str]:
    late = diagnostic.code == "too-many-errors"
    return late, diagnostic.span.start, diagnostic.code, diagnostic.message
