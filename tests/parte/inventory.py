"""Every command of every language, as the Typer app and the records of the languages have them, so that a new one is
in every test that goes through them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from parte import cli
from parte.commands.general import command_of, names_of
from parte.conformance.protocol import DEFAULT_LANGUAGE
from parte.languages.registry import languages
from tests.parte.advice import commands


@cache
def inventory() -> Mapping[str, Any]:
    """The commands by their names: `run`, `spark match`, and of another language `CEL run`."""
    return {" ".join(path): command for path, command in commands().items()} | dict(_of_guests())


def _of_guests() -> Iterator[tuple[str, Any]]:
    for language in languages():
        if language.name != DEFAULT_LANGUAGE:
            for name in names_of(language):
                if name != "suite":
                    yield f"{language.name} {name}", cli._command(command_of(language, name), None)


def parameters(name: str) -> Iterator[tuple[str, str]]:
    """The options of a command, each by its first name, and its arguments by theirs, with their metavars."""
    for parameter in inventory()[name].params:
        metavar = (parameter.metavar or "").strip("[]")
        yield (metavar if parameter.param_type_name == "argument" else parameter.opts[0]), metavar


def words_of(name: str) -> list[str]:
    """What to type for a command: for another language than PARTElang with the option that names it."""
    language, _, command = name.partition(" ")
    if language in {language.name for language in languages()}:
        return [*command.split(), "--language", language]
    return name.split()
