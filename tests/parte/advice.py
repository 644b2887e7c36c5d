"""The options that a command's messages advise, and those that it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import typer

from parte.cli import app

_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_COMMAND = re.compile(r"\bparte ((?:[a-z]+ ?)+)")
_ASKED_FOR = re.compile(r"(No such option:?|Option) '?--\S+")


@cache
def commands() -> dict[tuple[str, ...], Any]:
    """Every command by the words that call it."""
    return dict(_below((), typer.main.get_command(app)))


def _below(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, subcommand in command.commands.items():
        yield from _below((*path, name), subcommand)


def options_of(path: Sequence[str]) -> set[str]:
    """The options of a command; none if there is no such command."""
    command = commands().get(tuple(path))
    known = () if command is None else (option for parameter in command.params for option in parameter.opts)
    return {*known, "--help"}


def called(words: Sequence[str]) -> tuple[str, ...]:
    """The command that words begin with."""
    return tuple(words[:2]) if tuple(words[:2]) in commands() else tuple(words[:1])


def advised_in_vain(arguments: Sequence[str], said: str) -> list[str]:
    """The options that a message names and the command lacks: the one that printed it, or the one named before."""
    lacking = []
    for clause in re.split(r"[;`\n]|, or ", _ASKED_FOR.sub("", said)):
        named = _COMMAND.search(clause)
        path = called(named.group(1).split()) if named else called(arguments)
        lacking += [option for option in _OPTION.findall(clause) if option not in options_of(path)]
    return lacking
