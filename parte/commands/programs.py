"""`parte fmt`, `parte ast` and `parte graph`: a program in its layout, as a tree, as a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from parte import api, terminal
from parte.inputs import STANDARD_INPUT, explained, program_from, program_text, writing
from parte.options import ProgramArgument
from semantics.syntax.json_form import program_to_json


def fmt(
    program: ProgramArgument,
    check: Annotated[
        bool, typer.Option("--check", help="Print nothing; exit code 1 if the layout is another.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Change the file, if its layout is another.")] = False,
) -> None:
    """Print a program in canonical layout, with its comments."""
    if check and write:
        raise typer.BadParameter("--check only looks, --write changes the file: give one of them")
    if write and program == STANDARD_INPUT:
        raise typer.BadParameter("there is no file to write: PROGRAM is standard input")
    text = program_text(program)
    with explained(program):
        formatted = api.format_program(text)
    if not check and not write:
        terminal.write(formatted)
    elif text == formatted:
        return
    elif write:
        with writing(program):
            Path(program).write_text(formatted, encoding="utf-8", newline="\n")
    else:
        terminal.error(f"{program} is not in canonical layout", f"parte fmt --write {program}")
        raise typer.Exit(terminal.DIFFERENT)


def ast(program: ProgramArgument) -> None:
    """Print a program as JSON: scoped, typed, with explicit types and times in milliseconds."""
    read = program_from(program)
    terminal.write(json.dumps(program_to_json(read), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
