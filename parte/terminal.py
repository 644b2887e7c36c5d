"""Output of the commands beside their results: diagnostics, warnings and errors, on standard error.

Colours are used on a terminal only, and not if NO_COLOR is set.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from parte.faults import of_variant
from parte.semantics.events.problems import InputError
from parte.semantics.source.diagnostics import Diagnostic, ProgramError, Severity
from parte.semantics.source.diagnostics import printable as printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

DIFFERENT = 1
UNUSABLE = 2
BLOCKED = 3
OPEN = 4
UNSUPPORTED = 5
"""The exit codes of failures: a comparison or a check found a difference; the input cannot be used; no step was
possible with input left; a question was not decided within the time or the number of steps; an engine supports
nothing of the request, so that nothing is known of it."""

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow"}


def errors_console() -> Console:
    """Return standard error as a new console, because tests exchange the stream."""
    from parte import consoles

    return consoles.errors()


def output_console(width: int | None = None) -> Console:
    """Return standard output, for readers. Results for programs are written plainly."""
    from parte import consoles

    return consoles.output(width)


@contextmanager
def telling() -> Iterator[Callable[[str], None] | None]:
    """Yield a function that shows the progress of long work: a line on standard error that disappears at the end.
    Yield None if standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with errors_console().status("") as status:
        yield lambda line: status.update(printable(line))


def write(text: str) -> None:
    """Write results to standard output, unchanged; a terminal gets no character that would act on it."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else writable(text))


def writable(text: str) -> str:
    """Return a text with escapes for characters that UTF-8 cannot write: bytes of a file name that are no text."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def tell(text: str) -> None:
    """Write text for readers to standard output. It acts on no terminal, not even through a pager."""
    write(printable(text))


def _say(text: Text) -> None:
    errors_console().print(text, soft_wrap=True)


def error(message: str, hint: str = "") -> None:
    """Print an error, and a hint."""
    from rich.text import Text

    text = Text.assemble(("error: ", _STYLES[Severity.ERROR]), printable(message))
    if hint:
        text.append(f"\n  hint: {printable(hint)}", "cyan")
    _say(text)


def unusable(message: str, hint: str = "") -> typer.Exit:
    """Print why an input cannot be used, and a hint. Return the exception that ends the command."""
    error(message, hint)
    return typer.Exit(UNUSABLE)


@contextmanager
def refusing(*kinds: type[Exception], hint: str = "", where: str = "") -> Iterator[None]:
    """Turn exceptions of these kinds into messages on standard error, after `where`, and exit code 2."""
    try:
        yield
    except kinds as problem:
        if of_variant(problem):
            raise
        raise unusable(f"{where}: {problem}" if where else str(problem), hint) from None


def table(*columns: Column | str) -> Table:
    """Return an empty table, in the style of all commands."""
    from rich import box
    from rich.table import Table

    return Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)


def note(message: str) -> None:
    """Print a warning."""
    from rich.text import Text

    _say(Text.assemble(("warning: ", _STYLES[Severity.WARNING]), printable(message)))


def report(message: str) -> None:
    """Print several lines, the first of which is the title."""
    from rich.text import Text

    _say(Text(printable(message)))


def diagnostics(problems: Iterable[Diagnostic], filename: str) -> None:
    """Print diagnostics of a program: place, message, source line with carets, hint."""
    for diagnostic in problems:
        from rich.text import Text

        head, *rest = printable(diagnostic.render(filename)).split("\n")
        style = _STYLES[diagnostic.severity]
        label = f"{diagnostic.severity.value}[{diagnostic.code}]"
        text = Text(head)
        text.highlight_words([label], style)
        for line in rest:
            stripped = line.strip()
            if stripped and not stripped.strip("^"):
                text.append(f"\n{line}", style)
            elif line.startswith("  hint: "):
                text.append(f"\n{line}", "cyan")
            else:
                text.append(f"\n{line}")
        _say(text)


def program_error(problem: ProgramError, filename: str) -> None:
    """Print all errors of a program, and their number."""
    from rich.text import Text

    diagnostics(problem.diagnostics, filename)
    count = sum(diagnostic.severity is Severity.ERROR for diagnostic in problem.diagnostics)
    _say(Text(f"{printable(filename)}: {count} error{'' if count == 1 else 's'}", "bold"))


def input_error(problem: InputError) -> None:
    """Print all errors of a trace or a domain."""
    from rich.text import Text

    lines = printable(problem.render()).split("\n")
    text = Text()
    for number, line in enumerate(lines):
        style = "cyan" if line.startswith("  hint: ") else ""
        text.append(line if number == 0 else f"\n{line}", style)
    _say(text)
