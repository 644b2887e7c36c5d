"""Reading of a program for analysis: a program with only such errors as the checker itself explains is accepted."""

from __future__ import annotations

from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import elaborate_tolerantly
from parte.semantics.partelang.syntax.parser import parse_source

TOLERATED = ("recursive-rules", "unrelated-variables", "unbounded-negation")
"""Errors of the front end that are guarantees of the checker: it refutes them, with evidence."""


def load(program: core.Program | str) -> core.Program:
    """Return the elaborated program. Raise ProgramError if its text has errors that the checker does not explain."""
    if isinstance(program, core.Program):
        return program
    return elaborate_tolerantly(parse_source(program), TOLERATED)[0]
