"""Checking programs from Python, and `parte check` and `parte relate`. All need z3, which is an optional dependency.

Nothing of the checker is imported before it is asked for, so that everything else works without z3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.api import DomainArgument, relations
from parte.inputs import domain_from, explained, program_from, program_text
from parte.options import DomainOption, ProgramArgument, wrong
from semantics.events.domain import load_domain
from semantics.events.problems import DomainError
from semantics.syntax import core

if TYPE_CHECKING:
    from checker.deployment import Deployment
    from checker.relations import Subsumption
    from checker.report import Report

DEFAULT_TIMEOUT = 10.0
"""Seconds for one question to the solver."""

TimeoutOption = Annotated[
    float, typer.Option("--timeout", min=0.1, metavar="SECONDS", help="For one question to the solver.")
]


def check_program(
    program: core.Program | str,
    deployment: Deployment | None = None,
    *,
    domain: DomainArgument | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Report:
    """Decide what a program guarantees before it runs (`parte.check`); `program` is elaborated, or the text of one.

    A deployment (`checker.deployment.load_deployment`) adds sizes and rates. Without a domain the declared predicates
    may be any relations. Raises ProgramError if the text is no program, DomainError or DeploymentError if the domain
    or the deployment does not fit it, and `checker.errors.SolverMissing`, an ImportError, without z3.
    """
    from checker.check import check as decide

    return decide(program, deployment, domain=None if domain is None else relations(domain), timeout=timeout)


def check(
    program: ProgramArgument,
    deployment: Annotated[
        str | None,
        typer.Option("--deployment", metavar="FILE", help="Sources and their rates, as TOML: adds sizes and rates."),
    ] = None,
    domain: DomainOption = None,
    timeout: TimeoutOption = DEFAULT_TIMEOUT,
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings fail the check too.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show the closure of each rule, and each guarantee rule by rule.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs to read.")] = False,
) -> None:
    """Prove with z3 what a program guarantees before it runs, or say with evidence why it does not.

    Exit codes: 0 if all guarantees hold; 1 if one fails; 2 if the program is invalid or the solver z3 is missing.
    """
    text = program_text(program)
    with _solver_needed():
        from checker.deployment import DEFAULT_FILENAME, DeploymentError, load_deployment
        from checker.json_form import report_to_text
        from checker.render import render

        relation_files = deployed = None
        if domain is not None:
            with explained(domain, "domain"):
                relation_files = load_domain(domain)
        if deployment is not None:
            with explained(deployment):
                deployed = load_deployment(deployment)
        with explained(program):
            try:
                report = check_program(text, deployed, domain=relation_files, timeout=timeout)
            except DomainError:
                with explained(domain or program, "domain"):
                    raise
            except DeploymentError:
                with explained(deployment or program, DEFAULT_FILENAME):
                    raise
    if as_json:
        terminal.write(report_to_text(report, program, strict=strict) + "\n")
    else:
        terminal.write(terminal.printable(render(report, program, verbose=verbose)))
    if report.exit_code_of(strict=strict):
        raise typer.Exit(terminal.DIFFERENT)


def relate(
    program: ProgramArgument,
    narrow: Annotated[str, typer.Argument(metavar="P", help="A rule of the program.")],
    wide: Annotated[str, typer.Argument(metavar="Q", help="Another rule of it.")],
    domain: DomainOption = None,
    timeout: TimeoutOption = DEFAULT_TIMEOUT,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs to read.")] = False,
) -> None:
    """Prove with z3 that two rules have the same matches, or show a trace on which they differ.

    Each direction is decided on its own: whether every match of P is one of Q, and of Q one of P. To learn whether a
    rule may be rewritten, put both versions into one program.

    Exit codes: 0 if the rules are equivalent; 1 if they are not, or if that was not decided; 2 if the program is
    invalid, a rule does not exist, the rules bind different events, or the solver z3 is missing.
    """
    read = program_from(program)
    relation_files = None if domain is None else domain_from(read, domain)
    with _solver_needed():
        from checker.relations import NotComparable, equivalent
        from checker.report import Verdict

        for argument, name in (("P", narrow), ("Q", wide)):
            if name not in [rule.name for rule in read.rules]:
                raise wrong(argument, f"the program has no rule called {name}")
        try:
            result = equivalent(read, narrow, wide, domain=relation_files, timeout=timeout)
        except NotComparable as problem:
            terminal.error(str(problem), "rules are compared if they bind events of the same templates, in one order")
            raise typer.Exit(terminal.UNUSABLE) from None
    if as_json:
        terminal.write(json.dumps(result.record(program), ensure_ascii=False, allow_nan=False) + "\n")
    else:
        for found in (result.forth, result.back):
            terminal.write(terminal.printable("\n".join(_told(found)) + "\n"))
    if result.verdict is not Verdict.PROVED:
        raise typer.Exit(terminal.DIFFERENT)


def _told(found: Subsumption) -> Iterator[str]:
    """What there is to say about one direction, with the trace that refutes it."""
    yield f"{found.verdict.value}: every match of {found.narrow} is a match of {found.wide} ({found.seconds:.2f} s)"
    record = found.evidence()
    if record is not None:
        bindings = json.dumps(record["bindings"], ensure_ascii=False)
        yield f"  on this trace {found.narrow} matches and {found.wide} does not; variables are bound to: {bindings}"
        events = record["trace"]
        assert isinstance(events, list)
        yield from (f"  {json.dumps(event, ensure_ascii=False)}" for event in events)
        if record["domain"]:
            yield f"  with the domain {json.dumps(record['domain'], ensure_ascii=False)}"


@contextmanager
def _solver_needed() -> Iterator[None]:
    """Turn a missing solver into one clear error and exit code 2."""
    try:
        yield
    except ImportError as problem:
        from checker.errors import SolverMissing

        if not isinstance(problem, SolverMissing):
            raise
        terminal.error("the checker needs the solver z3, which is not installed", "pip install 'parte[z3]'")
        raise typer.Exit(terminal.UNUSABLE) from None
