"""`parte prove --controls`: faults of the machine and of the definition, and the lemma that detects each."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from parte import terminal
from parte.conformance.controls import every, find
from parte.languages.language import Language
from parte.options import wrong
from parte.proofs.controls import Control, Finding, findings

SAMPLE = 24
"""The number of controls that run without names and without --all: about a minute."""


def show_controls(
    language: Language, patterns: Sequence[str], *, every_one: bool, timeout: float, as_json: bool
) -> None:
    """Put controls of a language to its lemmas, and print the lemma that detects each.

    The controls are those with the given names, in which `*` stands for anything; or all; or else a sample of those
    with a recorded lemma, of which only this lemma is asked. Each finding is printed at once; JSON is printed at the
    end, or after Ctrl-C with the findings so far. Exits with 1 if the lemma that detects a control is not the recorded
    one.
    """
    controls = every(language)
    if every_one and patterns:
        raise wrong("--all", "does not go with the names of controls, which are all put to the lemmas")
    if patterns:
        chosen = [control for control in controls if any(fnmatchcase(control.name, pattern) for pattern in patterns)]
    else:
        chosen = list(controls) if every_one else sample(controls)
    if not chosen:
        terminal.error(f"no control is called {' or '.join(patterns)}", "docs/controls.md lists them all")
        raise typer.Exit(terminal.UNUSABLE)
    results: list[Finding] = []
    interrupted = False
    try:
        for finding in _watched(findings(chosen, partial(find, language.name, timeout=timeout)), chosen):
            results.append(finding)
            if not as_json:
                terminal.output_console().print(_line(finding), soft_wrap=True)
    except KeyboardInterrupt:
        interrupted = True
    if as_json:
        terminal.write(json.dumps([_record(finding) for finding in results], indent=2, ensure_ascii=False) + "\n")
    else:
        terminal.write(_summary(results, len(chosen)) + "\n")
        if not patterns and not every_one:
            terminal.write(f"This is a sample of {len(controls)} controls; --all puts every one to the lemmas.\n")
    faults = [finding.fault for finding in results if finding.fault]
    for fault in faults:
        terminal.error(fault)
    if interrupted:
        raise KeyboardInterrupt
    if faults:
        raise typer.Exit(terminal.DIFFERENT)


def sample(controls: Sequence[Control]) -> list[Control]:
    """At most `SAMPLE` of the controls that a lemma is known to detect, at equal distances."""
    detected = [control for control in controls if control.detected_by]
    number = min(SAMPLE, len(detected))
    return [detected[index * len(detected) // number] for index in range(number)]


def _watched(steps: Iterable[Finding], chosen: Sequence[Control]) -> Iterator[Finding]:
    """Yield the findings. A terminal shows their number, the control that is being decided, and since when."""
    console = terminal.errors_console()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal, redirect_stdout=sys.stdout.isatty()
    ) as progress:
        task = progress.add_task(chosen[0].name, total=len(chosen))
        for number, finding in enumerate(steps, start=1):
            following = chosen[number].name if number < len(chosen) else ""
            progress.update(task, advance=1, description=terminal.printable(following))
            yield finding


def _line(finding: Finding) -> Text:
    lemma, how = (finding.lemma, finding.how) if finding.lemma else ("tests only", _tests(finding.control))
    return Text.assemble((finding.control.name, "cyan"), f": {lemma}; {how}")


def _tests(control: Control) -> str:
    return control.reason or (f"the case {control.case}" if control.case else "no reason is stated")


def _record(finding: Finding) -> dict[str, object]:
    control = finding.control
    return {
        "control": control.name,
        "places": [edit.place for edit in control.edits],
        "without": control.without,
        "detected_by": finding.lemma or None,
        "how": finding.how or None,
        "refuted": finding.refuted,
        "tests": None if finding.lemma else _tests(control),
        "tried": finding.tried,
        "seconds": round(finding.seconds, 3),
    }


def _summary(findings: Sequence[Finding], chosen: int) -> str:
    detected = sum(bool(finding.lemma) for finding in findings)
    refuted = sum(finding.refuted for finding in findings)
    cut = "" if len(findings) == chosen else f"; {chosen - len(findings)} were not reached"
    ways = f"{refuted} refuted, {detected - refuted} not in a form that can be decided"
    others = len(findings) - detected
    return f"{detected} of {len(findings)} controls are detected by a lemma ({ways}), {others} by tests only{cut}"
