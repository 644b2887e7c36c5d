"""The files that a program imports (specification: imports, import-places, import-whole).

A program that consists of several files becomes one source: the declarations of all files, each file once and behind
those that it imports. Every span names its file. All later stages read the source as that of any other program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from os.path import realpath
from pathlib import Path
from typing import Any, TypeVar, cast

from parte.semantics.events.files import UnusableFile, read_text
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.elaborate import elaborate
from parte.semantics.partelang.syntax.limits import MAX_IMPORTED_FILES, MAX_NESTED_IMPORTS
from parte.semantics.partelang.syntax.parser import parse_source
from parte.semantics.source.diagnostics import Diagnostic, ProgramError
from parte.semantics.source.limits import MAX_SOURCE_BYTES, MAX_SOURCE_CHARACTERS
from parte.semantics.source.reporting import Reporter
from parte.semantics.source.spans import NOWHERE, Span, Spanned

_N = TypeVar("_N", bound=Spanned)


def load_program(path: str, *, include: Sequence[str] = ()) -> core.Program:
    """Return the program in a file, with the declarations of the files that it imports.

    Imported files are in the directory of the program, in one of the directories `include`, or below these. Raise
    OSError if the file cannot be read, ProgramError with all errors of all files if there are any.
    """
    try:
        return parse_at(read_text(path, MAX_SOURCE_BYTES), path, include)
    except ProgramError as error:
        raise ProgramError(error.diagnostics, path) from None


def parse_at(text: str, path: str, include: Sequence[str] = ()) -> core.Program:
    """Return the program whose text is at a path. Raise ProgramError as `load_program` does."""
    return elaborate(source_at(text, path, include))


def source_at(text: str, path: str, include: Sequence[str] = ()) -> ast.SourceProgram:
    """Return the source of the program whose text is at a path, without imports: with all declarations of the files
    that it imports. Raise ProgramError as `load_program` does."""
    source = parse_source(text)
    if not source.imports:
        return source
    files = _Files(path, include)
    files.add_main(source)
    if files.diagnostics:
        raise ProgramError(tuple(files.diagnostics), path)
    return replace(
        source,
        imports=(),
        declarations=tuple(_in_file(item, file.name) for file in files.complete for item in file.source.declarations),
        file=path,
        files={file.name: file.source.text for file in files.complete},
    )


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a program: its name in messages, its place with links followed, and its content."""

    name: str
    place: Path
    source: ast.SourceProgram


