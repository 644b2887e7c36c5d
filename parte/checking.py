"""Checking programs from Python, and `parte check`. Both need z3, which is an optional dependency.

Nothing of the checker is imported before it is asked for, so that everything else works without z3.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.inputs import explained, program_text
from parte.options import ProgramArgument
from semantics.syntax import core

if TYPE_CHECKING:
    from checker.report import Report

DEFAULT_TIMEOUT = 10.0
"""Seconds for one question to the solver."""


def check_program(program: core.Program | str, *, timeout: float = DEFAULT_TIMEOUT) -> Report:
    """Decide what a program guarantees before it runs (`parte.check`); `program` is elaborated, or the text of one.

    Raises ProgramError if the text is no program, and `checker.errors.SolverMissing`, an ImportError, without z3.
    """
    from checker.check import check as decide

    return decide(program, timeout=timeout)


def check(
    program: ProgramArgument,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, metavar="SECONDS", help="For one question to the solver.")
    ] = DEFAULT_TIMEOUT,
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings fail the check too.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show the closure of each rule, and each guarantee rule by rule.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs to read.")] = False,
) -> None:
    """Prove with z3 what a program guarantees before it runs, or say with evidence why it does not.

    Exit codes: 0 if all guarantees hold; 1 if one fails; 2 if the program is invalid or the solver z3 is missing.
    """
    text = program_text(program)
    with _solver_needed():
        from checker.json_form import report_to_text
        from checker.render import render

        with explained(program):
            report = check_program(text, timeout=timeout)
    shown = (
        report_to_text(report, program, strict=strict) + "\n" if as_json else render(report, program, verbose=verbose)
    )
    terminal.write(shown if as_json else terminal.printable(shown))
    if report.exit_code_of(strict=strict):
        raise typer.Exit(terminal.DIFFERENT)


@contextmanager
def _solver_needed() -> Iterator[None]:
    """Turn a missing solver into one clear error and exit code 2."""
    try:
        yield
    except ImportError as problem:
        from checker.errors import SolverMissing

        if not isinstance(problem, SolverMissing):
            raise
        terminal.error("the checker needs the solver z3, which is not installed", "pip install 'parte[z3]'")
        raise typer.Exit(terminal.UNUSABLE) from None
