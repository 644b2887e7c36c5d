"""The `parte` command."""

from __future__ import annotations

import errno
import os
import sys
from importlib import metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from parte import terminal
from parte.commands.check import check, relate
from parte.commands.conform import conform, engine
from parte.commands.demo import demo
from parte.commands.doctor import doctor
from parte.commands.examples import examples
from parte.commands.experiment import experiment
from parte.commands.fuzz import fuzz
from parte.commands.general import COMMANDS, Command, command_of
from parte.commands.languages import HELP, OF_PROGRAMS, chosen
from parte.commands.programs import ast, fmt, graph, timeline
from parte.commands.prove import prove
from parte.commands.reference import rules
from parte.commands.report import report
from parte.commands.run import run
from parte.commands.schedules import compare, explore
from parte.commands.spark.app import app as spark
from parte.commands.step import step
from parte.commands.suite import app as suite
from parte.commands.translate import translate
from parte.commands.why import why
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.semantics.source.packages import Unavailable

_HELP = (
    "PARTE: patterns of events, detected in bounded space. Start with 'parte demo'. "
    "Each command explains itself: 'parte run --help'."
)


_SETTINGS = {"help_option_names": ["-h", "--help"]}


class _Commands(TyperGroup):
    """The commands: those of PARTElang, which stand in the help, or of the language that is asked for.

    What is not installed is told in the same way wherever it is missed, and ends in exit code 2.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        ctx.obj, rest = chosen(name or "", rest)
        if ctx.obj.name != DEFAULT_LANGUAGE and name not in (suite.info.name, spark.info.name):
            command = _made(command_of(ctx.obj, name or ""))
        return name, command, rest

    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except Unavailable as problem:
            raise terminal.unusable(problem.message, problem.hint) from None


class _OnSpark(TyperGroup):
    """The commands of `parte spark`, as those of `parte`: a language has them by names as `spark match`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if ctx.obj.name != DEFAULT_LANGUAGE:
            command = _made(command_of(ctx.obj, f"{spark.info.name} {name}"))
        return name, command, rest


app = typer.Typer(
    name="parte",
    cls=_Commands,
    help=_HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=_SETTINGS,
)


def _made(function: Command) -> Any:
    """The command that a function is."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS)
    alone.command(epilog=HELP)(function)
    return typer.main.get_command(alone)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"parte {metadata.version('parte')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """What every command has."""


OF_LANGUAGES = {*COMMANDS, *OF_PROGRAMS} - {"relate", "report", "spark", "why", "step", "doctor"}
for command in (
    run,
    check,
    compare,
    explore,
    why,
    step,
    relate,
    fmt,
    ast,
    graph,
    timeline,
    translate,
    prove,
    rules,
    demo,
    conform,
    engine,
    fuzz,
    report,
    experiment,
    examples,
    doctor,
):
    app.command(epilog=HELP if command.__name__ in OF_LANGUAGES else None)(command)
app.add_typer(suite)
app.add_typer(spark, cls=_OnSpark)


def main() -> None:
    """The command, as `parte.__main__` calls it: results are UTF-8, whatever the locale."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever called, who wants nothing from it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the end
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace" if stream is sys.stderr else "strict")
    try:
        try:
            app(prog_name="parte")
        finally:
            sys.stdout.flush()
    except OSError as problem:
        if problem.filename is not None or problem.errno == errno.ENOMEM:
            raise  # not standard output, which has no name
        # What is left in the buffer cannot be written either: Python must not try again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(problem, BrokenPipeError):
            sys.exit(terminal.DIFFERENT)
        terminal.error(f"cannot write to standard output: {problem.strerror or problem}")
        sys.exit(terminal.UNUSABLE)
