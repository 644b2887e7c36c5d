"""`parte suite`: the conformance suite itself: what it holds, whether it is right, what it covers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from conformance.coverage import Coverage, coverage
from conformance.fixtures import SUITE
from parte import terminal
from parte.commands.conform import SuiteOption, suite_from
from parte.options import MachineOption, model_of, wrong
from semantics.repairs import Model

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


@app.command("coverage")
def show_coverage(
    model: MachineOption = "sound",
    cases: Annotated[bool, typer.Option("--cases", help="Also show rules and codes case by case.")] = False,
    suite: SuiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Show which inference rules fire and which diagnostic codes are expected, and in how many cases.

    Exit codes: 0; 1 if a rule or a code is exercised by no case, though one could.
    """
    chosen = model_of(model, None, None)
    if not isinstance(chosen, Model):
        raise wrong("--model", f"{model} has no inference rules; give sound, published or rudimentary")
    loaded = suite_from(suite)
    found = coverage(loaded, chosen)
    if as_json:
        record = {"model": found.model, "rules": found.rules, "codes": found.codes, "unreachable": found.unreachable}
        terminal.write(json.dumps(record, indent=2) + "\n")
    else:
        console = terminal.output_console()
        console.print(_counts("inference rule", found.rules, found.unreachable))
        console.print(_counts("diagnostic code", found.codes, {}))
        if cases:
            console.print(_by_case(found))
    if found.missing:
        terminal.error(f"no case exercises {', '.join(found.missing)}")
        raise typer.Exit(terminal.DIFFERENT)


def _counts(what: str, found: Mapping[str, Sequence[str]], excused: Mapping[str, str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(what, style="cyan", overflow="fold")
    table.add_column("cases", justify="right")
    table.add_column("for example")
    for name, ids in found.items():
        table.add_row(name, str(len(ids)), Text(min(ids, key=len) if ids else excused.get(name, "none")))
    return table


def _by_case(found: Coverage) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("case", style="cyan", overflow="fold")
    table.add_column("rules and codes")
    by_case: dict[str, list[str]] = {}
    for name, ids in (*found.rules.items(), *found.codes.items()):
        for id_ in ids:
            by_case.setdefault(id_, []).append(name)
    for id_, names in sorted(by_case.items()):
        table.add_row(id_, ", ".join(names))
    return table
