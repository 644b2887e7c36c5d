"""`parte fmt`, `ast`, `graph` and `timeline`: a program in its layout, as a tree, as a network; a trace in time."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer

from parte import api, terminal
from parte.commands.languages import chosen_language
from parte.displays import draw
from parte.drawing import draw_dot
from parte.drawing.timeline import draw_timeline
from parte.inputs import (
    STANDARD_INPUT,
    check_one_standard_input,
    deliver,
    domain_from,
    explained,
    program_from,
    program_of,
    program_text,
    trace_from,
)
from parte.options import (
    DisorderOption,
    DomainOption,
    FormOption,
    IncludeOption,
    OutputOption,
    ProgramArgument,
    TraceArgument,
    disorder_of,
    wrong,
)
from parte.rejecting import RejectedLinesOption
from parte.scenarios import read_together
from parte.semantics.events.types import has_optional
from parte.semantics.source.text import TEXT


def fmt(
    context: typer.Context,
    program: ProgramArgument,
    check: Annotated[
        bool, typer.Option("--check", help="Print nothing; exit code 1 if the layout is another.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Change the file, if its layout is another.")] = False,
) -> None:
    """Print a program in canonical layout, with its comments.

    The layout is read back first: a program that it would change is neither printed nor written.
    """
    if check and write:
        raise typer.BadParameter("--check only looks, --write changes the file: give one of them")
    if write and program == STANDARD_INPUT:
        raise typer.BadParameter("there is no file to write: PROGRAM is standard input")
    text = program_text(program)
    with explained(program):
        formatted = chosen_language(context)[TEXT].printed(text)
    if not check and not write:
        terminal.write(formatted)
    elif text == formatted:
        return
    elif write:
        deliver(formatted, program)
    else:
        terminal.error(f"{program} is not in canonical layout", f"parte fmt --write {program}")
        raise typer.Exit(terminal.DIFFERENT)


def ast(context: typer.Context, program: ProgramArgument, include: IncludeOption = None) -> None:
    """Print a program as JSON: scoped, typed, with explicit types and times in milliseconds."""
    syntax = chosen_language(context)[TEXT]
    read = program_of(syntax, program, include)
    terminal.write(json.dumps(syntax.tree(read), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def graph(
    program: ProgramArgument,
    form: FormOption = None,
    trace: Annotated[
        str | None,
        typer.Option("--trace", metavar="TRACE", help="Run the sound machine on it, and say how full every store got."),
    ] = None,
    domain: DomainOption = None,
    disorder: DisorderOption = None,
    output: OutputOption = None,
    include: IncludeOption = None,
) -> None:
    """Draw the network of a program, as SVG or as text for Graphviz.

    Without --output to standard output, on a terminal and into a pipe alike.
    """
    chosen = form_of(form, output)
    if trace is not None and chosen != "svg":
        raise wrong("--trace", "only the drawing as SVG says how full the stores got")
    for option, setting in (("--domain", domain), ("--disorder", disorder)):
        if setting is not None and trace is None:
            raise wrong(option, "the drawing needs it only with --trace")
    lag = disorder_of(disorder)
    read = program_from(program, include)
    if chosen == "dot":
        deliver(draw_dot(read, api.network_of(read)), output)
    elif trace is None:
        deliver(draw(read).svg, output)
    else:
        check_one_standard_input(program, trace)
        relations = domain_from(read, domain)
        events = trace_from(trace, nulls=has_optional(read))
        with explained(trace):
            drawn = draw(read, events, domain=relations, disorder=lag)
        deliver(drawn.svg, output)


def timeline(
    program: ProgramArgument,
    trace: TraceArgument,
    domain: DomainOption = None,
    disorder: DisorderOption = None,
    output: OutputOption = None,
    include: IncludeOption = None,
    rejected: RejectedLinesOption = None,
) -> None:
    """Draw a trace in time as SVG: its events, and each match with the windows of its rule."""
    if output is not None and ending_of(output) != "svg":
        raise wrong("--output", f"a timeline is SVG, and {output} says otherwise")
    lag = disorder_of(disorder)
    read, relations, events = read_together(program, trace, domain, include, rejected)
    with explained(trace):
        execution = api.execute(read, events, model="indexed", domain=relations, disorder=lag)
    deliver(draw_timeline(events, execution.matches, read, predicates=relations).svg, output)


def ending_of(output: str | None) -> str:
    """The format that the ending of a file asks for; svg without one."""
    ending = Path(output or "").suffix.removeprefix(".").lower()
    return "dot" if ending in ("dot", "gv") else ending or "svg"


def form_of(form: str | None, output: str | None, forms: Collection[str] = ("svg", "dot")) -> str:
    """The format that `--format` or the ending of a file asks for; a usage error if it is none of `forms`."""
    chosen = form or ending_of(output)
    if chosen == "txt" and "text" in forms:
        return "text"
    if chosen not in forms:
        raise wrong("--format", f"expected {' or '.join(forms)}, found {chosen!r}")
    return chosen
