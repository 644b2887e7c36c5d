"""`parte check` and `parte relate`. Both need z3, which is optional: nothing of the checker is imported before."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from parte import api, terminal
from parte.inputs import STANDARD_INPUT, domain_from, explained, program_from, program_text
from parte.options import (
    DomainOption,
    IncludeOption,
    ProgramArgument,
    check_name,
    finite,
    wrong,
)
from parte.semantics.events.domain import load_domain
from parte.semantics.events.duration import parse_short_duration
from parte.semantics.events.problems import DomainError

if TYPE_CHECKING:
    from parte.checker.environment.schedule import QuerySchedule
    from parte.checker.partelang.relations import Subsumption
    from parte.checker.report.contents import Report

TimeoutOption = Annotated[
    float,
    typer.Option(
        "--timeout",
        min=0.1,
        callback=finite,
        metavar="SECONDS",
        help="For one question to the solver, and for all sizes.",
    ),
]

StrictOption = Annotated[bool, typer.Option("--strict", help="Let warnings fail the check too.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs to read.")]


class Clock(Enum):
    """The times of events that a lookback is about."""

    TIMESTAMP = "timestamp"
    ARRIVAL = "arrival"


DeploymentOption = Annotated[
    str | None,
    typer.Option("--deployment", metavar="FILE", help="Sources and their rates, as TOML: adds sizes and rates."),
]
EveryOption = Annotated[
    str | None,
    typer.Option("--every", metavar="DURATION", help="Each rule is a query that runs so often, such as 5m."),
]
LookbackOption = Annotated[
    str | None,
    typer.Option("--lookback", metavar="DURATION", help="Each run reads the events of the last DURATION."),
]
DelayOption = Annotated[
    str | None, typer.Option("--delay", metavar="DURATION", help="Events arrive at most so late. [default: 0s]")
]
ByOption = Annotated[
    Clock | None, typer.Option("--by", help="The times that --lookback is about. [default: timestamp]")
]


def schedule_of(every: str | None, lookback: str | None, delay: str | None, by: Clock | None) -> QuerySchedule | None:
    """Return the query schedule that the options describe, None without them. A usage error if one is missing."""
    from parte.checker.environment.schedule import LONGEST, QuerySchedule

    values = {"--every": every, "--lookback": lookback, "--delay": delay}
    if by is None and all(text is None for text in values.values()):
        return None
    for option in ("--every", "--lookback"):
        if values[option] is None:
            raise wrong(option, "a schedule has --every and --lookback; give both, such as --every 5m --lookback 9m")
    durations = {}
    for option, text in values.items():
        try:
            durations[option] = 0 if text is None else parse_short_duration(text)
        except ValueError as error:
            raise wrong(option, str(error)) from None
        least = 1 if option == "--every" else 0
        if not least <= durations[option] <= LONGEST:
            raise wrong(option, f"expected a duration from {least} ms to {LONGEST} ms, found {text!r}")
    every_ms, lookback_ms, delay_ms = durations.values()
    return QuerySchedule(every_ms, lookback_ms, delay_ms, by is Clock.ARRIVAL)


def check(
    program: ProgramArgument,
    deployment: DeploymentOption = None,
    domain: DomainOption = None,
    every: EveryOption = None,
    lookback: LookbackOption = None,
    delay: DelayOption = None,
    by: ByOption = None,
    timeout: TimeoutOption = api.CHECK_TIMEOUT,
    strict: StrictOption = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show the closure of each rule, and each guarantee rule by rule.")
    ] = False,
    as_json: AsJson = False,
    include: IncludeOption = None,
) -> None:
    """Prove with z3 what a program guarantees before it runs, or say with evidence why it does not.

    With --every and --lookback each rule is a query on a schedule: whether a run sees each match, whether its reports
    stay true, how often it reports a match, and the least lookback.

    Exit codes, of the guarantees whose failure is an error (with --strict also a warning): 0 if all hold; 1 if one is
    refuted; 4 if none is, but one was not decided or a size not computed. 2 if the program is invalid or the solver z3
    is missing, 130 after Ctrl-C.
    """
    text = program_text(program)
    from parte.checker.environment.deployment import DEFAULT_FILENAME, DeploymentError, load_deployment
    from parte.checker.partelang.loading import load, load_at

    schedule = schedule_of(every, lookback, delay, by)
    relation_files = deployed = None
    if domain is not None:
        with explained(domain, "domain"):
            relation_files = load_domain(domain)
    if deployment is not None:
        with explained(deployment):
            deployed = load_deployment(deployment)
    with explained(program):
        read = load(text) if program == STANDARD_INPUT else load_at(text, program, include or ())
        try:
            report = api.check(read, deployed, schedule=schedule, domain=relation_files, timeout=timeout)
        except DomainError:
            with explained(domain or program, "domain"):
                raise
        except DeploymentError:
            with explained(deployment or program, DEFAULT_FILENAME):
                raise
    show(report, program, strict=strict, verbose=verbose, as_json=as_json)


def show(report: Report, program: str, *, strict: bool, verbose: bool, as_json: bool) -> None:
    """Show what the checker found of a program, and exit with what that comes to."""
    from parte.checker.report.json_form import report_to_text
    from parte.checker.report.text import render

    if as_json:
        terminal.write(report_to_text(report, program, strict=strict) + "\n")
    else:
        terminal.tell(render(report, program, verbose=verbose))
    if code := report.exit_code_of(strict=strict):
        raise typer.Exit(code)


def relate(
    program: ProgramArgument,
    narrow: Annotated[str, typer.Argument(metavar="P", help="A rule of the program.")],
    wide: Annotated[str, typer.Argument(metavar="Q", help="Another rule of it.")],
    domain: DomainOption = None,
    timeout: TimeoutOption = api.CHECK_TIMEOUT,
    as_json: AsJson = False,
    include: IncludeOption = None,
) -> None:
    """Prove with z3 that two rules have the same matches, or show a trace on which they differ.

    Each direction is decided on its own: whether every match of P is one of Q, and of Q one of P. To learn whether a
    rule may be rewritten, put both versions into one program.

    Exit codes: 0 if the rules are equivalent; 1 if they are not; 4 if that was not decided; 2 if the program is
    invalid, a rule does not exist, the rules bind different events or have sets, or z3 is missing; 130 after Ctrl-C.
    """
    read = program_from(program, include)
    relation_files = None if domain is None else domain_from(read, domain)
    from parte.checker.partelang.relations import NotComparable, equivalent
    from parte.checker.solver.verdict import Verdict

    for argument, name in (("P", narrow), ("Q", wide)):
        check_name(
            argument,
            "rule of the program",
            name,
            [*dict.fromkeys(name for rule in read.rules for name in (rule.reported, rule.name))],
        )
    hint = "rules are compared if they bind events of the same templates, in one order"
    with terminal.refusing(NotComparable, hint=hint):
        result = equivalent(read, narrow, wide, domain=relation_files, timeout=timeout)
    if as_json:
        terminal.write(json.dumps(result.record(program), ensure_ascii=False, allow_nan=False) + "\n")
    else:
        for subsumption in (result.forth, result.back):
            terminal.tell("\n".join(_told(subsumption)) + "\n")
    if result.verdict is not Verdict.PROVED:
        raise typer.Exit(terminal.DIFFERENT if result.verdict is Verdict.REFUTED else terminal.OPEN)


def _told(claim: Subsumption) -> Iterator[str]:
    """The lines that report on one direction, with the trace that refutes it."""
    yield f"{claim.verdict.value}: every match of {claim.narrow} is a match of {claim.wide} ({claim.seconds:.2f} s)"
    record = claim.evidence()
    if record is not None:
        bindings = json.dumps(record["bindings"], ensure_ascii=False)
        yield f"  on this trace {claim.narrow} matches and {claim.wide} does not; variables are bound to: {bindings}"
        events = record["trace"]
        assert isinstance(events, list)
        yield from (f"  {json.dumps(event, ensure_ascii=False)}" for event in events)
        if record["domain"]:
            yield f"  with the domain {json.dumps(record['domain'], ensure_ascii=False)}"
