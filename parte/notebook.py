"""Cell magics for IPython and Jupyter: after `%load_ext parte` a cell may be a program or a trace.

`%%parte NAME` reads the cell as a program in PARTElang, `%%parte NAME LANGUAGE` as one in another language, and
`%%trace NAME` as a trace in JSON Lines. The value then has the name NAME. Errors in the text are displayed with their
place, as the command prints them, instead of a traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Protocol

from parte import displays
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.languages.language import Facet
from parte.languages.registry import language_called, languages
from parte.semantics.events.trace import read_trace
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.similar import advice
from parte.semantics.source.text import TEXT

PYTHON: Facet[Callable[[str], object]] = Facet("python", "functions for Python")
"""The parser of a language for the functions of the API, as `parte.parse`. It is in the module of these functions."""


class Shell(Protocol):
    """The part of the shell of IPython that the magics need."""

    user_ns: dict[str, object]

    def register_magic_function(self, func: Callable[[str, str], None], magic_kind: str, magic_name: str) -> None:
        """Register the function for cells that begin with `%%` and the name."""


class Misused(ValueError):
    """Error: the first line of a cell is not as expected."""

    def _render_traceback_(self) -> list[str]:
        return [f"error: {self}"]


def load(shell: Shell) -> None:
    """Give a shell the magics, and values their displays."""
    displays.install()
    for name, function in (("parte", _program), ("trace", _trace)):
        shell.register_magic_function(partial(function, shell), "cell", name)


def _program(shell: Shell, line: str, cell: str) -> None:
    name, language = _words(line, "%%parte NAME [LANGUAGE]", 2)
    try:
        language_record = language_called(language or DEFAULT_LANGUAGE)
    except KeyError:
        hint = advice(language, (known.name for known in languages()))
        raise Misused(f"no language is called {language!r}; {hint}") from None
    text = language_record[TEXT]
    try:
        warnings = text.warnings(text.parse(cell))
        shell.user_ns[name] = language_record[PYTHON](cell)
    except ProgramError as error:
        raise ProgramError(error.diagnostics, name) from None
    for diagnostic in warnings:
        print(diagnostic.render(name), file=sys.stderr)


def _trace(shell: Shell, line: str, cell: str) -> None:
    name, _ = _words(line, "%%trace NAME", 1)
    trace = shell.user_ns[name] = read_trace(cell, filename=name)
    if trace.doubt:
        print(f"warning: {name}: {trace.doubt}", file=sys.stderr)


def _words(line: str, form: str, most: int) -> tuple[str, str]:
    """Return the words of a first line, of which the first is the name of a variable."""
    words = line.split()
    if not 1 <= len(words) <= most or not words[0].isidentifier():
        raise Misused(f"expected {form}, where NAME is that of a variable, found {line.strip()!r}")
    return words[0], words[1] if len(words) > 1 else ""
