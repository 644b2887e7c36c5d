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


def defects_page(notice: str, title: str, words: str, sections: Iterable[Section]) -> str:
    """The page."""
    return "\n".join(_lines(notice, title, words, sections)) + "\n"


def _lines(notice: str, title: str, words: str, sections: Iterable[Section]) -> Iterator[str]:
    yield from (notice, "", f"# What is wrong or open in the source of {title}", "", words)
    for each in sections:
        yield from ("", f"## {each.number}. {each.where}", "", f"{each.text[0].upper()}{each.text[1:]}.", "")
        if each.elsewhere:
            yield f"Shown elsewhere: {each.elsewhere}."
        else:
            yield from ("| | |", "|---|---|")
            yield from (f"| {name} | {said} |" for name, said in each.rows)
