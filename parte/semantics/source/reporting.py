"""Collect diagnostics while a program is read: all errors, not only the first (specification: every-error)."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from parte.semantics.source.diagnostics import Code, Diagnostic, ProgramError, Severity
from parte.semantics.source.limits import MAX_REPORTED
from parte.semantics.source.spans import Position, Span

_SUGGESTIONS = 100
_CANDIDATES = 300
"""Looking for similar names costs time: a hostile program gets this many searches among this many names."""


class Lines:
    """The lines of a source text, or of several files, by the spans that begin on them."""

    def __init__(self, text: str, files: Mapping[str, str] = MappingProxyType({})) -> None:
        self._texts = {**files, "": text}
        self._lines: dict[str, list[str]] = {}

    def __call__(self, span: Span) -> str:
        """Return the line on which a span begins."""
        if span.file not in self._lines:
            self._lines[span.file] = self._texts.get(span.file, "").split("\n")
        lines, number = self._lines[span.file], span.start.line
        return lines[number - 1].rstrip("\r") if number <= len(lines) else ""


class Reporter:
    """The collected diagnostics of one source; `codes` are those of its language.

    `files` has the texts of a source that consists of several files, by their names.
    """

    def __init__(self, text: str, codes: Mapping[str, Code], files: Mapping[str, str] = MappingProxyType({})) -> None:
        self._codes = codes
        self.line = Lines(text, files)
        self._reported: dict[Severity, list[Diagnostic]] = {Severity.ERROR: [], Severity.WARNING: []}
        self._suggestions = _SUGGESTIONS
        self._overflowed = False
        self._muted: Collection[str] = ()

    def report(self, code: str, span: Span, message: str, hint: str) -> None:
        """Record a diagnostic; its severity is that of the code. Beyond the limit one error stands for all others."""
        if code in self._muted:
            return
        message += span.origin
        diagnostics = self._reported[self._codes[code].severity]
        if len(diagnostics) < MAX_REPORTED:
            diagnostics.append(self._diagnostic(code, span, message, hint))
        elif self._codes[code].severity is Severity.ERROR and not self._overflowed:
            self._overflowed = True
            message = f"more than {MAX_REPORTED} errors; the others are not listed"
            diagnostics.append(self._diagnostic("too-many-errors", span, message, "correct the errors listed first"))

    def _diagnostic(self, code: str, span: Span, message: str, hint: str) -> Diagnostic:
        return Diagnostic(code, self._codes[code].severity, message, hint, span, self.line(span))

    def suggestion(self, name: str, candidates: Iterable[str], otherwise: str) -> str:
        """Return a hint that names the candidate most similar to `name`, or `otherwise`."""
        if self._suggestions == 0:
            return otherwise
        self._suggestions -= 1
        near = [candidate for candidate in candidates if abs(len(candidate) - len(name)) <= 1 + len(name) // 3]
        close = difflib.get_close_matches(name, near[:_CANDIDATES], n=1)
        return f"did you mean `{close[0]}`?" if close else otherwise

    @contextmanager
    def without(self, codes: Collection[str]) -> Iterator[None]:
        """Drop the diagnostics with these codes inside this context."""
        before, self._muted = self._muted, codes
        try:
            yield
        finally:
            self._muted = before

    @property
    def overflowed(self) -> bool:
        """Return whether there are more errors than a report lists; later errors are dropped."""
        return self._overflowed

    @property
    def errors(self) -> int:
        """Return the number of errors reported."""
        return len(self._reported[Severity.ERROR])

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


def _order(diagnostic: Diagnostic) -> tuple[bool, str, Position, str, str]:
    late = diagnostic.code == "too-many-errors"
    return late, diagnostic.span.file, diagnostic.span.start, diagnostic.code, diagnostic.message
