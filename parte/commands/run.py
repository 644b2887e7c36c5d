"""`parte run`: the matches of a program on a trace, in every language."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from parte import api, terminal
from parte.algebra.partelang.relational import Unsupported
from parte.api import PROVED
from parte.commands.budgets import Budget, BudgetOption, Clock, OutOfTime
from parte.commands.flow import Flow, Losses, readable_twice
from parte.inputs import (
    STANDARD_INPUT,
    Reading,
    capacities_from,
    check_one_standard_input,
    domain_from,
    doubtful,
    events_from,
    explained,
    program_from,
    undeclared_in,
)
from parte.options import (
    CapacitiesOption,
    CheckpointOption,
    DisorderOption,
    DomainOption,
    FailuresOption,
    IncludeOption,
    ModelOption,
    ProgramArgument,
    RepairOption,
    ScheduleOption,
    SeedOption,
    StagingOption,
    TraceArgument,
    VariantOption,
    WithoutOption,
    check_machine_options,
    crashing_of,
    disorder_of,
    model_of,
    wrong,
)
from parte.rejecting import RejectedLinesOption, undeclared, without_rejected
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival
from parte.semantics.events.ids import LastIds
from parte.semantics.events.long_traces import LongTrace, Unfit, lines_of, speakers
from parte.semantics.events.match import Match
from parte.semantics.events.match import derivation as derivation_in
from parte.semantics.events.open_promises import OpenPromises, ends, inputs
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.problems import TraceError
from parte.semantics.events.rejection import EventCheck
from parte.semantics.events.scenario import Arriving
from parte.semantics.events.units import Units
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import Sources, compile_program
from parte.semantics.partelang.execution import may_be_staged
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.repairs import family_of
from parte.semantics.partelang.schedules import SCHEDULES
from parte.semantics.partelang.sharing import shared
from parte.semantics.partelang.streaming import Streaming
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.running import Running, UnsupportedRun
from parte.semantics.source.collection import paused_collection

if TYPE_CHECKING:
    pass

DerivationOption = Annotated[
    str | None,
    typer.Option(
        "--derivation",
        metavar="ID",
        help="Print only the matches that the emitted event with this id stands on, each after those that it binds.",
    ),
]
ELSE_SOUND = "the model sound runs every program"
ADVICE = (
    "narrow the windows of the rule that stores most, or have its patterns compare an attribute; "
    "`parte check --deployment` says how many there may be"
)


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
    failures: FailuresOption = None,
    checkpoint: CheckpointOption = None,
    capacities: CapacitiesOption = None,
    disorder: DisorderOption = None,
    derivation: DerivationOption = None,
    budget: BudgetOption = None,
    include: IncludeOption = None,
    rejected: RejectedLinesOption = None,
    staging: StagingOption = True,
) -> None:
    """Print the matches of a program on a trace, one JSON object a line.

    A machine by round-robin, or `proved`, answers while a trace on standard input still comes, each match when it is
    found; all else prints the matches in order when the trace has ended. A trace whose name ends in .parquet is a log
    with the columns that `parte spark log` writes. Exit codes: 0; 2 if the program, the trace or another input cannot
    be used; 3 if the machine is blocked; 4 if --budget was spent.
    """
    chosen = model_of(model, repair, without, variant)
    crashing = crashing_of(failures, checkpoint, chosen, schedule, seed)
    check_machine_options(model, schedule, seed if crashing is None else None, capacities)
    limit = Budget.of(budget or ())
    lag = disorder_of(disorder)
    check_one_standard_input(program, trace)
    read = program_from(program, include)
    relations = domain_from(read, domain)
    limits = capacities_from(capacities)
    follows = (isinstance(chosen, Model) or chosen == PROVED) and schedule in (None, SCHEDULES[0])
    follows = follows and derivation is None and crashing is None
    if budget is not None and not follows:
        raise wrong("--budget", "only a machine by round-robin, or `proved`, without --derivation, stops in between")
    templates = [template.name for template in read.templates]
    check = EventCheck(read, LastIds() if trace == STANDARD_INPUT else None)
    refused = terminal.refusing(UnsupportedRun, hint=ELSE_SOUND) if chosen == PROVED else nullcontext()
    with refused, without_rejected(rejected, trace, check, program, templates) as lines:
        if follows:
            model_to_run = chosen if isinstance(chosen, Model) else None
            stream = _Stream(read, relations, model_to_run, limits or UNBOUNDED, lag, lines, staging and budget is None)
            if stream.follow(trace, limit):
                return
        events = events_from(trace, read, chosen, lines)
        with explained(trace), terminal.refusing(Unsupported, hint="the model indexed runs every program"):
            outcome = api.execute(
                read,
                events,
                model=chosen,
                schedule=crashing or schedule,
                domain=relations,
                seed=seed if crashing is None else None,
                capacities=limits,
                disorder=lag,
                staging=staging,
            )
        if rejected is None:
            undeclared(undeclared_in(read, trace), templates)
        _show(outcome, derivation)
        if crashing is not None:
            terminal.report(crashing.summary)


def _show(outcome: Outcome, derivation: str | None) -> None:
    """Print the matches of a run, or those from which an event derives. Exit code 3 if the machine is blocked."""
    matches = outcome.matches if derivation is None else derivation_of(outcome.matches, derivation)
    terminal.write("".join(f"{match.to_json()}\n" for match in matches))
    losses = Losses()
    losses.add((*outcome.failures, *outcome.suppressed))
    losses.note()
    if outcome.blocked is not None:
        terminal.report(outcome.blocked.render())
        raise typer.Exit(terminal.BLOCKED)


def derivation_of(matches: Iterable[Match], identity: str) -> list[Match]:
    """The matches from which an event was emitted. A usage error for an event that no match emitted."""
    derivation = derivation_in(matches, identity)
    if not derivation:
        raise wrong(
            "--derivation", "no match emitted an event with this id: ids stand in `emits`, and depend on the trace"
        )
    return derivation


class _Stream:
    """A program of PARTElang, and what follows a trace: a machine by round-robin, or, without a model, the evaluator
    that is proved."""

    def __init__(
        self,
        program: core.Program,
        predicates: Predicates,
        model: Model | None,
        capacities: Capacities,
        disorder: int,
        read: Reading,
        staging: bool,
    ) -> None:
        self._program, self._predicates, self._disorder = program, predicates, disorder
        self._model, self._capacities, self._read = model, capacities, read
        self._staging = staging

    def follow(self, trace: str, budget: Budget) -> bool:
        """Print the matches on a trace. Return False, with nothing printed, if it must be read whole."""
        flow = Flow(
            Clock(budget),
            lambda matches: map(Match.to_json, matches),
            "events" if self._model is None else "partial matches",
            ADVICE,
            False,
            self._read,
        )
        units = Units()
        with paused_collection():
            if trace == STANDARD_INPUT:
                self._live(flow, units)
                return True
            return readable_twice(trace, budget) and self._whole(flow, trace, units)

    def _live(self, flow: Flow, units: Units) -> None:
        emitted = {emission.template for rule in self._program.rules for emission in rule.emissions}
        sources = inputs([template.name for template in self._program.templates], emitted)
        promises = OpenPromises(None, self._disorder, "<stdin>", emitted=emitted)
        arriving = Arriving(self._program, promises, LastIds(), units)
        doubt = ""

        def doubted() -> None:
            nonlocal doubt
            if not doubt:  # the first of the timestamps shows it, or what comes beside it
                doubt = units.doubt()
                doubtful(doubt, "<stdin>")

        flow.live(self._running(sources, arriving, lambda: ends(list(sources))), doubted)

    def _whole(self, flow: Flow, path: str, units: Units) -> bool:
        try:
            with explained(path), flow.clock.limit():
                who = speakers(self._read(lines_of(path)))
        except OutOfTime:
            flow.stop(f"{flow.clock.budget.seconds:g} seconds", 0)
        except Unfit:
            return False
        trace = LongTrace(self._program, who, self._disorder, units)
        try:
            flow.whole(
                self._running(who.sources(), trace.arriving, trace.ends),
                path,
                lambda: doubtful(units.doubt(), path),
            )
        except (Unfit, TraceError):
            return False
        return True

    def _running(
        self, sources: Sources, arriving: Arriving, when_ended: Callable[[], Iterable[Arrival]]
    ) -> Running[Match]:
        if self._model is None:
            from parte.proofs.partelang.evaluator.evaluation import Evaluating, Evaluation

            return Evaluating(Evaluation(self._program, self._predicates, sources), arriving, when_ended)
        network = compile_program(self._program, self._predicates, sources, family_of(self._model))
        with explained("--capacities"):
            self._capacities.check(node.name for node in network.nodes)
        staging = self._staging and may_be_staged(self._model, self._capacities)
        network = shared(network) if staging else network
        machine = Machine(network, self._model, self._capacities, staging=staging)
        return Streaming(machine, arriving, when_ended)
