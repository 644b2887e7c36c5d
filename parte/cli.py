"""The `parte` command."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from parte.commands.catalogue import COMMANDS, DEFAULT_LANGUAGE, HELP, function_of

if TYPE_CHECKING:
    from parte.commands.general import Command

_HELP = (
    "PARTE: patterns of events, detected in bounded space. Start with 'parte demo'. "
    "Each command explains itself: 'parte run --help'."
)


_SETTINGS = {"help_option_names": ["-h", "--help"]}


class _Exact(TyperCommand):
    """A command that reports which arguments it takes if there are too many."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            taken = [
                parameter.metavar or str(parameter.name).upper()
                for parameter in self.params
                if parameter.param_type_name == "argument"
            ]
            no_trace = "; it takes no trace, as `parte run` and `parte why` do" if taken == ["PROGRAM"] else ""
            ctx.fail(
                f"unexpected {' '.join(rest)}: {ctx.info_name} takes {', '.join(taken) or 'options only'}{no_trace}"
            )
        return rest

    def invoke(self, ctx: Any) -> object:
        if not ctx.params.get("variant"):
            return super().invoke(ctx)
        from parte.options import variant_explained

        with variant_explained():
            return super().invoke(ctx)


class _Lazily(MutableMapping[str, Any]):
    """The commands by their names, each created at its first use. `--help` lists them all and creates none."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            entry = COMMANDS[name]
            module = import_module(entry.module)
            if hasattr(module, function_of(name)):
                self._made[name] = _command(getattr(module, function_of(name)), None if entry.alone else HELP)
            else:
                self._made[name] = _group(module.app)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)

    def __setitem__(self, name: str, command: Any) -> None:
        raise TypeError("the commands are those of the catalogue")

    def __delitem__(self, name: str) -> None:
        raise TypeError("the commands are those of the catalogue")


class _Commands(TyperGroup):
    """The commands: those of PARTElang, which the help lists, or those of the language that the arguments name.

    A missing package is always reported in the same way, with exit code 2.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Lazily()

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as the group has it
        room = formatter.width - 6 - max(map(len, COMMANDS))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, shorten(entry.help, room, placeholder="...")) for name, entry in COMMANDS.items()]
            )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if not surely_default(name or "", rest):
            from parte.commands.languages import chosen
            from parte.languages.registry import BadRegistration

            try:
                ctx.obj, rest = chosen(name or "", rest)
            except BadRegistration as error:
                from parte import terminal

                raise terminal.unusable(str(error), "uninstall one of the two packages") from None
            if ctx.obj.name != DEFAULT_LANGUAGE and name not in GROUPS:
                command = _in_language(ctx, name or "")
        return name, command, rest

    def invoke(self, ctx: Any) -> object:
        from parte.semantics.source.packages import Unavailable

        try:
            return super().invoke(ctx)
        except Unavailable as problem:
            from parte import terminal

            raise terminal.unusable(problem.message, problem.hint) from None


class _OnSpark(TyperGroup):
    """The commands of `parte spark`, as those of `parte`: a language has them by names as `spark match`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if ctx.obj is not None and ctx.obj.name != DEFAULT_LANGUAGE:
            command = _in_language(ctx, f"spark {name}")
        return name, command, rest


GROUPS = ("suite", "spark")
NEUTRAL = frozenset(
    {"", ".parte", ".cases", ".json", ".jsonl", ".ndjson", ".csv", ".parquet", ".toml", ".svg", ".dot", ".html"}
    | {".yml", ".yaml", ".sql"}
)
"""Endings of files that are of PARTElang, or of no language."""


def surely_default(command: str, arguments: list[str]) -> bool:
    """Return whether arguments are about PARTElang, because they name no language and none ends as a file of another
    one does. If not, the caller must ask all languages."""
    return command != "rules" and not any(
        argument.startswith("--language") or os.path.splitext(argument)[1] not in NEUTRAL for argument in arguments
    )


def _in_language(ctx: Any, name: str) -> Any:
    from parte.semantics.rulebook.running import RUN

    if name == "run" and ctx.obj.has(RUN):
        from parte.commands.running import run_of  # without what other commands need

        return _command(run_of(ctx.obj), HELP)
    from parte.commands.general import command_of

    return _command(command_of(ctx.obj, name), HELP)


def _command(function: Command, epilog: str | None) -> Any:
    """The command for a function."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS)
    alone.command(epilog=epilog, cls=_Exact)(function)
    return typer.main.get_command(alone)


def _group(commands: typer.Typer) -> Any:
    """The commands of `parte suite` or `parte spark`."""
    above = typer.Typer(add_completion=False, rich_markup_mode=None)
    above.add_typer(commands, cls=_OnSpark if commands.info.name == "spark" else TyperGroup)
    group: Any = typer.main.get_command(above)
    return group.commands[commands.info.name]


app = typer.Typer(
    name="parte",
    cls=_Commands,
    help=_HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=_SETTINGS,
)


def _version(wanted: bool) -> None:
    if wanted:
        from parte.semantics.events.installation import version

        typer.echo(f"parte {version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """The options of every command."""


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
        of_a_socket = isinstance(problem, ConnectionError) and not isinstance(problem, BrokenPipeError)
        if problem.filename is not None or problem.errno == errno.ENOMEM or of_a_socket:
            raise  # not standard output, which has no name and no other end that refuses
        from parte import terminal

        # The rest of the buffer cannot be written either: Python must not try again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(problem, BrokenPipeError):
            sys.exit(terminal.DIFFERENT)
        terminal.error(f"cannot write to standard output: {problem.strerror or problem}")
        sys.exit(terminal.UNUSABLE)
    except Exception as problem:
        from parte.semantics.rulebook.running import UnsupportedRun

        if not isinstance(problem, UnsupportedRun):
            raise
        from parte import terminal

        terminal.error(str(problem))
        sys.exit(terminal.UNUSABLE)
