"""`parte why`: why a rule matched, or did not."""

from __future__ import annotations

from typing import Annotated

import typer

from parte import terminal
from parte.algebra.partelang.reasons import LIMIT, NEAREST
from parte.commands.schedules import JsonOption
from parte.conformance.partelang.bindings import read_bindings
from parte.conformance.partelang.why import UnknownBinding
from parte.conformance.partelang.why import why as explain
from parte.inputs import explained
from parte.options import (
    MACHINES,
    DisorderOption,
    DomainOption,
    IncludeOption,
    ProgramArgument,
    RepairOption,
    TraceArgument,
    WithoutOption,
    model_of,
    wrong,
)
from parte.rejecting import RejectedLinesOption
from parte.scenarios import scenario_from
from parte.semantics.rulebook.models import Model


def why(
    program: ProgramArgument,
    trace: TraceArgument,
    rule: Annotated[
        str | None, typer.Option("--rule", metavar="NAME", help="The rule. [default: the only one of the program]")
    ] = None,
    bindings: Annotated[
        list[str] | None,
        typer.Option("--bindings", metavar="a=e1,b=e2", help="The events that variables of the rule are bound to."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="|".join(MACHINES), help="Where this machine lost a match, or found one more."),
    ] = None,
    repair: RepairOption = None,
    without: WithoutOption = None,
    domain: DomainOption = None,
    disorder: DisorderOption = None,
    nearest: Annotated[int, typer.Option("--nearest", min=1, metavar="N", help="How many misses to show.")] = NEAREST,
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="N", help="Try so many combinations of events.")
    ] = LIMIT,
    as_json: JsonOption = False,
    include: IncludeOption = None,
    rejected: RejectedLinesOption = None,
) -> None:
    """Say why a rule matched events of a trace, or did not.

    For events bound to all variables: a line for each condition, window and negated pattern, with its place and what it
    came to. For fewer: how many combinations are left pattern by pattern, and the nearest of those that failed.
    Exit codes: 0 if there is a match; 1 if there is none, or the machine differs; 2 if an input cannot be used.
    """
    machine: Model | None = None
    if model is not None:
        named = model_of(model, repair, without)
        if not isinstance(named, Model):
            raise wrong("--model", f"{model} takes no steps; give {', '.join(MACHINES)}")
        machine = named
    elif repair or without:
        raise wrong("--model", "which machine is repaired? Give --model published or --model sound")
    scenario = scenario_from(program, trace, domain, disorder, include, rejected)
    chosen = {variable: event for text in bindings or () for variable, event in _bindings(text)}
    with explained(trace), terminal.refusing(UnknownBinding):
        answer = explain(scenario, rule, chosen, model=machine, nearest=nearest, limit=limit)
    if as_json:
        terminal.write(answer.to_json() + "\n")
    else:
        terminal.tell(answer.render() + "\n")
    if not answer.matches or answer.difference is not None:
        raise typer.Exit(terminal.DIFFERENT)


def _bindings(text: str) -> list[tuple[str, str]]:
    try:
        return read_bindings(text)
    except ValueError as error:
        raise wrong("--bindings", str(error)) from None
