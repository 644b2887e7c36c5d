"""`parte check` for EQL: with readings, on a schedule, for a deployment."""

from __future__ import annotations

from typing import Annotated

import typer

from parte import api
from parte.commands import check as checking
from parte.commands.running import options_of
from parte.inputs import explained, program_text
from parte.languages.eql.running import RUNNER
from parte.languages.eql.semantics.syntax.readings import readings_of
from parte.options import ProgramArgument


def check(
    program: ProgramArgument,
    deployment: checking.DeploymentOption = None,
    every: checking.EveryOption = None,
    lookback: checking.LookbackOption = None,
    delay: checking.DelayOption = None,
    by: checking.ByOption = None,
    reading: Annotated[
        list[str] | None, typer.Option("--reading", metavar="NAME=VALUE", help="How Q is read; several are allowed.")
    ] = None,
    timeout: checking.TimeoutOption = api.CHECK_TIMEOUT,
    strict: checking.StrictOption = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show each guarantee part by part.")] = False,
    as_json: checking.AsJson = False,
) -> None:
    """Decide with z3 what a query guarantees before it runs, and what a run of it keeps.

    With --every and --lookback: whether a run of this schedule sees each result, and whether its reports stay true.

    Exit codes: 0 if all guarantees hold; 1 if one is refuted; 4 if none is, but one was not decided; 2 if the query
    or an option is invalid; 130 after Ctrl-C.
    """
    readings = readings_of(options_of(RUNNER, {}, reading or ()))
    schedule = checking.schedule_of(every, lookback, delay, by)
    text = program_text(program)
    from parte.checker.environment.deployment import load_deployment
    from parte.languages.eql.checker.check import check as decide

    deployed = None
    if deployment is not None:
        with explained(deployment):
            deployed = load_deployment(deployment)
    with explained(program):
        report = decide(text, timeout, readings, schedule, deployed)
    checking.show(report, program, strict=strict, verbose=verbose, as_json=as_json)
