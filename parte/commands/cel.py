"""The commands of CEL that do more than the general ones: shares and readings of `run`, and the automaton."""

from __future__ import annotations

from typing import Annotated

import typer

from parte import cel, terminal
from parte.commands.general import ModelOption, given
from parte.commands.languages import asked
from parte.conformance.cel.engine import ALGEBRA, DEFINITION, CelEngine
from parte.conformance.cel.language import CEL
from parte.conformance.cel.notation import line_of
from parte.drawing.automaton import draw_automaton
from parte.inputs import deliver, program_text, read_program
from parte.options import OutputOption, ProgramArgument, TraceArgument, check_model, wrong
from parte.semantics.cel.machine import RIVALS

MAX_PROCESSES = 1_000_000


def run(
    context: typer.Context,
    program: ProgramArgument,
    trace: TraceArgument,
    model: ModelOption = "sound",
    processes: Annotated[int, typer.Option("--processes", metavar="N", help="Share the results among N.")] = 1,
    index: Annotated[int, typer.Option("--index", metavar="P", help="Print the share of process P, from 0.")] = 0,
    rivals: Annotated[
        str, typer.Option("--rivals", metavar="interval|end|all", help="What a strategy compares a result with.")
    ] = "interval",
) -> None:
    """Print the results of a query on a trace, one JSON object a line.

    Exit codes: 0; 2 if the query or the trace cannot be used, or the model does not support the query.
    """
    check_model(model, asked(context).models)
    if not 1 <= processes <= MAX_PROCESSES:
        raise wrong("--processes", f"expected a number from 1 to {MAX_PROCESSES}, found {processes}")
    if not 0 <= index < processes:
        raise wrong("--index", f"expected a number from 0 to {processes - 1}, found {index}")
    if rivals not in cel.CHOICES["rivals"]:
        raise wrong("--rivals", f"expected {', '.join(cel.CHOICES['rivals'])}, found {rivals!r}")
    defining = model in (DEFINITION, ALGEBRA)
    if defining and processes > 1:
        raise wrong("--processes", "the definition has no shares; choose a machine by --model")
    if not defining and rivals not in RIVALS:
        raise wrong("--rivals", f"only the definition reads them as {rivals!r}: --model definition")
    asking = given(context, program, trace, (model,))
    found = asking.answered(CelEngine(model, processes=processes, index=index, rivals=rivals))
    terminal.write("".join(f"{line}\n" for line in map(line_of, found)))


def graph(program: ProgramArgument, output: OutputOption = None) -> None:
    """Draw the automaton of a query, as text for Graphviz."""
    source = read_program(CEL.syntax(), program_text(program), program)
    with terminal.refusing(cel.Unsupported, hint="links below other operators have no automaton"):
        machine = cel.Machine(source.query)
    deliver(draw_automaton(machine.automaton), output)


COMMANDS = {"run": run, "graph": graph}
