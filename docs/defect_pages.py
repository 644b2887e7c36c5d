"""Pages of what is wrong or open in the source of a language: a section for each defect, with what shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A defect: its number, where it stands in the source, what is wrong, and what shows it, row by row; without rows
    `elsewhere` says where that is shown."""

    number: int | str
    where: str
    text: str
    rows: tuple[tuple[str, str], ...]
    elsewhere: str = ""


def defects_page(sections: Iterable[Section]) -> str:
    """Return the sections of such a page in Markdown."""
    return "\n".join(line for section in sections for line in _lines(section))


def _lines(section: Section) -> Iterator[str]:
    yield from (f"## {section.number}. {section.where}", "", f"{section.text[0].upper()}{section.text[1:]}.", "")
    if section.elsewhere:
        yield f"Shown elsewhere: {section.elsewhere}."
    else:
        yield from ("| | |", "|---|---|")
        yield from (f"| {name} | {said} |" for name, said in section.rows)
    yield ""
