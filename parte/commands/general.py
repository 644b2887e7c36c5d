"""The commands that every language has, by its record, unless it has one of its own (`parte run --language NAME`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from parte import api, terminal
from parte.checker.report.facet import CHECK
from parte.commands import check as checking
from parte.commands import prove as proving
from parte.commands.conform import conform
from parte.commands.fuzz import fuzz
from parte.commands.languages import chosen_language
from parte.commands.programs import ast, fmt
from parte.commands.reference import rules
from parte.commands.report import report
from parte.commands.running import RUNNING
from parte.commands.translate import translate
from parte.conformance.engines.registry import engine_called
from parte.conformance.engines.server import serve
from parte.conformance.kit import KIT
from parte.inputs import explained, program_text, requests
from parte.languages.language import Facet, Language
from parte.options import ProgramArgument, check_model
from parte.proofs.facets import CONTROLS, LEMMAS
from parte.semantics.rulebook.running import RUN

if TYPE_CHECKING:
    from parte.proofs.prove import Result

Json = Any
Command = Callable[..., None]
COMMANDS_OF: Facet[Mapping[str, Command]] = Facet("commands", "commands of its own")
"""The facet of a language for its own commands, which do more than the general ones, or something else."""
ModelOption = Annotated[
    str, typer.Option("--model", metavar="NAME", help="An evaluator of the definition, or a machine.")
]


def command_of(language: Language, name: str) -> Command:
    """The command of that name: the language's own, else the general one. If there is neither, report it on standard
    error, with exit code 2."""
    own = _own(language)
    if name in own or name in COMMANDS:
        return own.get(name) or COMMANDS[name]
    if name not in names_of(language):
        _lacking(language, name, f"its commands are {', '.join(names_of(language))}")
    return RUNNING[name](language)


def names_of(language: Language) -> tuple[str, ...]:
    """The names of the commands of a language other than PARTElang."""
    running = RUNNING if language.has(RUN) else {}
    general = (name for name in COMMANDS if name not in NEEDED or language.has(NEEDED[name]))
    return tuple(dict.fromkeys((*running, *general, *_own(language), "suite")))


def _own(language: Language) -> Mapping[str, Command]:
    return language[COMMANDS_OF] if language.has(COMMANDS_OF) else {}


def _lacking(language: Language, what: str, hint: str = "") -> NoReturn:
    raise terminal.unusable(f"{language.name} has no {what}", hint)


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
    language = chosen_language(context)
    if not language.has(CHECK):
        _lacking(language, "checks before a run")
    text = program_text(program)
    with explained(program):
        report = language[CHECK](text, timeout)
    checking.show(report, program, strict=strict, verbose=verbose, as_json=as_json)


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
    language = chosen_language(context)
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
    engines = chosen_language(context)[KIT].engines()
    check_model(model, tuple(engines))
    serve(engine_called(engines, model), requests(), sys.stdout.buffer, sys.stderr.buffer)


COMMANDS: Mapping[str, Command] = {
    command.__name__: command for command in (check, fmt, ast, prove, rules, conform, engine, fuzz, report, translate)
}
NEEDED: Mapping[str, Facet[Any]] = {"check": CHECK, "prove": LEMMAS}
"""The facets without which a general command only reports that the language lacks them."""
