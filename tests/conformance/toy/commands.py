"""The commands of PAIRS that are none of every language's."""

from __future__ import annotations

import typer

from parte import terminal
from parte.commands.languages import chosen_language
from parte.inputs import program_of
from parte.options import ProgramArgument
from parte.semantics.source.text import TEXT


def graph(context: typer.Context, program: ProgramArgument) -> None:
    """Draw a pair, as text for Graphviz."""
    syntax = chosen_language(context)[TEXT]
    tree = syntax.tree(program_of(syntax, program))
    terminal.write(f"digraph {{ {tree['first']} -> {tree['then']} }}\n")


COMMANDS = {"graph": graph}
