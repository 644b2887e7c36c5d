"""Which language a command is about: the one that `--language` names, or that in which PROGRAM is written, by its
ending, or whose system an ID names; else PARTElang."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import typer

from parte.commands.catalogue import DEFAULT_LANGUAGE
from parte.languages.language import Language
from parte.languages.registry import language_called, language_of, languages
from parte.options import wrong
from parte.semantics.rulebook.listing import RULES
from parte.semantics.source.similar import advice

_OPTION = "--language"
OF_PROGRAMS = (
    "run",
    "check",
    "compare",
    "explore",
    "relate",
    "fmt",
    "ast",
    "graph",
    "timeline",
    "translate",
    "why",
    "step",
    "spark",
)
"""The commands of which an argument is a program, or one of their own commands' is."""


def chosen(command: str, arguments: Sequence[str]) -> tuple[Language, list[str]]:
    """The language that the arguments of a command name, and the arguments without that option."""
    left = list(arguments)
    end = left.index("--") if "--" in left else len(left)
    for place, argument in enumerate(left[:end]):
        name, equals, value = argument.partition("=")
        if name == _OPTION:
            width = 1 if equals else 2
            if not equals and place + 1 == len(left):
                raise wrong(_OPTION, "expected the name of a language")
            return named(value if equals else left[place + 1]), left[:place] + left[place + width :]
    telling = language_of if command in OF_PROGRAMS else _of_rule if command == "rules" else None
    candidates = (telling(argument) for argument in left if not argument.startswith("-")) if telling else ()
    return next(filter(None, candidates), None) or language_called(DEFAULT_LANGUAGE), left


def _of_rule(identity: str) -> Language | None:
    """The language whose rules are of the system that an id begins with; None if there is none, or no system."""
    system, slash, _ = identity.upper().partition("/")
    of_system = (
        language for language in languages() if any(known.startswith(f"{system}/") for known in language[RULES].rules)
    )
    return next(of_system, None) if slash else None


def named(name: str, where: str = _OPTION) -> Language:
    """The language with a name, or a usage error."""
    try:
        return language_called(name)
    except KeyError:
        there = [language.name for language in languages()]
        raise wrong(where, f"no language is called {name!r}; {advice(name, there)}") from None


def chosen_language(context: typer.Context) -> Language:
    """The language that a command is about."""
    return language_called(DEFAULT_LANGUAGE) if context.obj is None else cast(Language, context.obj)
