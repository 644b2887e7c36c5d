"""Reading of a program for analysis: a program with only such errors as the checker itself explains is accepted."""

from __future__ import annotations

from collections.abc import Sequence

from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import elaborate_tolerantly
from parte.semantics.partelang.syntax.imports import source_at
from parte.semantics.partelang.syntax.parser import parse_source

TOLERATED = ("recursive-rules", "unrelated-variables", "unbounded-negation", "unbounded-set")
"""Errors of the front end that are guarantees of the checker: it refutes them, with evidence."""


def load(program: core.Program | str) -> core.Program:
    """Return the elaborated program. Raise ProgramError if its text has errors that the checker does not explain."""
    if isinstance(program, core.Program):
        return program
    return elaborate_tolerantly(parse_source(program), TOLERATED)[0]


def load_at(text: str, path: str, include: Sequence[str]) -> core.Program:
    """Do the same for the text at a path, with the files that it imports."""
    return elaborate_tolerantly(source_at(text, path, include), TOLERATED)[0]
