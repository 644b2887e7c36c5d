"""The commands of ETALIS that do more than the general ones: policies and readings, and the network of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from parte import terminal
from parte.commands.general import ModelOption, compared, given
from parte.commands.languages import asked
from parte.conformance.etalis.engine import CHOSEN, POLICY, unknown
from parte.conformance.etalis.language import ETALIS
from parte.drawing.rule_network import draw_rule_network
from parte.inputs import deliver, program_text, read_program
from parte.options import OutputOption, ProgramArgument, TraceArgument, wrong
from parte.semantics.etalis.binarisation import binarised

PolicyOption = Annotated[
    str, typer.Option("--policy", metavar="NAME", help=f"Which goals are taken: {', '.join(CHOSEN[POLICY])}.")
]
ReadingOption = Annotated[
    list[str] | None,
    typer.Option("--reading", metavar="NAME=VALUE", help="How E is read: lasting, negation or during."),
]


def run(
    context: typer.Context,
    program: ProgramArgument,
    trace: TraceArgument,
    model: ModelOption = "sound",
    policy: PolicyOption = "unrestricted",
    reading: ReadingOption = None,
) -> None:
    """Print the derived events of a program on a stream, one JSON object a line.

    Exit codes: 0; 2 if the program or the trace cannot be used, or the model does not support what is asked for.
    """
    found = given(context, program, trace, (model,), _options(policy, reading or ())).matches(model)
    terminal.write("".join(f"{line}\n" for line in asked(context).syntax().shown(found)))


def compare(
    context: typer.Context,
    program: ProgramArgument,
    trace: TraceArgument,
    model: ModelOption = "sound",
    policy: PolicyOption = "unrestricted",
    reading: ReadingOption = None,
) -> None:
    """Compare a model with the definition: show the events that it lacks, and those that it has beyond.

    Exit codes: 0 if they agree; 1 if they differ; 2 if the program or the trace cannot be used.
    """
    language = asked(context)
    options = _options(policy, reading or ())
    compared(language, given(context, program, trace, (language.definition, model), options), model)


def _options(policy: str, readings: Sequence[str]) -> dict[str, str]:
    """The options of a run that are no defaults."""
    options = {POLICY: policy}
    for reading in readings:
        name, equals, value = reading.partition("=")
        if not equals or name == POLICY or name not in CHOSEN:
            names = ", ".join(name for name in CHOSEN if name != POLICY)
            raise wrong("--reading", f"expected NAME=VALUE, where NAME is one of {names}; found {reading!r}")
        options[name] = value
    for message in unknown(options):
        raise wrong("--policy" if message.startswith(POLICY) else "--reading", message)
    return {name: value for name, value in options.items() if value != CHOSEN[name][0]}


def graph(program: ProgramArgument, output: OutputOption = None) -> None:
    """Draw the network of binary rules of a program, as text for Graphviz."""
    source = read_program(ETALIS.syntax(), program_text(program), program)
    deliver(draw_rule_network(binarised(source.program)), output)


COMMANDS = {"run": run, "compare": compare, "graph": graph}
