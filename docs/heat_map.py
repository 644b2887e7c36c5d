"""Tables of the site whose cells are coloured by a share, with the reasons in a box that hovering or the keyboard
shows.

A cell has its numbers as text, so that the colour is not their only form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, its share from 0 to 1 (None if it is about nothing), and the lines of its box."""

    text: str
    share: float | None
    lines: Sequence[str] = ()

    @property
    def level(self) -> str:
        """The class of its colour."""
        if self.share is None:
            return "heat-none"
        return "heat-all" if self.share == 1 else f"heat-{sum(self.share >= least for least in (0.5, 0.8, 0.95))}"


def heat_map(name: str, caption: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[Cell]]]) -> str:
    """Return a table in HTML for a page in Markdown; `name` begins the ids of its boxes."""
    heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    numbers = count(1)
    body = "".join(
        f'<tr><th scope="row">{escape(title)}</th>'
        f"{''.join(_cell(cell, f'{name}-{next(numbers)}') for cell in cells)}</tr>\n"
        for title, cells in rows
    )
    return (
        f'<div class="heat"><table>\n<caption>{escape(caption)}</caption>\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{body}</tbody>\n</table></div>\n"
    )


def _cell(cell: Cell, name: str) -> str:
    if not cell.lines:
        return f'<td class="{cell.level}">{escape(cell.text)}</td>'
    lines = "".join(f"<span>{escape(line)}</span>" for line in cell.lines)
    return (
        f'<td class="{cell.level}" tabindex="0" aria-describedby="{name}">{escape(cell.text)}'
        f'<span class="box" role="tooltip" id="{name}">{lines}</span></td>'
    )
