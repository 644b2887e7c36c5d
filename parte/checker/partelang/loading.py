"""Reading a program for analysis: one that breaks only what the checker itself explains is read nevertheless."""

from __future__ import annotations

from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import elaborate_tolerantly
from parte.semantics.partelang.syntax.parser import parse_source

TOLERATED = ("recursive-rules", "unrelated-variables", "unbounded-negation")
"""Errors of the front end that are guarantees of the checker: it refutes them, with evidence, instead of giving up."""


def load(program: core.Program | str) -> core.Program:
    """The elaborated program. ProgramError if its text has errors beside those that the checker explains."""
    if isinstance(program, core.Program):
        return program
    return elaborate_tolerantly(parse_source(program), TOLERATED)[0]
