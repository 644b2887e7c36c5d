"""`parte fuzz`: engines against the algebra on drawn programs and traces."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.status import Status
from rich.text import Text

from parte import terminal
from parte.commands.conform import EnginesArgument, IncrementalOption, TimeoutOption, engines_called
from parte.commands.languages import chosen_language
from parte.conformance.fuzz.campaign import DEFAULT_FINDINGS, DEFAULT_SECONDS, Campaign, Limits
from parte.conformance.fuzz.campaign import fuzz as campaign_of
from parte.conformance.fuzz.findings import written
from parte.conformance.fuzz.subject import EngineUnusable
from parte.conformance.runner.running import DEFAULT_TIMEOUT, Settings, rerun_command
from parte.conformance.runner.sessions import EngineSpec
from parte.inputs import writing
from parte.interruptions import INTERRUPTED
from parte.languages.language import Language
from parte.options import finite
from parte.semantics.events.files import check_room, refuse_links
from parte.semantics.events.locks import held

_LARGEST_SEED = 10_000
_MOST_REASONS = 10
_PATIENCE = 10.0
"""Seconds to wait for another run that writes a finding into the same directory."""


def fuzz(
    context: typer.Context,
    engines: EnginesArgument,
    seconds: Annotated[
        float, typer.Option("--time", min=0.1, callback=finite, metavar="SECONDS", help="How long to fuzz each engine.")
    ] = DEFAULT_SECONDS,
    seed: Annotated[
        int | None, typer.Option("--seed", help="What the cases are drawn from. [default: another each time, shown]")
    ] = None,
    max_cases: Annotated[
        int | None, typer.Option("--max-cases", min=1, metavar="N", help="Stop after so many cases of an engine.")
    ] = None,
    findings: Annotated[
        int, typer.Option("--findings", min=1, metavar="N", help="Stop after so many findings of an engine.")
    ] = DEFAULT_FINDINGS,
    timeout: TimeoutOption = DEFAULT_TIMEOUT,
    incremental: IncrementalOption = False,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Where the cases of the findings are written.")
    ] = "fuzz-findings",
) -> None:
    """Look for programs and traces on which an engine departs from the reference.

    Each finding is made as small as it gets, compared with known errors, and written as a case of a suite. Exit codes:
    0 if nothing was found; 1 if something was; 2 if an engine cannot be started; 5 if nothing was found,
    but an engine supports no case; 130 if the search was interrupted.
    """
    number = secrets.randbelow(_LARGEST_SEED) if seed is None else seed
    limits = Limits(seconds, max_cases, findings)
    language = chosen_language(context)
    settings = Settings(1, timeout, incremental, directory=out, language=language.name)
    with writing(out):  # a campaign may take long, and would be for nothing
        refuse_links(out)
        check_room(out)
    diverged = unsupported = False
    for spec in engines_called(engines, language):
        campaign = _fuzzed(spec, language, settings, limits, number)
        diverged |= campaign.divergent > 0
        unsupported |= campaign.unsupported.total() == campaign.cases > 0
        _show(spec, language, campaign, Path(out), settings)
        if campaign.interrupted:
            raise typer.Exit(INTERRUPTED)
    if diverged:
        raise typer.Exit(terminal.DIFFERENT)
    if unsupported:
        raise typer.Exit(terminal.UNSUPPORTED)


def _fuzzed(spec: EngineSpec, language: Language, settings: Settings, limits: Limits, seed: int) -> Campaign:
    label = terminal.printable(spec.label)
    try:
        with terminal.errors_console().status(Text(f"{label}: starting")) as status:
            return campaign_of(spec, settings, limits, language, seed=seed, report=_telling(status, label))
    except EngineUnusable as problem:
        stderr = "".join(f"\n  stderr: {line}" for line in problem.stderr.rstrip().split("\n")[-10:] if line)
        hint = f"parte conform --smoke tries whether {label} speaks the protocol"
        raise terminal.unusable(f"{label}: {problem}{stderr}", hint) from None


def _telling(status: Status, label: str) -> Callable[[Campaign], None]:
    def show(campaign: Campaign) -> None:
        if campaign.cases % 20 == 0 or campaign.cases == 1:
            words = (
                f"{label}: {campaign.cases:,} cases, {campaign.rate:.0f} a second, {campaign.divergent} divergent, "
                f"{len(campaign.findings)} findings"
            )
            status.update(Text(words))

    return show


# --- Showing ----------------------------------------------------------------------------------------------------------


def _show(spec: EngineSpec, language: Language, campaign: Campaign, directory: Path, settings: Settings) -> None:
    console = terminal.output_console()

    def say(line: str, style: str = "") -> None:
        console.print(Text(terminal.printable(line), style), soft_wrap=True)

    for number, finding in enumerate(campaign.findings, 1):
        with writing(str(directory)), held(directory, patience=_PATIENCE):
            path = written(finding, directory, language)
        say(f"{spec.label}: finding {number}", "bold red")
        for line in finding.lines():
            say(f"  {line}".rstrip())
        say(f"\n  written: {path}")
        say(f"  rerun: {rerun_command(spec, finding.fixture.id, settings)}\n")
    unsupported = campaign.unsupported.total()
    greeting = campaign.greeting
    who = "" if greeting is None else f" ({greeting.name} {greeting.version})"
    say(f"{spec.label}{who}, seed {campaign.seed}: {_counts(campaign)}", "bold")
    if unsupported:
        say(f"  unsupported: {unsupported:,}", "blue")
        for reason, count in campaign.unsupported.most_common(_MOST_REASONS):
            say(f"    {count:,}: {reason[:300]}", "blue")
        if unsupported == campaign.cases:
            say("  the engine supports none of the cases, so nothing was compared", "bold yellow")


def _counts(campaign: Campaign) -> str:
    summary = (
        f"{campaign.cases:,} cases, {campaign.matching:,} of them with matches, {campaign.rate:.0f} a second; "
        f"{campaign.divergent:,} divergent"
    )
    if campaign.divergent:
        summary += (
            f", in {len(campaign.findings)} finding{'' if len(campaign.findings) == 1 else 's'} and "
            f"{campaign.explained:,} like them"
        )
        if campaign.alike:
            summary += f", {campaign.alike:,} with the same symptoms not examined"
    return f"{summary}; ended after {campaign.ended}"
