"""The files that commands read. A file that cannot be used is explained on standard error, with exit code 2."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import typer

from parte import terminal
from parte.algebra.partelang.evaluators import OF_LOGS
from parte.algebra.partelang.relational import Log
from parte.faults import of_variant
from parte.options import wrong
from parte.semantics.events.domain import Predicates, bind_domain, load_domain
from parte.semantics.events.files import (
    UnusableFile,
    check_kind,
    limited,
    read_text,
    standard_input,
    text_of,
    write_whole,
)
from parte.semantics.events.problems import InputError, Problem
from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.events.trace import Numbered, Trace, bounded_lines, read_records, read_trace
from parte.semantics.events.types import has_optional
from parte.semantics.partelang.capacities import Capacities, CapacitiesError, read_capacities
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.partelang.syntax.imports import parse_at
from parte.semantics.rulebook.models import Model
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.limits import MAX_SOURCE_BYTES
from parte.semantics.source.packages import importing
from parte.semantics.source.text import P, Text

STANDARD_INPUT = "-"
_MOST_NAMES = 1_000
"""The names of a directory that are compared with that of a missing file."""
Reading = Callable[[Iterable[str]], Iterator[str]]
"""The lines of a trace as they are read."""


def program_text(path: str) -> str:
    """The text of a program, not yet parsed."""
    with explained(path):
        if path == STANDARD_INPUT:
            text = text_of(limited(standard_input(), path, MAX_SOURCE_BYTES), path)
        else:
            text = read_text(path, MAX_SOURCE_BYTES)
    if _of_events(text):
        raise terminal.unusable(f"{path} is a trace, and no program", "PROGRAM comes first, then TRACE")
    return text


def _of_events(text: str) -> bool:
    """Return whether a text begins as a trace does."""
    first = text.lstrip("\ufeff \t\r\n").partition("\n")[0]
    try:
        record = decode(first) if first.startswith("{") else None
    except MalformedJson:
        return False
    return isinstance(record, dict) and "template" in record


def program_of(syntax: Text[P], path: str, include: Sequence[str] | None = None) -> P:
    """The program of a language in a file; its warnings are shown."""
    return read_program(syntax, program_text(path), path, include)


def read_program(syntax: Text[P], text: str, path: str, include: Sequence[str] | None = None) -> P:
    """The program in a text that was read from a path; its warnings are shown."""
    if include and syntax.parse_at is None:
        raise wrong("--include", "programs of this language import nothing")
    with explained(path):
        at_path = None if path == STANDARD_INPUT else syntax.parse_at
        program = syntax.parse(text) if at_path is None else at_path(text, path, include or ())
    terminal.diagnostics(syntax.warnings(program), path)
    return program


def program_from(path: str, include: Sequence[str] | None = None) -> core.Program:
    """The PARTElang program in a file; its warnings are shown."""
    text = program_text(path)
    with explained(path):
        program = parse(text) if path == STANDARD_INPUT else parse_at(text, path, include or ())
    terminal.diagnostics(program.warnings, path)
    return program


def unmarked(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines without the byte order mark that may begin the first."""
    for number, line in enumerate(lines):
        yield line if number else line.removeprefix("\ufeff")


def trace_from(
    path: str, program: core.Program | None = None, *, nulls: bool = False, read: Reading = unmarked
) -> Trace:
    """The trace in a file, or on standard input for `-`. Given a program, also its log in Parquet, in order of rows.
    With `nulls` attributes may be null; `read` leaves lines out."""
    with explained(path):
        if program is not None and path.endswith(".parquet"):
            return _log(program, path, read)
        name = "<stdin>" if path == STANDARD_INPUT else path
        trace = read_trace(read(trace_lines_from(path)), filename=name, nulls=nulls)
    doubtful(trace.doubt, trace.filename)
    return trace


def doubtful(doubt: str, filename: str) -> None:
    """Report parts of a trace that are probably a mistake."""
    if doubt:
        terminal.note(f"{filename}: {doubt}")


def records_from(path: str) -> list[Numbered]:
    """The lines of a trace, for a language to decode."""
    with explained(path):
        return read_records(trace_lines_from(path), filename="<stdin>" if path == STANDARD_INPUT else path)


def trace_lines_from(path: str) -> Iterator[str]:
    """The lines of a trace, for a language to read. Raises OSError."""
    if path == STANDARD_INPUT:
        yield from unmarked(standard_lines())
        return
    check_kind(path, streams=True)
    with Path(path).open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        yield from unmarked(bounded_lines(file.readline))


def events_from(path: str, program: core.Program, model: str | Model, read: Reading = unmarked) -> Trace | Log:
    """The content of a trace; of a log in Parquet only its path, for a model that reads it itself.

    `read` leaves lines or rows out."""
    return (
        Log(path)
        if model in OF_LOGS and path.endswith(".parquet") and read is unmarked
        else trace_from(path, program, nulls=has_optional(program), read=read)
    )


def _log(program: core.Program, path: str, read: Reading) -> Trace:
    escaped = path.replace("{", "{{").replace("}", "}}")
    with importing("parquet", message=f"{escaped}: Parquet files need the package {{}}, which is not installed"):
        from parte.algebra.partelang.relational.parquet import load_log, log_lines
    if read is unmarked:
        return Trace(load_log(program, path), path)
    return read_trace(read(log_lines(program, path)), filename=path)


