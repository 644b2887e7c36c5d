"""`parte compare`: a machine against the event algebra, under many schedules."""

from __future__ import annotations

from typing import Annotated

import typer

from parte import terminal
from parte.conformance.parte import comparison
from parte.inputs import capacities_from, explained, scenario_from
from parte.options import (
    CapacitiesOption,
    DisorderOption,
    DomainOption,
    MachineOption,
    ProgramArgument,
    RepairOption,
    TraceArgument,
    WithoutOption,
    model_of,
    wrong,
)
from parte.semantics.parte.capacities import UNBOUNDED
from parte.semantics.parte.repairs import Model


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
    limits = capacities_from(capacities)
    scenario = scenario_from(program, trace, domain, disorder)
    with explained(trace):
        result = comparison.compare(
            scenario, model=chosen, schedules=schedules, seed=seed, capacities=limits or UNBOUNDED
        )
    terminal.write((result.to_json() if as_json else result.render()) + "\n")
    if not result.agrees:
        raise typer.Exit(terminal.DIFFERENT)
