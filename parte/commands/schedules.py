"""`parte compare` and `parte explore`: a machine under many schedules, or under all."""

from __future__ import annotations

from typing import Annotated

import typer

from parte import terminal
from parte.commands.step import StepOption, drawn, write_counterexample
from parte.conformance.partelang import comparison
from parte.drawing.stepper.recording import Following
from parte.inputs import capacities_from, explained
from parte.interruptions import INTERRUPTED
from parte.options import (
    CapacitiesOption,
    DisorderOption,
    DomainOption,
    IncludeOption,
    MachineOption,
    ProgramArgument,
    RepairOption,
    TraceArgument,
    VariantOption,
    WithoutOption,
    finite,
    model_of,
    wrong,
)
from parte.proofs.partelang.exploration import explore as exploration
from parte.proofs.partelang.exploration.effort import Effort
from parte.rejecting import RejectedLinesOption
from parte.scenarios import scenario_from
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.schedules import Schedule, schedule_of
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs to read.")]


def compare(
    program: ProgramArgument,
    trace: TraceArgument,
    model: MachineOption = "sound",
    repair: RepairOption = None,
    without: WithoutOption = None,
    variant: VariantOption = None,
    domain: DomainOption = None,
    schedules: Annotated[
        int, typer.Option("--schedules", min=0, metavar="N", help="How many seeded schedules to try after round-robin.")
    ] = 10,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the first of them.")] = 0,
    capacities: CapacitiesOption = None,
    disorder: DisorderOption = None,
    step: StepOption = None,
    as_json: JsonOption = False,
    include: IncludeOption = None,
    rejected: RejectedLinesOption = None,
) -> None:
    """Compare a machine with the event algebra, and name the first step at which they part.

    Exit codes: 0 if they agree under every schedule; 1 if they differ, with the missing and spurious matches, the
    schedule and its seed, and the steps that the algebra contradicts; 2 if an input cannot be used.
    """
    chosen = model_of(model, repair, without, variant)
    if not isinstance(chosen, Model):
        raise wrong("--model", f"{model} is what machines are compared with; give sound, published or rudimentary")
    if step is not None:
        drawn("--step", chosen)
    limits = capacities_from(capacities)
    scenario = scenario_from(program, trace, domain, disorder, include, rejected)
    with explained(trace):
        result = comparison.compare(
            scenario, model=chosen, schedules=schedules, seed=seed, capacities=limits or UNBOUNDED
        )
    if as_json:
        terminal.write(result.to_json() + "\n")
    else:
        terminal.tell(result.render() + "\n")
    if step is not None:
        difference = result.difference
        schedule = None if difference is None else schedule_of(difference.trial.schedule, difference.trial.seed or 0)
        _write_counterexample(step, scenario, chosen, schedule, limits)
    if not result.agrees:
        raise typer.Exit(terminal.DIFFERENT)


def explore(
    program: ProgramArgument,
    trace: TraceArgument,
    model: MachineOption = "sound",
    repair: RepairOption = None,
    without: WithoutOption = None,
    variant: VariantOption = None,
    domain: DomainOption = None,
    capacities: CapacitiesOption = None,
    disorder: DisorderOption = None,
    max_states: Annotated[
        int, typer.Option("--max-states", min=1, metavar="N", help="Stop each search after so many states.")
    ] = exploration.MAX_STATES,
    no_reduction: Annotated[
        bool, typer.Option("--no-reduction", help="Take every step from every state; slow, and finds the same.")
    ] = False,
    seconds: Annotated[
        float,
        typer.Option(
            "--time", min=0.1, callback=finite, metavar="SECONDS", help="Stop after so long, with what was found."
        ),
    ] = 60.0,
    step: StepOption = None,
    as_json: JsonOption = False,
    include: IncludeOption = None,
    rejected: RejectedLinesOption = None,
) -> None:
    """Explore every schedule of a machine on a small trace: its results, blocked states, and largest occupancies.

    Exit codes: 0 if every schedule finds the algebra's matches and none blocks; 1 if some schedule finds others; 2 if
    an input cannot be used; 3 if a blocked state can be reached; 4 if the search did not end within --max-states and
    --time and none of these was found, by it or by the schedules that are then drawn at random. Ctrl-C ends the search,
    and shows what was found.
    """
    chosen = model_of(model, repair, without, variant)
    if not isinstance(chosen, Model):
        raise wrong("--model", f"{model} takes no steps; give sound, published or rudimentary")
    if step is not None:
        drawn("--step", chosen)
    limits = capacities_from(capacities)
    scenario = scenario_from(program, trace, domain, disorder, include, rejected)
    with explained(trace), terminal.telling() as tell:
        effort = Effort(seconds, tell)
        result = exploration.explore(
            scenario,
            model=chosen,
            capacities=limits or UNBOUNDED,
            max_states=max_states,
            reduce=not no_reduction,
            effort=effort,
        )
    if as_json:
        terminal.write(result.to_json() + "\n")
    else:
        terminal.tell(result.render() + "\n")
    if step is not None:
        wrong_ends = [end for end in result.outcomes if end.outcome.matches != result.expected]
        ends = [*wrong_ends, *([] if result.blocked is None else [result.blocked])]
        _write_counterexample(step, scenario, chosen, Following(ends[0].path) if ends else None, limits)
    limits_reached = f"the limit of {max_states} states or of {seconds:g} s was reached"
    reached = "the search was interrupted" if result.interrupted else limits_reached
    if result.truncated:
        terminal.note(f"{reached}; what was not found may still exist")
    elif not result.boxes_exact:
        terminal.note(f"{reached}: inboxes and outboxes may get fuller than shown")
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)
    if result.blocked is not None:
        raise typer.Exit(terminal.BLOCKED)
    if not result.agrees or not result.confluent:
        raise typer.Exit(terminal.DIFFERENT)
    if result.truncated:
        raise typer.Exit(terminal.OPEN)


def _write_counterexample(
    path: str, scenario: Scenario[core.Program], model: Model, schedule: Schedule | None, capacities: Capacities | None
) -> None:
    if schedule is None:
        terminal.report(f"{path} is not written: there is no counterexample")
    else:
        write_counterexample(path, scenario, model, schedule, capacities)
