"""Consoles of rich, through which nothing of a program or a trace acts on a terminal.

A run without messages imports neither this module nor rich.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult

from parte.semantics.source.diagnostics import printable


def errors() -> Console:
    """Return standard error as a new console, because tests exchange the stream."""
    return _guarded(Console(stderr=True, highlight=False, markup=False, emoji=False))


def output(width: int | None = None) -> Console:
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
