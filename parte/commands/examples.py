"""`parte examples`: what comes with PARTE to be tried and copied, wherever it is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from parte import terminal
from parte.inputs import writing
from parte.options import check_name
from parte.semantics.events.files import below, write_new

FOLDER = Path(__file__).resolve().parents[1] / "examples"
"""The folder of the examples: in a checkout a link to that of the top level, in an installed package a folder."""


def examples(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which example. [default: list them]")] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Where to put its files; none may be there already.")
    ] = ".",
) -> None:
    """List the examples and the templates of adapters, or copy one into a directory to work on."""
    known = {path.name: path for path in sorted(FOLDER.iterdir()) if path.is_dir()}
    if name is None:
        terminal.write("".join(f"{name}: {_title(path)}\n" for name, path in known.items()))
        return
    check_name("NAME", "example", name, known)
    with writing(out):
        wanted = {path: path.relative_to(known[name]) for path in _files(known[name])}
        there = [copy for relative in wanted.values() if os.path.lexists(copy := Path(out, relative))]
        if there:
            hint = "name another directory with --out; nothing was written"
            raise terminal.unusable(f"{there[0]} is there already", hint)
        for path, relative in wanted.items():
            copy = below(out, relative)
            write_new(copy, path.read_bytes())
            terminal.write(f"{copy}\n")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def _title(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
