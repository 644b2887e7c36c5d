"""What a kill leaves between two of Spark's logs: files that it noted for a batch, and no plan of that batch.

The source of files notes which of them are to be read next, then Spark writes down the batch. Of a driver that is
killed in between, the next one finds the note, adds to it what it finds unread itself, and reads both as one batch. No
event is lost so, but batches differ from those of a run that nobody disturbed, and with them which events are late. So
before a query starts, notes for which there is no batch are taken back: the files are unread again, and are noted anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from parte.spark_adapter.stream.places import join, names_in, read, remove

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NUMBERED: Final = re.compile(r"(\d+)(\.compact)?")
_NOTHING: Final = "-"
"""How a plan says that a batch reads nothing of a source so far."""
_HEADER: Final = 2
"""Lines of a plan before those of the sources: its version, and what holds for all of them."""


def take_back_unplanned(spark: SparkSession, query: str) -> tuple[str, ...]:
    """Remove the notes of files, below the checkpoint of a query, for which no batch was planned; their paths.

    No other driver may run the query. Sources of other kinds note nothing before a plan but where they began, which
    stays.
    """
    planned = _planned(spark, join(query, "offsets"))
    removed: list[str] = []
    for source in names_in(spark, join(query, "sources")):
        if not source.isdecimal():
            continue
        position = int(source)
        end = _end(planned[position] if position < len(planned) else _NOTHING)
        if end is None:
            continue
        for number, path in _notes(spark, join(query, "sources", source)):
            if number > end and _is_of_files(read(spark, path) or ""):
                remove(spark, path)
                removed.append(path)
    return tuple(removed)


def _planned(spark: SparkSession, offsets: str) -> list[str]:
    """How far the last batch that was planned reads each source; nothing if there was none."""
    plans = list(_notes(spark, offsets))
    if not plans:
        return []
    _, path = max(plans)
    return (read(spark, path) or "").splitlines()[_HEADER:]


def _end(offset: str) -> int | None:
    """The last note that a plan reads, -1 if it reads none; None for a source that is not one of files."""
    if offset == _NOTHING:
        return -1
    try:
        found = json.loads(offset)
    except ValueError:
        return None
    number = found.get("logOffset") if isinstance(found, dict) else None
    return number if isinstance(number, int) else None


def _notes(spark: SparkSession, log: str) -> Iterator[tuple[int, str]]:
    """The entries of one of Spark's logs, by number."""
    for name in names_in(spark, log):
        if found := _NUMBERED.fullmatch(name):
            yield int(found[1]), join(log, name)


def _is_of_files(note: str) -> bool:
    _version, _, files = note.partition("\n")
    return files.startswith('{"path":')
