"""`parte suite`: the conformance suite itself: what it holds, whether it is right, what it covers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from conformance.fixtures import SUITE
from parte import terminal
from parte.commands.conform import SuiteOption, suite_from

app = typer.Typer(
    name="suite",
    help="What the conformance suite holds, whether it is right, and what it covers.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")]


@app.command("list")
def list_cases(
    profile: Annotated[str | None, typer.Option("--profile", metavar="NAME", help="Only cases of a profile.")] = None,
    suite: SuiteOption = None,
    as_json: AsJson = False,
) -> None:
    """List the cases with their ids, profiles and descriptions."""
    loaded = suite_from(suite)
    chosen = loaded.select((profile,) if profile else ())
    if as_json:
        records = [{"id": c.id, "profile": c.profile, "description": c.description, "since": c.since} for c in chosen]
        terminal.write(json.dumps(records, indent=2, ensure_ascii=False) + "\n")
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("case", style="cyan", overflow="fold")
    table.add_column("profile", no_wrap=True)
    table.add_column("description")
    for case in chosen:
        table.add_row(Text(case.id), case.profile, Text(terminal.printable(case.description)))
    console = terminal.output_console()
    console.print(table)
    console.print(f"{len(chosen)} cases of suite {loaded.version} ({loaded.digest})", markup=False)


@app.command()
def lint(suite: SuiteOption = None) -> None:
    """Check every case: shape, metadata, and that the algebra and the sound machine say what the case expects.

    Exit codes: 0; 1 if something is wrong; 2 without jsonschema.
    """
    from conformance.lint import SchemaLibraryMissing, lint_suite

    root = SUITE if suite is None else Path(suite)
    try:
        found = 0
        for objection in lint_suite(root):
            found += 1
            terminal.report(str(objection))
    except SchemaLibraryMissing as problem:
        terminal.error(str(problem), "pip install 'parte[conformance]'")
        raise typer.Exit(terminal.UNUSABLE) from None
    if found:
        terminal.error(f"the suite has {found} fault{'' if found == 1 else 's'}")
        raise typer.Exit(terminal.DIFFERENT)
    terminal.output_console().print(f"{len(suite_from(suite).cases)} cases, no faults", markup=False)
