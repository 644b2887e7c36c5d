"""The inconsistency of two of Spark's logs after a kill: files that are noted for a batch that was never planned.

The source of files notes which of them are to be read next, then Spark writes the plan of the batch. If a driver is
killed in between, the next one finds the note, adds the unread files that it finds itself, and reads both as one batch.
No event is lost, but batches differ from those of an undisturbed run, and with them which events are late. So before a
query starts, notes without a batch are removed: the files are unread again, and are noted again.
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
"""The entry of a plan for a source from which a batch has read nothing so far."""
_HEADER: Final = 2
"""Lines of a plan before those of the sources: its version, and settings for all of them."""


def take_back_unplanned(spark: SparkSession, query: str) -> tuple[str, ...]:
    """Remove the notes of files, below the checkpoint of a query, for which no batch was planned, and return their
    paths.

    No other driver may run the query. Sources of other kinds note only their start before a plan, which is kept.
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
    """Return the position in each source after the last planned batch; empty if there was none."""
    plans = list(_notes(spark, offsets))
    if not plans:
        return []
    _, path = max(plans)
    return (read(spark, path) or "").splitlines()[_HEADER:]


def _end(offset: str) -> int | None:
    """Return the last note that a plan reads, -1 if it reads none; None for a source that is not one of files."""
    if offset == _NOTHING:
        return -1
    try:
        position = json.loads(offset)
    except ValueError:
        return None
    number = position.get("logOffset") if isinstance(position, dict) else None
    return number if isinstance(number, int) else None


def _notes(spark: SparkSession, log: str) -> Iterator[tuple[int, str]]:
    """Yield the entries of one of Spark's logs, by number."""
    for name in names_in(spark, log):
        if entry := _NUMBERED.fullmatch(name):
            yield int(entry[1]), join(log, name)


def _is_of_files(note: str) -> bool:
    _version, _, files = note.partition("\n")
    return files.startswith('{"path":')
