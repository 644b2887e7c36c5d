"""`parte compare`: a machine against the event algebra, under many schedules."""

from __future__ import annotations

from typing import Annotated

import typer

from conformance import comparison
from parte import terminal
from parte.commands.run import check_one_standard_input
from parte.inputs import capacities_from, domain_from, explained, program_from, trace_from
from parte.options import (
    CapacitiesOption,
    DisorderOption,
    DomainOption,
    MachineOption,
    ProgramArgument,
    RepairOption,
    TraceArgument,
    WithoutOption,
    disorder_of,
    model_of,
    wrong,
)
from semantics.capacities import UNBOUNDED
from semantics.events.conformity import conform
from semantics.events.domain import bind_domain
from semantics.events.promises import arrivals
from semantics.repairs import Model


def compare(
    program: ProgramArgument,
    trace: TraceArgument,
    model: MachineOption = "sound",
    repair: RepairOption = None,
    without: WithoutOption = None,
    domain: DomainOption = None,
    schedules: Annotated[
        int, typer.Option("--schedules", min=0, metavar="N", help="How many seeded schedules to try after round-robin.")
    ] = 10,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the first of them.")] = 0,
    capacities: CapacitiesOption = None,
    disorder: DisorderOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs to read.")] = False,
) -> None:
    """Compare a machine with the event algebra, and name the first step at which they part.

    Exit codes: 0 if they agree under every schedule; 1 if they differ, with the missing and spurious matches, the
    schedule and its seed, and the steps that the algebra contradicts; 2 if an input cannot be used.
    """
    chosen = model_of(model, repair, without)
    if not isinstance(chosen, Model):
        raise wrong("--model", f"{model} is what machines are compared with; give sound, published or rudimentary")
    lag = disorder_of(disorder)
    check_one_standard_input(program, trace)
    read = program_from(program)
    relations = domain_from(read, domain)
    limits = capacities_from(read, chosen, capacities)
    events = trace_from(trace)
    with explained(trace):
        items = conform(read, events)
        arrivals(items, disorder=lag, filename=events.filename)
    result = comparison.compare(
        read,
        items,
        model=chosen,
        schedules=schedules,
        seed=seed,
        predicates=bind_domain(read, relations),
        capacities=limits or UNBOUNDED,
        disorder=lag,
    )
    terminal.write((result.to_json() if as_json else result.render()) + "\n")
    if not result.agrees:
        raise typer.Exit(terminal.DIFFERENT)
