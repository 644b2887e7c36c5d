"""`parte report`: the report of a run of the suite, for people and for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from parte import terminal
from parte.conformance.reports import FORMATS
from parte.conformance.reports.text import show
from parte.conformance.results import ReportError, read_report
from parte.inputs import deliver, explained
from parte.options import OutputOption, check_name, wrong
from parte.semantics.events.files import MAX_REPORT, read_limited

_ENDINGS = {
    "": "table",
    ".txt": "table",
    ".xml": "junit",
    ".tap": "tap",
    ".html": "html",
    ".svg": "badge",
    ".json": "shields",
}


def _advised(guessed: bool) -> bool:
    if guessed:
        hint = "the ending of the output file says it: -o report.html, .xml (JUnit), .tap, .svg or .json (badges), .txt"
        raise terminal.unusable("no option like this names a format", hint)
    return guessed


def report(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What parte conform --report wrote.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="|".join(FORMATS), help="[default: that of the ending of the output file, else table]"
        ),
    ] = None,
    output: OutputOption = None,
    guessed: Annotated[  # noqa: ARG001 # what people try; its callback gives advice
        bool,
        typer.Option(
            "--html", "--junit", "--xml", "--tap", "--svg", "--badge", hidden=True, is_eager=True, callback=_advised
        ),
    ] = False,
) -> None:
    """Show a report of the conformance suite: a table, JUnit XML, TAP, an HTML page, or a badge as SVG or as JSON."""
    ending = Path(output or "").suffix.lower()
    if form is None and ending not in _ENDINGS:
        known = ", ".join(filter(None, _ENDINGS))
        raise wrong("--output", f"no format has the ending {ending!r}; give --format, or one of {known}")
    chosen = form or _ENDINGS[ending]
    check_name("--format", "format", chosen, FORMATS)
    with explained(file):
        lines = read_limited(file, MAX_REPORT).decode("utf-8", errors="replace").split("\n")
    with terminal.refusing(ReportError, hint="parte conform --report FILE writes a report", where=file):
        read = read_report(lines)
    if output is None and chosen == "table":
        show(terminal.output_console(), read, most=None)
        return
    deliver(FORMATS[chosen](read), output)
