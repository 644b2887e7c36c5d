"""`parte run`: the matches of a program on a trace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from parte import api, terminal
from parte.algebra.partelang.relational import Unsupported
from parte.commands.budgets import Budget
from parte.commands.flow import Failures, Run
from parte.inputs import capacities_from, check_one_standard_input, domain_from, events_from, explained, program_from
from parte.options import (
    CapacitiesOption,
    DisorderOption,
    DomainOption,
    ModelOption,
    ProgramArgument,
    RepairOption,
    ScheduleOption,
    SeedOption,
    TraceArgument,
    VariantOption,
    WithoutOption,
    check_machine_options,
    disorder_of,
    model_of,
    wrong,
)
from parte.semantics.events.match import Match
from parte.semantics.events.match import derivation as derivation_in
from parte.semantics.partelang.capacities import UNBOUNDED
from parte.semantics.partelang.schedules import SCHEDULES
from parte.semantics.rulebook.models import Model

BudgetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--budget",
        metavar="BUDGET",
        help="Stop after so long ('30 seconds'), or when so many partial matches are stored (1000000), and say what "
        "grows; may be given for both.",
    ),
]
DerivationOption = Annotated[
    str | None,
    typer.Option(
        "--derivation",
        metavar="ID",
        help="Print only the matches that the emitted event with this id stands on, each after those that it binds.",
    ),
]


def run(
    program: ProgramArgument,
    trace: TraceArgument,
    model: ModelOption = "sound",
    repair: RepairOption = None,
    without: WithoutOption = None,
    variant: VariantOption = None,
    domain: DomainOption = None,
    schedule: ScheduleOption = None,
    seed: SeedOption = None,
    capacities: CapacitiesOption = None,
    disorder: DisorderOption = None,
    derivation: DerivationOption = None,
    budget: BudgetOption = None,
) -> None:
    """Print the matches of a program on a trace, one JSON object a line.

    A machine by round-robin answers while a trace on standard input still comes, each match when it is found; all else
    prints the matches in order when the trace has ended. A trace whose name ends in .parquet is a log with the columns
    that `parte spark log` writes. Exit codes: 0; 2 if the program, the trace or another input cannot be used; 3 if the
    machine is blocked; 4 if --budget was spent.
    """
    chosen = model_of(model, repair, without, variant)
    check_machine_options(model, schedule, seed, capacities)
    limit = Budget.of(budget or ())
    lag = disorder_of(disorder)
    check_one_standard_input(program, trace)
    read = program_from(program)
    relations = domain_from(read, domain)
    limits = capacities_from(capacities)
    if isinstance(chosen, Model) and schedule in (None, SCHEDULES[0]) and derivation is None:
        if Run(read, relations, chosen, limits or UNBOUNDED, lag, limit).answer(trace):
            return
    elif budget is not None:
        raise wrong("--budget", "only a machine by round-robin, without --derivation, stops in between")
    events = events_from(trace, read, chosen)
    with explained(trace), terminal.refusing(Unsupported, hint="the model indexed runs every program"):
        outcome = api.execute(
            read,
            events,
            model=chosen,
            schedule=schedule,
            domain=relations,
            seed=seed,
            capacities=limits,
            disorder=lag,
        )
    matches = outcome.matches if derivation is None else derivation_of(outcome.matches, derivation)
    terminal.write("".join(f"{match.to_json()}\n" for match in matches))
    failures = Failures()
    failures.add(outcome.failures)
    failures.note()
    if outcome.blocked is not None:
        terminal.report(outcome.blocked.render())
        raise typer.Exit(terminal.BLOCKED)


def derivation_of(matches: Iterable[Match], identity: str) -> list[Match]:
    """The matches that an emitted event stands on; it is wrong to ask for one that no match emitted."""
    found = derivation_in(matches, identity)
    if not found:
        raise wrong(
            "--derivation", "no match emitted an event with this id: ids stand in `emits`, and depend on the trace"
        )
    return found