def undeclared_in(program: core.Program, path: str) -> Mapping[str, int]:
    """The number of events of each template that a program does not declare, in a log in Parquet."""
    if not path.endswith(".parquet"):
        return {}
    from parte.algebra.partelang.relational import parquet

    return parquet.undeclared_in(program, path)


def standard_lines() -> Generator[str]:
    """The lines of standard input, read like those of a file: each cut just beyond the longest that is allowed."""
    stream = io.TextIOWrapper(standard_input(), encoding="utf-8", errors="surrogateescape", newline="\n")
    try:
        yield from bounded_lines(stream.readline)
    finally:
        stream.detach()


def requests() -> BinaryIO:
    """Standard input, for a command that answers what comes there."""
    with explained(STANDARD_INPUT):
        return standard_input()


def domain_from(program: core.Program, path: str | None) -> Predicates:
    """The predicates of a program, as a domain file has them; without a file the program must declare none."""
    with explained(path or "--domain", "domain"):
        return bind_domain(program, {} if path is None else load_domain(path))


def capacities_from(path: str | None) -> Capacities | None:
    """The capacities in a file, not checked against the nodes of a program. None without a file."""
    if path is None:
        return None
    with explained(path):
        return read_capacities(read_text(path), filename=path)


def check_one_standard_input(program: str, trace: str) -> None:
    """A usage error if both are to be read from standard input."""
    if program == trace == STANDARD_INPUT:
        raise typer.BadParameter("only one of PROGRAM and TRACE can be standard input")


@contextmanager
def explained(path: str, alias: str = "") -> Iterator[None]:
    """Turn what is wrong with the input into words on standard error and exit code 2.

    Problems that name only the last part of `path`, or `alias`, are shown with all of it, so that editors find the
    place.
    """
    try:
        yield
    except ConnectionError:
        raise  # no file is concerned: a process that PARTE needs has gone, such as Java
    except (ProgramError, InputError, CapacitiesError, OSError) as problem:
        if of_variant(problem):
            raise
        _explain(problem, path, alias)
    else:
        return
    raise typer.Exit(terminal.UNUSABLE)


def _explain(problem: ProgramError | InputError | CapacitiesError | OSError, path: str, alias: str) -> None:
    if isinstance(problem, ProgramError):
        terminal.program_error(problem, path)
    elif isinstance(problem, InputError):
        located = _located(problem.problems, path, alias)
        terminal.input_error(type(problem)(located, problem.unlisted, problem.repeated))
    elif isinstance(problem, CapacitiesError):
        terminal.error(str(problem))
    else:
        reason = problem.strerror or str(problem)
        source_name = problem.filename if isinstance(problem.filename, str) else path
        if isinstance(problem, UnusableFile) and problem.line:
            terminal.error(f"{source_name}:{problem.line}:{problem.column}: {problem.reason}", problem.hint)
        else:
            terminal.error(f"cannot read {source_name}: {reason}", _hint(problem, path))


def _located(problems: Iterable[Problem], path: str, alias: str) -> Iterator[Problem]:
    for problem in problems:
        yield replace(problem, filename=path) if problem.filename in (Path(path).name, alias) else problem


def _near(path: Path) -> str:
    """Return the file of the same kind whose name is similar to that of a missing one, as a hint."""
    stems: list[str] = []
    with suppress(OSError), os.scandir(path.parent) as entries:
        names = (Path(entry.name) for entry in islice(entries, _MOST_NAMES))
        stems = [name.stem for name in names if name.suffix == path.suffix]
    near = get_close_matches(path.stem, stems, 1)
    return f"did you mean {near[0]}{path.suffix}?" if near else "check the name"


def _hint(problem: OSError, path: str) -> str:
    if isinstance(problem, FileNotFoundError):
        folder = Path(path).parent
        if folder.is_dir():
            return f"there is no such file in {folder.absolute()}; {_near(Path(path))}"
        return f"there is no directory {folder}; check the path"
    if isinstance(problem, IsADirectoryError):
        return "give a file, not a directory"
    return problem.hint if isinstance(problem, UnusableFile) else ""


@contextmanager
def writing(path: str) -> Iterator[None]:
    """Turn a file that cannot be written into words on standard error and exit code 2."""
    try:
        yield
    except OSError as problem:
        folder = Path(path).parent
        if isinstance(problem, FileNotFoundError) and not folder.is_dir():
            raise terminal.unusable(f"cannot write {path}: there is no directory {folder}", "make it") from None
        source_name = problem.filename if isinstance(problem.filename, str) else path
        hint = problem.hint if isinstance(problem, UnusableFile) else ""
        if isinstance(problem, IsADirectoryError):
            hint = "name a file in it"
        raise terminal.unusable(f"cannot write {source_name}: {problem.strerror or problem}", hint) from None


def deliver(text: str, path: str | None) -> None:
    """Write results to a file, or to standard output without one."""
    if path is None:
        terminal.write(text)
        return
    with writing(path):
        write_whole(path, terminal.writable(text))
