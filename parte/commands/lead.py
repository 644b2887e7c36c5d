"""The commands of LEAD that do more than the general ones: late events and the name of the rule in `run`, the net."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parte import lead, terminal
from parte.commands.general import ModelOption, given
from parte.commands.languages import asked
from parte.conformance.lead.engine import LeadEngine
from parte.conformance.lead.language import LEAD
from parte.conformance.lead.notation import shown
from parte.drawing.petri import draw_net, pnml
from parte.drawing.petri_svg import draw_net_svg
from parte.inputs import deliver, program_text, read_program
from parte.options import OutputOption, ProgramArgument, TraceArgument, check_model, wrong
from parte.semantics.events.values import GREATEST_INTEGER


def run(
    context: typer.Context,
    program: ProgramArgument,
    trace: TraceArgument,
    model: ModelOption = "sound",
    disorder: Annotated[
        int, typer.Option("--disorder", metavar="MS", help="How much later than a later event one may come.")
    ] = 0,
) -> None:
    """Print the matches of a rule on a trace, one JSON object a line.

    Exit codes: 0; 2 if the rule or the trace cannot be used.
    """
    check_model(model, asked(context).models)
    if not 0 <= disorder <= GREATEST_INTEGER:
        raise wrong("--disorder", f"expected a number from 0 to {GREATEST_INTEGER}, found {disorder}")
    asking = given(context, program, trace, (model,))
    found = asking.answered(LeadEngine(model, called=Path(program).stem, disorder=disorder))
    terminal.write("".join(f"{line}\n" for line in shown(found)))


def graph(
    program: ProgramArgument,
    output: OutputOption = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="svg|dot|pnml", help="[default: that of the ending of FILE, else dot]"),
    ] = None,
    interchange: Annotated[bool, typer.Option("--pnml", help="Write PNML, which tools for Petri nets read.")] = False,
) -> None:
    """Draw the net of a rule, as SVG, as text for Graphviz, or as PNML."""
    ending = "" if output is None else Path(output).suffix.removeprefix(".")
    chosen = "pnml" if interchange else form or (ending if ending in _DRAWN else "dot")
    if chosen not in _DRAWN:
        raise wrong("--format", f"expected {', '.join(_DRAWN)}, found {chosen!r}")
    source = read_program(LEAD.syntax(), program_text(program), program)
    deliver(_DRAWN[chosen](lead.Machine(source.rule).net), output)


_DRAWN = {"dot": draw_net, "svg": draw_net_svg, "pnml": pnml}

COMMANDS = {"run": run, "graph": graph}