@dataclass(slots=True)
class _Files:
    """The files of a program while they are read. `complete` has those whose imports have been read, in this order;
    `_heights` how many files import each other, one the next, from each of these on."""

    path: str
    include: Sequence[str]
    complete: list[_File] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _roots: dict[Path, Path] = field(default_factory=dict)
    _open: list[_File] = field(default_factory=list)
    _known: set[Path] = field(default_factory=set)
    _heights: dict[Path, int] = field(default_factory=dict)
    _characters: int = 0

    def add_main(self, source: ast.SourceProgram) -> None:
        """Read what the main program imports."""
        place, directory = _place(self.path), Path(self.path).parent
        self._roots[place.parent] = directory if _place(directory) == place.parent else place.parent
        for directory in map(Path, self.include):
            self._roots.setdefault(_place(directory), directory)
        self._known.add(place)
        self._characters = len(source.text)
        self._add(_File(self.path, place, source))

    def _add(self, file: _File) -> None:
        """Read what a file imports, each file once."""
        self._open.append(file)
        self._heights[file.place] = 1
        for item in file.source.imports:
            errors = Reporter(file.source.text, CODES)
            imported = self._read(item, file, errors)
            self._take(errors.diagnostics(), file.name)
            if imported is not None:
                self._add(imported)
                self._rise(file, imported.place)
        self._open.pop()
        self.complete.append(file)

    def _rise(self, importer: _File, place: Path) -> None:
        self._heights[importer.place] = max(self._heights[importer.place], 1 + self._heights.get(place, 1))

    def _read(self, item: ast.Import, importer: _File, errors: Reporter) -> _File | None:
        """Return the file that is imported; None if it has been read already, or has errors, which are reported."""

        def report(code: str, message: str, hint: str) -> None:
            errors.report(code, item.path_span, message, hint)

        path = item.path
        if not path or path.startswith("/") or "\\" in path or ":" in path or not path.isprintable():
            message = f"`{path}` is no path of a file from this one"
            report("invalid-import", message, 'give a path as in `import "shared/templates.parte"`')
            return None
        place = _place(importer.place.parent / path)
        name = self._name_of(place)
        chain = [file.place for file in self._open]
        if name is None:
            message = f"`{path}` is outside the directory of the program"
            report("import-outside", message, "move the file, or allow its directory by `--include`")
        elif place in chain:
            cycle = [file.name for file in self._open[chain.index(place) :]]
            named = " imports ".join(f"`{link}`" for link in (*cycle, cycle[0]))
            report("cyclic-import", f"the file imports itself: {named}", "remove one of the imports")
        elif len(self._open) + self._heights.get(place, 1) > MAX_NESTED_IMPORTS + 1:
            message = f"more than {MAX_NESTED_IMPORTS} files import each other, one the next"
            report("too-many-imports", message, "import the files from fewer levels")
        elif place in self._known:
            self._rise(importer, place)
        elif len(self._known) > MAX_IMPORTED_FILES:
            message = f"the program imports more than {MAX_IMPORTED_FILES} files"
            report("too-many-imports", message, "join some of the files")
        else:
            self._known.add(place)
            return self._parsed(item, place, name, errors)
        return None

    def _parsed(self, item: ast.Import, place: Path, name: str, errors: Reporter) -> _File | None:
        try:
            text = read_text(place, MAX_SOURCE_BYTES)
        except (OSError, ValueError) as problem:
            reason = problem.reason if isinstance(problem, UnusableFile) else getattr(problem, "strerror", "")
            message = f"cannot read {name}: {reason or problem}"
            errors.report("import-not-found", item.path_span, message, "the path begins at the directory of this file")
            return None
        self._characters += len(text)
        if self._characters > MAX_SOURCE_CHARACTERS:
            message = f"with {name} the program has more than {MAX_SOURCE_CHARACTERS} characters"
            errors.report("source-too-large", item.path_span, message, "split the program")
            return None
        try:
            source = parse_source(text)
        except ProgramError as error:
            self._take(error.diagnostics, name)
            return None
        if source.level == 1:
            message = f"{name} is a program of level 1"
            errors.report("import-level", item.path_span, message, f"begin {name} with `level 2`")
            return None
        return _File(name, place, source)

    def _name_of(self, place: Path) -> str | None:
        """Return the name of a file by which messages call it; None if it is in no directory for imports."""
        for root, directory in self._roots.items():
            if place.is_relative_to(root):
                return str(directory / place.relative_to(root))
        return None

    def _take(self, diagnostics: Sequence[Diagnostic], name: str) -> None:
        self.diagnostics += [
            replace(diagnostic, span=replace(diagnostic.span, file=name)) for diagnostic in diagnostics
        ]


def _place(path: str | Path) -> Path:
    """Return a path with symbolic links followed; it cannot be read if they lead round in a circle."""
    return Path(realpath(path))


def _in_file(node: _N, name: str) -> _N:
    """Return a tree whose spans name their file."""
    changed = {part.name: _changed(getattr(node, part.name), name) for part in fields(cast(Any, node))}
    return cast(_N, replace(cast(Any, node), **changed))


def _changed(value: object, name: str) -> object:
    if isinstance(value, Span):
        return value if value is NOWHERE else replace(value, file=name)
    if isinstance(value, Spanned):
        return _in_file(value, name)
    return tuple(_changed(part, name) for part in value) if isinstance(value, tuple) else value
