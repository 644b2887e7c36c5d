"""The tests below some paths, with their programs, whatever their languages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from parte.conformance.casefiles.cases import Notation
from parte.conformance.casefiles.layout import Misread
from parte.conformance.casefiles.rule_tests import RuleTest, read_tests
from parte.conformance.kit import KIT
from parte.languages.language import Language
from parte.languages.registry import language_of, languages
from parte.semantics.events.differences import Key
from parte.semantics.events.files import UnusableFile, read_text
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.limits import MAX_SOURCE_BYTES
from parte.semantics.source.similar import advice
from parte.semantics.source.text import TEXT

ENDING: Final = ".cases"
MOST_FILES: Final = 10_000
"""Files of tests in a run; more are a mistake in the path."""

Json = Any


class NoTests(ValueError):
    """A path below which there is no test, or which does not exist; with a hint."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its path, its language, its text with all that it imports, and what was read from it.

    `own` is the text of its file alone.
    """

    path: str
    language: Language
    own: str
    text: str
    program: Any
    tree: Json
    key: Key

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules, as matches have them; none in a language whose programs are one rule."""
        rules = self.tree.get("rules", ()) if isinstance(self.tree, dict) else ()
        names = (rule.get("name") or rule.get("head", {}).get("name") for rule in rules)
        return tuple(dict.fromkeys(str(name).partition("{")[0] for name in names if name))


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something in a file that cannot be used: its place, with line and column from 1 or 0, and what to do."""

    file: str
    line: int
    column: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line else "") + (f":{self.column}" if self.column else "")
        return f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class CasesFile:
    """A file of tests: those that can be run, each with its program, and the flaws of the file and its programs."""

    path: str
    tests: tuple[tuple[RuleTest, Program], ...]
    flaws: tuple[Flaw, ...]
    programs: tuple[str, ...] = ()
    """The paths of all programs that the file names, for whoever watches them."""


def files_below(paths: Sequence[str]) -> list[str]:
    """Return the files of tests that the paths name: a file, all files in a folder, or those beside a program.

    Raises NoTests for a path without any.
    """
    files: dict[str, None] = {}
    for path in paths:
        below = list(_below(path))
        if not below:
            raise NoTests(
                f"there are no tests in {path}", f"tests stand in files that end in {ENDING}, as fraud{ENDING}"
            )
        files |= dict.fromkeys(below)
        if len(files) > MOST_FILES:
            raise NoTests(f"{path} has more than {MOST_FILES:,} files of tests", "name a smaller folder")
    return list(files)


def _below(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (os.path.normpath(os.path.join(folder, name)) for name in sorted(names) if name.endswith(ENDING))
    elif not os.path.lexists(path):
        folder = os.path.dirname(path) or "."
        names = os.listdir(folder) if os.path.isdir(folder) else []
        raise NoTests(f"there is no {path}", advice(os.path.basename(path), names, "check the path"))
    elif path.endswith(ENDING):
        yield path
    elif language_of(path) is not None:
        beside = os.path.splitext(path)[0] + ENDING
        if not os.path.exists(beside):
            raise NoTests(f"{path} has no tests beside it", f"they stand in {beside}")
        yield beside
    else:
        raise NoTests(f"{path} is no file of tests", f"tests stand in files that end in {ENDING}")


@dataclass(slots=True)
class Reader:
    """Reads files of tests, and each program once. `include` are directories of imported files."""

    include: Sequence[str] = ()
    _programs: dict[str, Program | tuple[Flaw, ...]] = field(default_factory=dict)

    def read(self, path: str) -> CasesFile:
        """Return the tests in a file."""
        try:
            text = read_text(path)
        except OSError as error:
            return CasesFile(path, (), (_unreadable(path, error),))
        used: dict[str, str] = {}

        def notation(written: str) -> Notation:
            if written not in used:
                used[written] = os.path.join(os.path.dirname(path), written) if written else _beside(path)
            program = self._program(used[written])
            if not isinstance(program, Program):
                raise Misread(f"the program {used[written]} cannot be used, so that no test of it runs")
            return program.language[KIT].notation

        tests, problems = read_tests(text, notation)
        lines = text.split("\n")
        of_programs = (self._programs.get(place) for place in used.values())
        flaws = [flaw for program in of_programs if isinstance(program, tuple) for flaw in program]
        flaws += [Flaw(path, problem.line, _column(lines, problem.line), problem.message) for problem in problems]
        ready = [(test, self._program(used[test.program])) for test in tests]
        usable = tuple((test, program) for test, program in ready if isinstance(program, Program))
        return CasesFile(path, usable, tuple(flaws), tuple(used.values()))

    def _program(self, path: str) -> Program | tuple[Flaw, ...]:
        """Return a program, or the flaws of one that cannot be used. Misread if there is no such file."""
        if path not in self._programs:
            self._programs[path] = self._load(path)
        return self._programs[path]

    def _load(self, path: str) -> Program | tuple[Flaw, ...]:
        language = language_of(path)
        if language is None:
            endings = ", ".join(language.ending for language in languages())
            raise Misread(f"the ending of {path} names no language; those of programs are {endings}")
        if not os.path.lexists(path):
            raise Misread(_missing(path))
        try:
            own = read_text(path, MAX_SOURCE_BYTES)
        except OSError as error:
            return (_unreadable(path, error),)
        syntax = language[TEXT]
        try:
            program = syntax.parse(own) if syntax.parse_at is None else syntax.parse_at(own, path, self.include)
            text = own if syntax.joined is None else syntax.joined(own, path, self.include)
        except ProgramError as error:
            return tuple(_flaws(error, path))
        return Program(path, language, own, text, program, syntax.tree(program), syntax.key(program))


def _unreadable(path: str, error: OSError) -> Flaw:
    if isinstance(error, UnusableFile):
        return Flaw(path, error.line, error.column, error.reason, error.hint)
    return Flaw(path, 0, 0, error.strerror or str(error))


def _flaws(error: ProgramError, path: str) -> Iterable[Flaw]:
    for diagnostic in error.diagnostics:
        start = diagnostic.span.start
        message = f"{diagnostic.severity.value}[{diagnostic.code}]: {diagnostic.message}"
        yield Flaw(diagnostic.span.file or path, start.line, start.column, message, diagnostic.hint)


def _beside(path: str) -> str:
    """Return the path of the program of the same name. Misread if there is none, or several."""
    stem = os.path.splitext(path)[0]
    there = [stem + language.ending for language in languages() if os.path.exists(stem + language.ending)]
    if len(there) == 1:
        return there[0]
    name = os.path.basename(stem)
    if there:
        named = " and ".join(map(os.path.basename, there))
        raise Misread(f"there are {named}; name one, as `program {os.path.basename(there[0])}`")
    endings = ", ".join(f"{name}{language.ending}" for language in languages())
    raise Misread(f"there is no program beside this file ({endings}); name it, as `program rules/{name}.parte`")


def _missing(path: str) -> str:
    folder = Path(path).parent
    names = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    return f"there is no program {path}; {advice(Path(path).name, names, 'check the path')}"


def _column(lines: Sequence[str], line: int) -> int:
    """Return the column where the text of a line begins."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return len(text) - len(text.lstrip()) + 1
