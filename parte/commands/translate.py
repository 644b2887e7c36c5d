"""`parte translate`: a program of one language as a program of another."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from parte.commands.languages import chosen_language
from parte.inputs import deliver, explained, program_text, read_program
from parte.languages.registry import languages
from parte.languages.translations.table import Given, NoSuchRule, translations
from parte.options import (
    IncludeOption,
    OutputOption,
    ProgramArgument,
    wrong,
)
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.similar import advice
from parte.semantics.source.text import TEXT


def translate(
    context: typer.Context,
    program: ProgramArgument,
    to: Annotated[str, typer.Option("--to", metavar="LANGUAGE", help="Its name, or how its files end.")],
    rule: Annotated[str | None, typer.Option("--rule", metavar="NAME", help="Which rule of several.")] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            "--templates", metavar="FILE", help="A program of PARTElang that declares the types of attributes."
        ),
    ] = None,
    output: OutputOption = None,
    include: IncludeOption = None,
) -> None:
    """Write a program as one of another language that means the same, or say what in it the other cannot say.

    Exit codes: 0; 2 if the program cannot be used, or has no translation.
    """
    source, target = chosen_language(context).name, _named(to)
    known = translations()
    if (source, target) not in known:
        there = ", ".join(f"{origin} to {destination}" for origin, destination in known)
        raise wrong("--to", f"there is no translation from {source} to {target}; there are: {there}")
    for option, setting, fits in (
        ("--rule", rule, source == "PARTElang"),
        ("--templates", templates, target == "PARTElang"),
    ):
        if setting is not None and not fits:
            raise wrong(option, f"programs of {source} do not need it")
    text = program_text(program)
    read = read_program(chosen_language(context)[TEXT], text, program, include)
    origin_text = program
    if isinstance(read, core.Program) and read.source.files:
        text = print_program(replace(read.source, comments=()))
        origin_text = f"{program} with its imports"
    declared = None if templates is None else program_text(templates)
    if templates is not None and declared is not None:
        from parte.languages.partelang import PARTELANG

        with explained(templates):
            PARTELANG[TEXT].parse(declared)
    with explained(origin_text):
        try:
            translated = known[source, target](Given(text, rule, declared))
        except NoSuchRule as error:
            raise wrong("--rule", str(error)) from None
    deliver(translated, output)


def _named(language: str) -> str:
    for language_known in languages():
        if language.lower() in (language_known.name.lower(), language_known.ending.removeprefix(".")):
            return language_known.name
    there = [known.name for known in languages()]
    raise wrong("--to", f"no language is called {language!r}; {advice(language, there)}")
