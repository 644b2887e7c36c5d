"""The rows of CSV (RFC 4180 with any of four separators), one by one: a row that cannot be read is one fault, and the
rows after it are read. DuckDB's reader is faster, and refuses a file with such a row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from parte.logs.records import MAX_LINE, TOO_LONG, bytes_of, not_text
from parte.semantics.events.files import UnusableFile
from parte.semantics.events.rejection import FOUND

SEPARATORS: Final = b",;\t|"
_BATCH: Final = 2**14
_MARK: Final = b"\xef\xbb\xbf"
_OPEN: Final = "a field in quotes does not end"
_BEYOND: Final = "text stands behind the end of a field in quotes"


@dataclass(frozen=True, slots=True)
class Row:
    """The fields of a row, null where one is empty, or why it has none; `number` counts from 1, without the header."""

    number: int
    fields: list[str | None]
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """The first row of CSV: the names of columns, what separates them, and whether it is all of the first line, which
    ends in a line feed only."""

    names: tuple[str, ...]
    separator: bytes
    plain: bool

    def place(self, path: str) -> int | None:
        """Return the place of the first column of a name."""
        return self.names.index(path) if path in self.names else None


def rows_of(path: str) -> tuple[Header, Iterator[list[Row]]]:
    """Return the header of a file and batches of its rows. Raise OSError if it cannot be read, or has no header."""
    return header_and_rows(path, (line for batch in bytes_of(path) for line in batch.split(b"\n")))


def header_and_rows(path: str, lines: Iterator[bytes]) -> tuple[Header, Iterator[list[Row]]]:
    """Return the header in lines, those of a file, and batches of rows. Raise UnusableFile if there is no header."""
    first = next(lines, b"")
    line = next((line for line in chain([first], lines) if line.rstrip(b"\r")), b"").removeprefix(_MARK)
    outside = b"".join(line.split(b'"')[::2])
    separator = max((SEPARATORS[place : place + 1] for place in range(len(SEPARATORS))), key=outside.count)
    header = next(_rows(chain([line], lines), separator, None), None)
    if header is None or header.fault is not None:
        reason = "it is empty" if header is None else header.fault
        raise UnusableFile(path, f"its first row does not name the columns: {reason}")
    names = tuple(name or "" for name in header.fields)
    rows = _rows(lines, separator, len(names))
    is_plain = first.removeprefix(_MARK) == line and b'"' not in line and not line.endswith(b"\r")
    return Header(names, separator, is_plain), iter(lambda: list(islice(rows, _BATCH)), [])


def _rows(lines: Iterator[bytes], separator: bytes, width: int | None) -> Iterator[Row]:
    number, again = 0, deque[bytes]()
    while (line := again.popleft() if again else next(lines, None)) is not None:
        if not line or line == b"\r":
            continue
        number += 1
        if b'"' not in line:
            yield _row(number, [line], line.removesuffix(b"\r").split(separator), width)
            continue
        record = _Record(separator)
        record.read(line)
        parts, size = [line], len(line)
        while record.open and size <= 4 * MAX_LINE:
            more = again.popleft() if again else next(lines, None)
            if more is None:
                break
            parts.append(more)
            size += len(more) + 1
            record.read(more)
        if record.open or record.broken:
            # The quote is a mistake, or part of a line that was cut off: the lines after it are rows.
            again.extendleft(reversed(parts[1:]))
            yield Row(number, [], not_text(line) or (_OPEN if record.open else _BEYOND))
        else:
            yield _row(number, parts, record.fields, width)


def _row(number: int, parts: Iterable[bytes], fields: list[bytes], width: int | None) -> Row:
    whole = b"\n".join(parts)
    fault = not_text(whole)
    if fault is None and len(whole) > MAX_LINE and len(whole.decode("utf-8")) > MAX_LINE:
        fault = TOO_LONG
    if fault is None and width is not None and any(fields[width:]):
        fault = f"it has more fields than the first row{FOUND}{len(fields)}"
    if fault is not None:
        return Row(number, [], fault)
    return Row(number, [value.decode("utf-8") or None for value in fields[:width]])


@dataclass(slots=True)
class _Record:
    """A row with quotes, while its lines come."""

    separator: bytes
    fields: list[bytes] = field(default_factory=list)
    open: bool = False
    broken: bool = False
    _parts: list[bytes] = field(default_factory=list)

    def read(self, line: bytes) -> None:
        """Read the next line."""
        place, more = 0, True
        if self.open:
            place, more = self._quoted(line, 0)
        while more and not self.broken:
            start = place
            while line[start : start + 1] == b" ":
                start += 1
            if line[start : start + 1] == b'"':
                self.open = True
                place, more = self._quoted(line, start + 1)
            else:
                end = line.find(self.separator, place)
                more = end >= 0
                value = line[place:end] if more else line[place:].removesuffix(b"\r")
                self.fields.append(value)
                place = end + 1

    def _quoted(self, line: bytes, place: int) -> tuple[int, bool]:
        """Read the rest of a field in quotes. Return the place of the next field, and whether there is one."""
        while (end := line.find(b'"', place)) >= 0:
            if line[end + 1 : end + 2] != b'"':
                self.fields.append(b"".join((*self._parts, line[place:end])))
                self._parts, self.open = [], False
                rest = end + 1
                while line[rest : rest + 1] == b" ":
                    rest += 1
                if line[rest : rest + 1] == self.separator:
                    return rest + 1, True
                self.broken = line[rest:] not in (b"", b"\r")
                return rest, False
            self._parts.append(line[place : end + 1])
            place = end + 2
        self._parts += [line[place:], b"\n"]
        return len(line), False
