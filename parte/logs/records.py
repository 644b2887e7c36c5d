"""The records of raw files, in batches: lines of text from any stream; tables are read by DuckDB, or by `rows`.

Files may be compressed (.gz, .bz2, .zst); `-` is standard input.
"""

from __future__ import annotations

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
TOO_LONG: Final = f"it has more than {MAX_LINE:,} characters"


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file: their numbers, from 1, their texts, and why a line is no record, or null."""

    numbers: list[int]
    texts: list[str]
    faults: list[str | None]
    read: int
    """The bytes that were read up to here, unpacked."""

    def table(self) -> Any:
        """Return them as an Arrow table with `number`, `text` and `fault`."""
        faults = pyarrow.array(self.faults, pyarrow.string())
        return pyarrow.table(
            {"number": self.numbers, "text": pyarrow.array(self.texts, pyarrow.string()), "fault": faults}
        )


def format_of(path: str, form_name: str | None) -> str:
    """Return the format of a file: what is given, or by its ending. Raise UnusableFile if neither tells."""
    if form_name is not None:
        return form_name
    if path == "-":
        return "jsonl"
    name = Path(path)
    ending = (name.with_suffix("") if name.suffix in _COMPRESSED else name).suffix.lower()
    form = (_ENDINGS | _ENDINGS_OF_TABLES).get(ending)
    if form is None and name.is_dir():
        raise UnusableFile(path, "it is a directory", hint=f"give the files in it, as '{name / '*.jsonl'}'")
    if form is None:
        raise UnusableFile(path, "its ending tells no format", hint=f"say --format {'|'.join(FORMATS)}")
    return form


def lines_of(path: str) -> Iterator[Lines]:
    """Yield the lines of a file in batches, without empty ones. Raise OSError if it cannot be read."""
    number, read = 0, 0
    for batch in bytes_of(path):
        read += len(batch) + 1
        yield lines_in(batch, number + 1, read)
        number += batch.count(b"\n") + 1


def bytes_of(path: str) -> Iterator[bytes]:
    """Yield the content of a file in batches of whole lines, each without its last line feed; of a line that is too
    long, no more than is needed to see this. Raise OSError if it cannot be read."""
    with _opened(path) as stream:
        rest = b""
        while chunk := stream.read(_CHUNK):
            head, newline, tail = chunk.rpartition(b"\n")
            if not newline:
                rest = (rest + chunk)[: 4 * MAX_LINE + 4]
                continue
            yield rest + head
            rest = tail
        if rest:
            yield rest


def contains(path: str, byte: bytes) -> bool:
    """Return whether a byte occurs in a file, unpacked if it is compressed. Raise OSError if it cannot be read."""
    with _opened(path) as stream:
        while chunk := stream.read(_CHUNK):
            if byte in chunk:
                return True
    return False


def not_text(line: bytes) -> str | None:
    """Return why a line is no text in UTF-8; None if it is."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"byte 0x{line[error.start]:02x} is not UTF-8 text"
    return None


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


def lines_in(content: bytes, first: int, read: int = 0) -> Lines:
    """Return the lines of a part of a file, of which the first has a number; without empty ones."""
    try:
        texts: list[str] = content.decode("utf-8").split("\n")
        faults: list[str | None] = [None] * len(texts)
    except UnicodeDecodeError:
        texts, faults = [], []
        for line in content.split(b"\n"):
            texts.append(line.decode("utf-8", "replace"))
            faults.append(not_text(line))
    numbers = list(range(first, first + len(texts)))
    for position, text in enumerate(texts):
        if len(text) > MAX_LINE:
            texts[position], faults[position] = "", TOO_LONG
    if first == 1 and texts[0].startswith("\ufeff"):
        texts[0] = texts[0][1:]
    if any(not text.strip(_BLANKS) for text in texts):
        chosen = [place for place, text in enumerate(texts) if text.strip(_BLANKS) or faults[place]]
        numbers, texts = [numbers[place] for place in chosen], [texts[place] for place in chosen]
        faults = [faults[place] for place in chosen]
    return Lines(numbers, texts, faults, read)
