"""Pages of the errors and open questions in the source of a language: a section for each defect, with evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A defect: its number, its place in the source, the error, and the evidence, row by row; without rows
    `elsewhere` names the place of the evidence."""

    number: int | str
    where: str
    text: str
    rows: tuple[tuple[str, str], ...]
    elsewhere: str = ""


def defects_page(sections: Iterable[Section]) -> str:
    """Return the sections of the page in Markdown."""
    return "\n".join(line for section in sections for line in _lines(section))


def _lines(section: Section) -> Iterator[str]:
    yield from (f"## {section.number}. {section.where}", "", f"{section.text[0].upper()}{section.text[1:]}.", "")
    if section.elsewhere:
        yield f"Shown elsewhere: {section.elsewhere}."
    else:
        yield from ("| | |", "|---|---|")
        yield from (f"| {name} | {said} |" for name, said in section.rows)
    yield ""
