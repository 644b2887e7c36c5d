"""`parte step`: a run of a machine step by step, as a page."""

from __future__ import annotations

from typing import Annotated

import typer

from parte import terminal
from parte.api import schedule_called
from parte.drawing.stepper.page import Stepper, draw_steps
from parte.drawing.stepper.recording import LIMIT
from parte.inputs import STANDARD_INPUT, capacities_from, deliver, explained
from parte.options import (
    MACHINES,
    CapacitiesOption,
    CheckpointOption,
    DisorderOption,
    DomainOption,
    FailuresOption,
    IncludeOption,
    OutputOption,
    ProgramArgument,
    RepairOption,
    ScheduleOption,
    SeedOption,
    TraceArgument,
    WithoutOption,
    check_machine_options,
    crashing_of,
    model_of,
    wrong,
)
from parte.rejecting import RejectedLinesOption
from parte.scenarios import scenario_from
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.repairs import Family, family_of
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model

_DRAWN = MACHINES[:2]
_MOST = 100_000

StepOption = Annotated[
    str | None,
    typer.Option("--step", metavar="FILE", help="Write the counterexample as a page that shows it step by step."),
]


def step(
    program: ProgramArgument,
    trace: TraceArgument,
    model: Annotated[
        str, typer.Option("--model", metavar="|".join(_DRAWN), help="The machine that takes the steps.")
    ] = "sound",
    repair: RepairOption = None,
    without: WithoutOption = None,
    domain: DomainOption = None,
    schedule: ScheduleOption = None,
    seed: SeedOption = None,
    failures: FailuresOption = None,
    checkpoint: CheckpointOption = None,
    capacities: CapacitiesOption = None,
    disorder: DisorderOption = None,
    first: Annotated[
        int | None,
        typer.Option(
            "--from", min=1, metavar="N", help="The first step to show. [default: the first, or one near a loss]"
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=_MOST, metavar="N", help="Show so many steps.")] = LIMIT,
    output: OutputOption = None,
    include: IncludeOption = None,
    rejected: RejectedLinesOption = None,
) -> None:
    """Write a run step by step as a page: the network with its tokens, what nodes hold, the rule that fires with the
    value of each premise, and the trace in time.

    The page is one file and asks for nothing from outside. It opens at the first step that the algebra contradicts, if
    there is one. Exit codes: 0; 2 if an input cannot be used.
    """
    chosen = drawn("--model", model_of(model, repair, without))
    crashing = crashing_of(failures, checkpoint, chosen, schedule, seed)
    check_machine_options(model, schedule, seed if crashing is None else None, capacities)
    limits = capacities_from(capacities)
    scenario = scenario_from(program, trace, domain, disorder, include, rejected)
    with explained(trace):
        page = draw_steps(
            scenario,
            model=chosen,
            schedule=crashing or schedule_called(schedule, seed),
            capacities=limits or UNBOUNDED,
            first=first,
            limit=limit,
            title="standard input" if program == STANDARD_INPUT else program.rpartition("/")[2],
        )
    written(page, output)


def drawn(option: str, model: str | Model) -> Model:
    """The model, or a usage error if its steps cannot be shown."""
    if isinstance(model, Model) and family_of(model) is Family.FEATHERWEIGHT:
        return model
    name = model.name if isinstance(model, Model) else model
    raise wrong(option, f"the steps of {name} cannot be drawn; give {' or '.join(_DRAWN)}")


def write_counterexample(
    path: str, scenario: Scenario[core.Program], model: Model, schedule: Schedule, capacities: Capacities | None
) -> None:
    """Write the page of a run that departs from the algebra, or blocks."""
    title = f"{model.name} departs from the algebra"
    written(draw_steps(scenario, model=model, schedule=schedule, capacities=capacities or UNBOUNDED, title=title), path)


def written(page: Stepper, path: str | None) -> None:
    """Write a page, and report its size and what it leaves out."""
    deliver(page.html, path)
    last = page.first - 1 + page.shown
    if page.shown < page.steps:
        terminal.note(f"of {page.steps:,} steps {page.first:,} to {last:,} are shown: --from and --limit choose others")
    if path is not None:
        size = len(terminal.writable(page.html).encode()) / 1_000_000
        terminal.report(f"{path}: {page.shown:,} steps, {size:.1f} MB; open it in a browser")
