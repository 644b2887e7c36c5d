"""Output of the commands beside their results: diagnostics, warnings and errors, on standard error.

Colours are used on a terminal only, and not if NO_COLOR is set.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import typer
from rich import box
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.table import Column, Table
from rich.text import Text

from parte.faults import of_variant
from parte.semantics.events.problems import InputError
from parte.semantics.source.diagnostics import Diagnostic, ProgramError, Severity
from parte.semantics.source.diagnostics import printable as printable

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
    return _guarded(Console(stderr=True, highlight=False, markup=False, emoji=False))


def output_console(width: int | None = None) -> Console:
    """Return standard output, for readers. Results for programs are written plainly."""
    return _guarded(Console(highlight=False, markup=False, emoji=False, width=width))


def _guarded(console: Console) -> Console:
    console.push_render_hook(_Guard())
    return console


class _Guard(RenderHook):
    """A hook that passes all printed text through `printable`; only rich itself moves cursors and colours text."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Guarded(renderable) for renderable in renderables]


@dataclass(frozen=True, slots=True)
class _Guarded:
    renderable: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


@contextmanager
def telling() -> Iterator[Callable[[str], None] | None]:
    """Yield a function that shows the progress of long work: a line on standard error that disappears at the end.
    Yield None if standard error is no terminal."""
    console = errors_console()
    if not console.is_terminal:
        yield None
        return
    with console.status("") as status:
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
    return Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)


def note(message: str) -> None:
    """Print a warning."""
    _say(Text.assemble(("warning: ", _STYLES[Severity.WARNING]), printable(message)))


def report(message: str) -> None:
    """Print several lines, the first of which is the title."""
    _say(Text(printable(message)))


def diagnostics(problems: Iterable[Diagnostic], filename: str) -> None:
    """Print diagnostics of a program: place, message, source line with carets, hint."""
    for diagnostic in problems:
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
    diagnostics(problem.diagnostics, filename)
    count = sum(diagnostic.severity is Severity.ERROR for diagnostic in problem.diagnostics)
    _say(Text(f"{printable(filename)}: {count} error{'' if count == 1 else 's'}", "bold"))


def input_error(problem: InputError) -> None:
    """Print all errors of a trace or a domain."""
    lines = printable(problem.render()).split("\n")
    text = Text()
    for number, line in enumerate(lines):
        style = "cyan" if line.startswith("  hint: ") else ""
        text.append(line if number == 0 else f"\n{line}", style)
    _say(text)
