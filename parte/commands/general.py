"""The commands that every language has, by its record, unless it has one of its own (`parte run --language NAME`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from parte import api, terminal
from parte.asking import Refused, comparison, matches_of
from parte.checker.report.facet import CHECK
from parte.commands import check as checking
from parte.commands import prove as proving
from parte.commands.conform import conform
from parte.commands.fuzz import fuzz
from parte.commands.languages import asked
from parte.commands.programs import ast, fmt
from parte.commands.reference import rules
from parte.commands.report import report
from parte.commands.translate import translate
from parte.conformance.engines.registry import engine_called
from parte.conformance.engines.server import serve
from parte.conformance.kit import KIT
from parte.conformance.protocol import Engine, Load
from parte.conformance.runner.judging import told
from parte.inputs import check_one_standard_input, explained, program_text, read_program, records_from, requests
from parte.languages.language import Facet, Language
from parte.options import ProgramArgument, TraceArgument, check_model
from parte.proofs.facets import CONTROLS, LEMMAS
from parte.semantics.events.differences import Key
from parte.semantics.source.text import TEXT

if TYPE_CHECKING:
    from parte.proofs.prove import Result

Json = Any
Command = Callable[..., None]
COMMANDS_OF: Facet[Mapping[str, Command]] = Facet("commands", "commands of its own")
"""Commands of a language that do more than the general ones, or what those do not."""
ModelOption = Annotated[
    str, typer.Option("--model", metavar="NAME", help="An evaluator of the definition, or a machine.")
]


def command_of(language: Language, name: str) -> Command:
    """The command of that name: the language's own, else the general one. What there is not is told on standard error,
    with exit code 2."""
    own: Mapping[str, Command] = language[COMMANDS_OF] if language.has(COMMANDS_OF) else {}
    known = {**COMMANDS, **own}
    if name not in known:
        _lacking(language, name, f"its commands are {', '.join(known)}, suite")
    return known[name]


def _lacking(language: Language, what: str, hint: str = "") -> NoReturn:
    raise terminal.unusable(f"{language.name} has no {what}", hint)


# --- Programs on traces -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Given:
    """A program and a trace by the names of their files, and what engines are told of them. `key` compares matches."""

    language: Language
    program: str
    trace: str
    load: Load
    key: Key
    lines: Sequence[tuple[int, Json]]

    def matches(self, model: str) -> tuple[Json, ...]:
        """What a model finds; if it finds fault with the input, that is told, with exit code 2."""
        return self.answered(engine_called(self.language[KIT].engines(), model))

    def answered(self, engine: Engine) -> tuple[Json, ...]:
        """As `matches`, of an engine."""
        try:
            return matches_of(engine, self.load, self.lines)
        except Refused as refusal:
            for complaint in refusal.complaints:
                line = f":{complaint.line}" if complaint.line else ""
                terminal.error(f"{self.trace if complaint.of_trace else self.program}{line}: {complaint.message}")
        raise typer.Exit(terminal.UNUSABLE)


def given(
    context: typer.Context,
    program: str,
    trace: str,
    models: Sequence[str],
    options: Mapping[str, str] = MappingProxyType({}),
) -> Given:
    """A program and a trace for models of the language that is asked for; what is wrong with them is told."""
    language = asked(context)
    for model in models:
        check_model(model, language[KIT].models)
    check_one_standard_input(program, trace)
    text = program_text(program)
    read_program(language[TEXT], text, program)
    lines = records_from(trace)
    load, key = told(language, text, [record for _, record in lines], options=options)
    return Given(language, program, trace, load, key, lines)


def run(context: typer.Context, program: ProgramArgument, trace: TraceArgument, model: ModelOption = "sound") -> None:
    """Print the matches of a program on a trace, one JSON object a line.

    Exit codes: 0; 2 if the program or the trace cannot be used.
    """
    found = given(context, program, trace, (model,)).matches(model)
    terminal.write("".join(f"{line}\n" for line in asked(context)[TEXT].shown(found)))


def compare(
    context: typer.Context, program: ProgramArgument, trace: TraceArgument, model: ModelOption = "sound"
) -> None:
    """Compare a model with the definition: show the matches that it lacks, and those that it has beyond.

    Exit codes: 0 if they agree; 1 if they differ; 2 if the program or the trace cannot be used.
    """
    language = asked(context)
    compared(language, given(context, program, trace, (language[KIT].definition, model)), model)


def compared(language: Language, both: Given, model: str) -> None:
    """Tell how a model differs from the definition. Exit code 1 if it does."""
    agrees, told_of_it = comparison(
        language, model, both.matches(language[KIT].definition), both.matches(model), both.key
    )
    terminal.tell(told_of_it)
    if not agrees:
        raise typer.Exit(terminal.DIFFERENT)


# --- What is known before a run ---------------------------------------------------------------------------------------


def check(
    context: typer.Context,
    program: ProgramArgument,
    timeout: checking.TimeoutOption = api.CHECK_TIMEOUT,
    strict: checking.StrictOption = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show each guarantee part by part.")] = False,
    as_json: checking.AsJson = False,
) -> None:
    """Decide what a program guarantees before it runs.

    Exit codes: 0 if all guarantees hold; 1 if one is refuted; 4 if none is, but one was not decided; 2 if the program
    is invalid; 130 after Ctrl-C.
    """
    language = asked(context)
    if not language.has(CHECK):
        _lacking(language, "checks before a run")
    text = program_text(program)
    with explained(program):
        found = language[CHECK](text, timeout)
    checking.show(found, program, strict=strict, verbose=verbose, as_json=as_json)


def prove(
    context: typer.Context,
    ids: proving.IdsArgument = None,
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The model they are about.")] = "sound",
    solver: proving.SolverOption = api.SolverChoice.Z3,
    export: proving.ExportOption = None,
    timeout: proving.TimeoutOption = api.PROVE_TIMEOUT,
    certificates: proving.CertificatesOption = False,
    controls: proving.ControlsOption = False,
    every_one: proving.AllOption = False,
    as_json: checking.AsJson = False,
) -> None:
    """Prove the lemmas about a model on the functions that it runs, or refute them with a counterexample.

    Exit codes: 0 if every result is as expected; 1 if one is not; 2 if there is no such lemma.
    """
    language = asked(context)
    if not language.has(LEMMAS):
        _lacking(language, "lemmas")
    if controls:
        from parte.commands.controls import show_controls

        if not language.has(CONTROLS):
            _lacking(language, "controls of its lemmas")
        show_controls(language, ids or (), every_one=every_one, timeout=timeout, as_json=as_json)
        return
    proving.check_all(every_one)
    check_model(model, language[KIT].models)
    catalogue = language[LEMMAS]

    def decide() -> tuple[Result, ...]:
        from parte.proofs.prove import prove as decide_all

        return decide_all(
            ids or (),
            model=model,
            solvers=solver.names,
            export=export,
            timeout=timeout,
            catalogue=catalogue,
            certificates=certificates,
        )

    proving.show(decide, language.source, as_json=as_json)


# --- Engines ----------------------------------------------------------------------------------------------------------


def engine(context: typer.Context, model: ModelOption = "sound") -> None:
    """Serve a model as an engine under test: requests on standard input, replies on standard output."""
    engines = asked(context)[KIT].engines()
    check_model(model, tuple(engines))
    serve(engine_called(engines, model), requests(), sys.stdout.buffer, sys.stderr.buffer)


COMMANDS: Mapping[str, Command] = {
    command.__name__: command
    for command in (run, check, compare, fmt, ast, prove, rules, conform, engine, fuzz, report, translate)
}
