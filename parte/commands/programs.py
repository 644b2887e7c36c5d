"""`parte fmt`, `parte ast` and `parte graph`: a program in its layout, as a tree, as a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from parte import api, terminal
from parte.drawing import draw_dot, draw_svg
from parte.inputs import STANDARD_INPUT, explained, program_from, program_text, writing
from parte.options import ProgramArgument, wrong
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


def graph(
    program: ProgramArgument,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="svg|dot", help="[default: that of the ending of FILE, else svg]"),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write. [default: standard output]")
    ] = None,
) -> None:
    """Draw the network of a program, as SVG or as text for Graphviz."""
    chosen = form or ("dot" if output is not None and output.endswith((".dot", ".gv")) else "svg")
    if chosen not in ("svg", "dot"):
        raise wrong("--format", f"expected svg or dot, found {chosen!r}")
    read = program_from(program)
    draw = draw_svg if chosen == "svg" else draw_dot
    drawn = draw(read, api.network_of(read))
    if output is None:
        terminal.write(drawn)
        return
    with writing(output):
        Path(output).write_text(drawn, encoding="utf-8", newline="\n")
