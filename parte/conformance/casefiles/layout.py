"""The layout of case files: entries at the margin, the fields of a case below it, and text below both.

    # a remark
    events A(k=0)

    text A
        template A { k : Integer }

    case windows/closed
      about Both ends belong to a window
      program A
        rule R where a : A, b : A when b in a [1 ms, 5 ms]

An entry begins at the margin and a field two blanks from it; each begins with a word for its kind, and has a value on
the same line. Lines after four blanks are its text, verbatim. A line of text that people could not distinguish from
another (with a control character, with blanks at its end, empty at either end of the text) is `  = JSON`: a string, or
`{"repeat": "x", "times": 9}` for a repeated text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from parte.conformance.fixtures import Line, Repeated
from parte.semantics.events.strictjson import MalformedJson, decode, dumped

WIDTH = 120
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a line of a file; lines count from 1."""

    line: int
    message: str


class Misread(ValueError):
    """Text that cannot be read: the message, and the offset of the line from the first line of the text."""

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(slots=True)
class Field:
    """A word, the value that follows it on its line, and the text below, with the number of each line."""

    word: str
    value: str
    line: int
    body: list[Line] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return value and text as lines of one notation. Misread if one of them is to be repeated."""
        plain = [line for line in self.body if isinstance(line, str)]
        if len(plain) < len(self.body):
            raise Misread(f"{self.word} repeats no lines")
        return [self.value, *plain] if self.value else plain

    def number(self, offset: int) -> int:
        """Return the line number in the file of one of `lines`."""
        numbers = [self.line, *self.numbers] if self.value else self.numbers
        return numbers[offset] if offset < len(numbers) else self.line


@dataclass(slots=True)
class Entry:
    """An entry at the margin, the remarks above it, and its fields. It is broken if a part of it could not be read."""

    head: Field
    remarks: list[str]
    fields: list[Field] = field(default_factory=list)
    broken: bool = False


def read_layout(text: str) -> tuple[list[Entry], list[str], list[Problem]]:
    """Return the entries of a file, the remarks at its end, and the problems."""
    entries: list[Entry] = []
    remarks: list[str] = []
    problems: list[Problem] = []
    blank = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            blank += 1
            continue
        try:
            if line.startswith("#"):
                remarks += [""] * bool(blank and remarks) + [line]
            elif not line.startswith(" "):
                remarks += [""] * bool(blank and remarks)
                entries.append(Entry(_field(line, number), remarks))
                remarks = []
            elif not entries or remarks or not line.startswith("  "):
                raise Misread("expected an entry at the margin, or a field after two blanks below one")
            elif line.startswith(("    ", "  = ")):
                last = [entries[-1].head, *entries[-1].fields][-1]
                added = [*[""] * (blank if last.body else 0), _line(line)]
                last.body += added
                last.numbers += [number] * len(added)
            else:
                entries[-1].fields.append(_field(line[2:], number))
        except Misread as error:
            problems.append(Problem(number, str(error)))
            if entries:
                entries[-1].broken = True
        blank = 0
    return entries, remarks, problems


def _field(line: str, number: int) -> Field:
    word, _, value = line.partition(" ")
    if word.startswith("\t"):
        raise Misread("indent with blanks, not with tabs: two before a field, four before its text")
    if not _WORD.fullmatch(word):
        raise Misread(f"expected a word in small letters, or text after four blanks, found {dumped(word)}"[:200])
    return Field(word, value.strip(), number)


def _line(line: str) -> Line:
    if line.startswith("    "):
        return line[4:]
    match read_json(line[4:]):
        case str(text):
            return text
        case {"repeat": str(text), "times": int(times), **more} if text and times > 0 and not more:
            return Repeated(text, times)
    raise Misread('expected a JSON string, or {"repeat": "x", "times": 9}')


def write_layout(entries: Iterable[Entry], remarks: Sequence[str]) -> str:
    """Return the text that `read_layout` reads: one blank line around every entry that has text or fields."""
    written: list[str] = []
    previous_has_lines = True
    for entry in entries:
        has_lines = bool(entry.fields or entry.head.body)
        if written and (has_lines or previous_has_lines or entry.remarks):
            written.append("")
        previous_has_lines = has_lines
        written += [*entry.remarks, *_written(entry.head, "")]
        for part in entry.fields:
            written += _written(part, "  ")
    if remarks:
        written += [*[""] * bool(written), *remarks]
    return "".join(f"{line}\n" for line in written)


def _written(part: Field, indent: str) -> Iterator[str]:
    yield f"{indent}{part.word} {part.value}".rstrip()
    for place, line in enumerate(part.body):
        match line:
            case Repeated(text, times):
                yield f'  = {{"repeat": {dumped(text)}, "times": {times}}}'
            case str() if line.isprintable() and line == line.rstrip() and (line or 0 < place < len(part.body) - 1):
                yield f"    {line}".rstrip()
            case str():
                yield f"  = {dumped(line)}"
            case _:
                assert_never(line)


# --- Values -----------------------------------------------------------------------------------------------------------


def write_value(text: str) -> str:
    """Return a text as the value of a field: unchanged, or as a JSON string if it would be read differently."""
    plain = text and text == text.strip() and text.isprintable() and not text.startswith('"')
    return text if plain else dumped(text)


def read_value(value: str) -> str:
    """Return the text of a value. Misread if it begins like a JSON string and is not one."""
    if not value.startswith('"'):
        return value
    text = read_json(value)
    if not isinstance(text, str):
        raise Misread("expected a JSON string")
    return text


def read_json(text: str) -> object:
    """Return a value from JSON. Misread if the text is not JSON."""
    try:
        return decode(text, finite=True)
    except MalformedJson as error:
        raise Misread(str(error)) from None


def filled(word: str, parts: Iterable[str]) -> Field:
    """Return a field of parts with blanks between them, after the word if they fit there, else in full lines below it.

    Parts in braces have lines of their own.
    """
    lines: list[str] = []
    for part in parts:
        if lines and not part.startswith("{") and not lines[-1].startswith("{"):
            together = f"{lines[-1]} {part}"
            if len(together) <= WIDTH - 4:
                lines[-1] = together
                continue
        lines.append(part)
    if len(lines) == 1 and len(lines[0]) + len(word) + 3 <= WIDTH:
        return Field(word, lines[0], 0)
    return Field(word, "", 0, list(lines))
