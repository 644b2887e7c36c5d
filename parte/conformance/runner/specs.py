"""Engines as a command line names them: `model:NAME`, or a command in one argument, with or without `LABEL=` before it.

A command is split like in a shell, but runs without one.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from parte.conformance.engines.registry import PREFIX, Engines, engine_called, require
from parte.conformance.engines.server import command_serving
from parte.conformance.runner.processes import ProcessSession
from parte.conformance.runner.sessions import EngineSpec, LocalSession, Session
from parte.semantics.source.packages import Unavailable

_RUNNERS = {
    ".py": "python3",
    ".js": "node",
    ".mjs": "node",
    ".rb": "ruby",
    ".sh": "sh",
    ".jar": "java -jar",
    ".pl": "perl",
}
"""The program that runs a script, by the ending of its name."""

_LABEL = re.compile(r"([A-Za-z][A-Za-z0-9._-]{0,40})=(.*)", re.DOTALL)


class SpecError(ValueError):
    """An argument that names no engine; the message gives the reason, `hint` the remedy."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def specs_of(arguments: Sequence[str], engines: Engines, language: str = "") -> tuple[EngineSpec, ...]:
    """Return the engines that arguments name, with unique labels. SpecError for the first that names none.

    The project's own engines are among `engines`, which `language` lists.
    """
    specs: list[EngineSpec] = []
    for argument in arguments:
        spec = spec_of(argument, engines, language)
        taken = {earlier.label for earlier in specs}
        label, number = spec.label, 2
        while label in taken:
            label, number = f"{spec.label}-{number}", number + 1
        specs.append(replace(spec, label=label))
    return tuple(specs)


def spec_of(argument: str, engines: Engines, language: str = "") -> EngineSpec:
    """Return the engine that an argument names. SpecError if it names none.

    An engine of this project runs in another process, which can be ended, if `language` is the name by which that
    process finds the language that lists it; without a name it runs in this process.
    """
    labelled = _LABEL.fullmatch(argument)
    label, command = labelled.groups() if labelled else ("", argument)
    if command.startswith(PREFIX):
        name = command.removeprefix(PREFIX)
        if name not in engines:
            near = get_close_matches(name, engines, 1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else f"there are: {', '.join(engines)}"
            raise SpecError(f"no engine of this project is called {name!r}", hint)
        try:
            require(engines, name)
        except Unavailable as missing:
            raise SpecError(missing.message, missing.hint) from None
        if language:
            start = partial(ProcessSession, command_serving(language, name))
            return EngineSpec(label or name, argument, start, alone=bool(engines[name].extra))
        return EngineSpec(label or name, argument, partial(_local, engines, name), alone=True)
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SpecError(f"the command {command!r} cannot be split into words: {error}") from None
    if not words:
        raise SpecError("the command of an engine is empty")
    if shutil.which(words[0]) is None:
        there = Path(words[0]).is_file()
        raise SpecError(
            f"{words[0]} {'is not executable' if there else 'was not found'}",
            f"each argument is one engine: quote a command with its arguments, as in {_run(words[0])!r}"
            if there
            else "each argument is one engine: quote a command with its arguments; model:sound is one of this project",
        )
    return EngineSpec(label or _label_of(words), argument, partial(ProcessSession, tuple(words)))


def _run(script: str) -> str:
    """Return a command that may run a file that is not executable."""
    return f"{_RUNNERS.get(Path(script).suffix, 'INTERPRETER')} {script}"


def _local(engines: Engines, name: str) -> Session:
    return LocalSession(engine_called(engines, name))


def _label_of(words: Sequence[str]) -> str:
    """Return the name of the program, or of the first script among its arguments."""
    scripts = [word for word in words if Path(word).suffix in _RUNNERS]
    return re.sub(r"[^A-Za-z0-9._-]", "-", Path(scripts[0] if scripts else words[0]).stem)[:40] or "engine"
