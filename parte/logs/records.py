"""The records of raw files, in batches: lines of JSON from any stream, or rows of CSV and Parquet by DuckDB's readers.

Files may be compressed (.gz, .bz2, .zst); `-` is standard input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow

from parte.semantics.events.files import UnusableFile, check_kind, standard_input

FORMATS: Final = ("jsonl", "csv", "parquet")
_ENDINGS: Final = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".log": "jsonl", ".csv": "csv"}
_ENDINGS_OF_TABLES: Final = {".tsv": "csv", ".parquet": "parquet", ".pq": "parquet"}
_COMPRESSED: Final = (".gz", ".bz2", ".zst")
_CHUNK: Final = 2**24
_BLANKS: Final = " \t\r"
MAX_LINE: Final = 2**22
"""The most characters of a line; a longer one is rejected."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file: their numbers, from 1, their texts, and why a line is no record, or null."""

    numbers: list[int]
    texts: list[str]
    faults: list[str | None]
    read: int
    """The bytes of the file, as it is compressed or not, that were read up to here."""

    def table(self) -> Any:
        """Return them as an Arrow table with `number`, `text` and `fault`."""
        faults = pyarrow.array(self.faults, pyarrow.string())
        return pyarrow.table(
            {"number": self.numbers, "text": pyarrow.array(self.texts, pyarrow.string()), "fault": faults}
        )


def format_of(path: str, given: str | None) -> str:
    """Return the format of a file: what is given, or by its ending. Raise UnusableFile if neither tells."""
    if given is not None:
        return given
    if path == "-":
        return "jsonl"
    name = Path(path)
    ending = (name.with_suffix("") if name.suffix in _COMPRESSED else name).suffix.lower()
    found = (_ENDINGS | _ENDINGS_OF_TABLES).get(ending)
    if found is None:
        raise UnusableFile(path, "its ending tells no format", hint=f"say --format {'|'.join(FORMATS)}")
    return found


def lines_of(path: str) -> Iterator[Lines]:
    """Yield the lines of a file in batches, without empty ones. Raise OSError if it cannot be read."""
    with _opened(path) as stream:
        yield from _batches(stream)


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """Open a file, a named pipe, or standard input; what is compressed, by its ending, is unpacked."""
    if path == "-":
        with pyarrow.PythonFile(standard_input(), mode="r") as stream:
            yield stream
        return
    check_kind(path, streams=True)
    packed = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}.get(Path(path).suffix)
    try:
        with open(path, "rb") as file, pyarrow.PythonFile(file, mode="r") as whole:
            yield whole if packed is None else pyarrow.CompressedInputStream(whole, packed)
    except pyarrow.ArrowException as error:
        raise UnusableFile(path, str(error)) from None
    except OSError as error:
        raise (error if error.errno else UnusableFile(path, str(error))) from None


def is_plain(path: str) -> bool:
    """Return whether DuckDB can open a file by its name: one on a disk, whose name is text, of a compression it has."""
    return path != "-" and path.isprintable() and Path(path).is_file() and Path(path).suffix != ".bz2"


@contextmanager
def plain(path: str) -> Iterator[str]:
    """Yield the path of a file that DuckDB can open: the file, or a copy of what is there only once, or packed."""
    if is_plain(path):
        yield path
        return
    with TemporaryDirectory(prefix="parte-log-") as folder, _opened(path) as stream:
        copy = Path(folder) / "raw"
        with copy.open("wb") as file:
            while chunk := stream.read(_CHUNK):
                file.write(chunk)
        yield str(copy)


def delimiter_of(path: str) -> str:
    """Return what separates the fields of a file of CSV: the character that its first line has most often."""
    with _opened(path) as stream:
        first, _, _ = stream.read(MAX_LINE).lstrip(b"\r\n").partition(b"\n")
    bare = re.sub(r'"[^"]*"', "", first.decode("utf-8", "replace"))
    return max(",;\t|", key=bare.count)


def _batches(stream: Any) -> Iterator[Lines]:
    number, read, rest = 0, 0, b""
    while chunk := stream.read(_CHUNK):
        read += len(chunk)
        head, newline, tail = chunk.rpartition(b"\n")
        if not newline:
            rest = (rest + chunk)[: 4 * MAX_LINE + 4]  # of a line that is too long, no more is needed
            continue
        content = rest + head
        yield _lines(content, number + 1, read)
        number += content.count(b"\n") + 1
        rest = tail
    if rest:
        yield _lines(rest, number + 1, read)


def _lines(content: bytes, first: int, read: int) -> Lines:
    try:
        texts: list[str] = content.decode("utf-8").split("\n")
        faults: list[str | None] = [None] * len(texts)
    except UnicodeDecodeError:
        texts, faults = [], []
        for line in content.split(b"\n"):
            try:
                texts.append(line.decode("utf-8"))
                faults.append(None)
            except UnicodeDecodeError as error:
                texts.append(line.decode("utf-8", "replace"))
                faults.append(f"byte 0x{line[error.start]:02x} is not UTF-8 text")
    numbers = list(range(first, first + len(texts)))
    for position, text in enumerate(texts):
        if len(text) > MAX_LINE:
            texts[position], faults[position] = "", f"it has more than {MAX_LINE:,} characters"
    if first == 1 and texts[0].startswith("\ufeff"):
        texts[0] = texts[0][1:]
    if any(not text.strip(_BLANKS) for text in texts):
        chosen = [place for place, text in enumerate(texts) if text.strip(_BLANKS) or faults[place]]
        numbers, texts = [numbers[place] for place in chosen], [texts[place] for place in chosen]
        faults = [faults[place] for place in chosen]
    return Lines(numbers, texts, faults, read)
