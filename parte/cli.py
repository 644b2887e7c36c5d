"""The `parte` command."""

from __future__ import annotations

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
from parte.commands.examples import examples
from parte.commands.experiment import experiment
from parte.commands.fuzz import fuzz
from parte.commands.programs import ast, fmt, graph, timeline
from parte.commands.prove import prove
from parte.commands.reference import rules
from parte.commands.report import report
from parte.commands.run import run
from parte.commands.schedules import compare, explore
from parte.commands.spark.app import app as spark
from parte.commands.suite import app as suite
from parte.semantics.source.packages import Unavailable

_HELP = (
    "PARTE: patterns of events, detected in bounded space. Start with 'parte demo'. "
    "Each command explains itself: 'parte run --help'."
)


class _Commands(TyperGroup):
    """The commands. What is not installed is told in the same way wherever it is missed, and ends in exit code 2."""

    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except Unavailable as problem:
            raise terminal.unusable(problem.message, problem.hint) from None


app = typer.Typer(
    name="parte",
    cls=_Commands,
    help=_HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


for command in (
    run,
    check,
    compare,
    explore,
    relate,
    fmt,
    ast,
    graph,
    timeline,
    prove,
    rules,
    demo,
    conform,
    engine,
    fuzz,
    report,
    experiment,
    examples,
):
    app.command()(command)
app.add_typer(suite)
app.add_typer(spark)


def main() -> None:
    """The entry point: results are UTF-8, whatever the locale."""
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
    except OSError as problem:  # everything that is read is guarded where it is read, so this is standard output
        # What is left in the buffer cannot be written either: Python must not try again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(problem, BrokenPipeError):
            sys.exit(terminal.DIFFERENT)
        terminal.error(f"cannot write to standard output: {problem.strerror or problem}")
        sys.exit(terminal.UNUSABLE)
