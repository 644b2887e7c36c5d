"""`parte prove --controls`: faults of the machine and of the definition, and which lemma tells each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import partial

import typer
from rich import box
from rich.progress import track
from rich.table import Table
from rich.text import Text

from parte import terminal
from parte.conformance.controls import every, find
from parte.conformance.languages import AnyLanguage
from parte.proofs.controls import Control, Finding, findings


def show_controls(language: AnyLanguage, patterns: Sequence[str], *, timeout: float, as_json: bool) -> None:
    """Put the controls of a language that have these names, `*` standing for anything, or all, to the lemmas, and print
    what tells each.

    What was found when it is interrupted is printed all the same. Exits with 1 if a control is not told that is to be,
    or told that is not.
    """
    chosen = [
        one for one in every(language) if not patterns or any(fnmatchcase(one.name, pattern) for pattern in patterns)
    ]
    if not chosen:
        terminal.error(f"no control is called {' or '.join(patterns)}", "docs/controls.md lists them all")
        raise typer.Exit(terminal.UNUSABLE)
    found: list[Finding] = []
    interrupted = False
    console = terminal.errors_console()
    try:
        steps = findings(chosen, partial(find, language.name, timeout=timeout))
        for finding in track(
            steps, "controls", len(chosen), console=console, transient=True, disable=not console.is_terminal
        ):
            found.append(finding)
    except KeyboardInterrupt:
        interrupted = True
    if as_json:
        terminal.write(json.dumps([_record(finding) for finding in found], indent=2, ensure_ascii=False) + "\n")
    else:
        terminal.output_console().print(_table(found))
        terminal.write(_summary(found, len(chosen)) + "\n")
    faults = [finding.fault for finding in found if finding.fault]
    for fault in faults:
        terminal.error(fault)
    if interrupted:
        raise KeyboardInterrupt
    if faults:
        raise typer.Exit(terminal.DIFFERENT)


def _table(found: Sequence[Finding]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("control", style="cyan", overflow="fold")
    table.add_column("told by", overflow="fold")
    table.add_column("how", overflow="fold")
    for finding in found:
        table.add_row(
            finding.control.name, Text(finding.lemma or "tests only"), Text(finding.how or _tests(finding.control))
        )
    return table


def _tests(control: Control) -> str:
    return control.reason or (f"the case {control.case}" if control.case else "no reason is stated")


def _record(finding: Finding) -> dict[str, object]:
    control = finding.control
    return {
        "control": control.name,
        "places": [edit.place for edit in control.edits],
        "without": control.without,
        "told_by": finding.lemma or None,
        "how": finding.how or None,
        "tests": None if finding.lemma else _tests(control),
        "tried": finding.tried,
        "seconds": round(finding.seconds, 3),
    }


def _summary(found: Sequence[Finding], asked: int) -> str:
    told = sum(bool(finding.lemma) for finding in found)
    cut = "" if len(found) == asked else f"; {asked - len(found)} were not reached"
    return f"{told} of {len(found)} controls are told by a lemma, {len(found) - told} by tests only{cut}"
