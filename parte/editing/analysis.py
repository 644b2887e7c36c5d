"""The analysis of a text: its tokens, names, program and diagnostics.

Each of these is computed when it is first read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from os.path import realpath
from pathlib import Path
from threading import RLock
from typing import Generic, TypeVar

from parte.editing.names import Entity, Extent, Name, Names, Sort
from parte.editing.positions import Lines
from parte.editing.support import Support
from parte.semantics.source.diagnostics import Diagnostic, ProgramError
from parte.semantics.source.text import TEXT
from parte.semantics.source.tokens import Token


@dataclass(frozen=True)
class Finding:
    """A diagnostic with the related places, and a message for each of them."""

    diagnostic: Diagnostic
    related: tuple[tuple[Extent, str], ...]


T = TypeVar("T")


class _once(Generic[T]):
    """A cached property as functools.cached_property, but with a lock for each text. Up to Python 3.11,
    cached_property has one lock for all, so that a large text would delay all others."""

    def __init__(self, find: Callable[[Analysis], T]) -> None:
        self._find = find
        self._name = find.__name__

    def __get__(self, analysis: Analysis, _: object = None) -> T:
        with analysis.lock:
            if self._name not in analysis.__dict__:
                analysis.__dict__[self._name] = self._find(analysis)
            value: T = analysis.__dict__[self._name]
        return value


class Analysis:
    """A text in a language, analysed on demand. If it is that of a file, `path` is the file, and `include` has other
    directories than its own from which it may import files."""

    def __init__(self, support: Support, text: str, path: str = "", include: Sequence[str] = ()) -> None:
        self.lock = RLock()
        self.support = support
        self.text = text
        self.path, self._include = path, include

    @_once
    def tokens(self) -> Sequence[Token]:
        """The words, numbers and symbols."""
        return self.support.tokens(self.text)

    @_once
    def names(self) -> Names:
        """The names."""
        return self.support.names(self.tokens)

    @_once
    def _read(self) -> tuple[object, tuple[Diagnostic, ...]]:
        syntax = self.support.language[TEXT]
        try:
            if self.path and syntax.parse_at is not None:
                program = syntax.parse_at(self.text, self.path, self._include)
            else:
                program = syntax.parse(self.text)
        except ProgramError as error:
            return None, tuple(map(self._here, error.diagnostics))
        return program, tuple(map(self._here, syntax.warnings(program)))

    def _here(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic with a place in this text: that of an import for one in an imported file."""
        span, imports = diagnostic.span, self.support.imports(self.tokens)
        if span.file in ("", self.path) or not imports:
            return diagnostic
        directory, place = Path(realpath(self.path)).parent, realpath(span.file)
        extent = next((extent for path, extent in imports if realpath(directory / path) == place), imports[0][1])
        message = f"{span.file}:{span.start.line}:{span.start.column}: {diagnostic.message}"
        return replace(diagnostic, message=message, span=Lines(self.text).span_of(*extent))

    def defined_in(self, name: Name) -> Iterator[tuple[str, str, Name]]:
        """Yield the path and the text of each imported file with a declaration of a name, and that declaration."""
        entities = [name.entity, *(Entity(*choice[:2], name.entity.name) for choice in name.choices)]
        for path, text in self.support.files(self.program).items() if self.program is not None else ():
            names = self.support.names(self.support.tokens(text))
            declared = next((declaration for entity in entities for declaration in names.declarations(entity)), None)
            if path != self.path and declared is not None:
                yield path, text, declared

    @property
    def program(self) -> object:
        """The program of the text; None if it is none."""
        return self._read[0]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of `parte` for the text: every error, or else every warning."""
        return self._read[1]

    @_once
    def findings(self) -> tuple[Finding, ...]:
        """The diagnostics, each with the declarations of the names that it is about."""
        lines = Lines(self.text)
        by_start = {name.extent.start: name for name in reversed(self.names.names)}
        return tuple(
            Finding(diagnostic, tuple(self._related(by_start.get(lines.offset_of(diagnostic.span.start)))))
            for diagnostic in self.diagnostics
        )

    def _related(self, name: Name | None) -> Iterator[tuple[Extent, str]]:
        if name is None:
            return
        entity = name.entity
        if entity.sort is Sort.ATTRIBUTE and not self.names.declarations(entity):
            entity = entity._replace(sort=Sort.TEMPLATE, owner="", name=entity.owner)
        for declaration in self.names.declarations(entity):
            if declaration.extent != name.extent:
                yield declaration.extent, f"the {entity.sort.value} `{entity.name}`"
                return

    @_once
    def formatted(self) -> str | None:
        """The text in canonical layout; None if it has errors that `parte fmt` would report."""
        try:
            return self.support.language[TEXT].printed(self.text)
        except ProgramError:
            return None
