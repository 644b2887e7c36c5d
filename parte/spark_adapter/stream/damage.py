"""A damaged checkpoint or output: the file and the remedy are reported before Spark fails with its own message.

Spark keeps logs of numbered files: a version in the first line, then JSON, a line each. This module reads those that
Spark reads when a query starts: the last plan and the last commit, and of a log of files the entries since it was
compacted. Only Spark can read its state. If it reports an error of the state without the file, this module searches
for a file that is empty, or that differs from its checksum.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from parte.spark_adapter.errors import cause_of
from parte.spark_adapter.stream.checkpoint import CheckpointError
from parte.spark_adapter.stream.places import join, names_in, place_of, read

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_VERSION: Final = re.compile(r"v\d+")
_NOTE: Final = re.compile(r"(\d+)(\.compact)?")
_NOTHING: Final = "-"
_STATE: Final = "STATE_STORE"
"""The common part of the names of Spark's errors about its state."""
_MOST_NAMED: Final = 3

ADVICE: Final = (
    "put the file back from a copy of the checkpoint and its output that were made together, or take another "
    "checkpoint and output directory and read the source anew"
)


def check_logs(spark: SparkSession, query: str, out: str) -> None:
    """Raise CheckpointError for a damaged file below the checkpoint of a query, or in the log of its output."""
    about = join(query, "metadata")
    text = _content(spark, about)
    if text is not None and not (_is_json(text) and "id" in json.loads(text)):
        raise _damaged(about, text)
    for log in ("offsets", "commits"):
        for path in list(_since_compacted(spark, join(query, log)))[-1:]:
            _check_note(spark, path)
    for source in names_in(spark, join(query, "sources")):
        if source.isdecimal():
            for path in _since_compacted(spark, join(query, "sources", source)):
                _check_note(spark, path)
    for path in _since_compacted(spark, join(out, "_spark_metadata")):
        _check_note(spark, path)


def explained(spark: SparkSession, problem: BaseException, query: str) -> str:
    """Return why a query failed; if it could not read its state, with the damaged files and the remedy."""
    cause = cause_of(problem)
    if _STATE not in str(problem):
        return cause
    state = join(query, "state")
    broken = list(islice(_broken(spark, state), _MOST_NAMED))
    where = ", ".join(broken) or f"{state} (no file of it is empty or differs from its checksum)"
    return f"{where}: the state of the stream is damaged: {cause}; {ADVICE}"


def _broken(spark: SparkSession, directory: str) -> Iterator[str]:
    """Yield the files below a directory that are empty, or differ from their checksums."""
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]  # py4j has no stubs

    java, place, files = place_of(spark, directory)
    if not files.exists(place):
        yield directory
        return
    statuses = files.listFiles(place, True)
    while statuses.hasNext():
        status = statuses.next()
        if status.getLen() == 0:
            yield str(status.getPath())
            continue
        stream = files.open(status.getPath())
        try:
            stream.transferTo(java.java.io.OutputStream.nullOutputStream())
        except Py4JJavaError:
            yield str(status.getPath())
        finally:
            stream.close()


def _since_compacted(spark: SparkSession, log: str) -> Iterator[str]:
    """Yield the files of a log, in their order, from the last compacted one on."""
    notes = sorted((int(note[1]), note[0]) for name in names_in(spark, log) if (note := _NOTE.fullmatch(name)))
    first = max((number for number, name in notes if name.endswith(".compact")), default=-1)
    yield from (join(log, name) for number, name in notes if number >= first)


def _check_note(spark: SparkSession, path: str) -> None:
    text = _content(spark, path) or ""
    version, _, rest = text.partition("\n")
    if not _VERSION.fullmatch(version) or not all(line == _NOTHING or _is_json(line) for line in rest.splitlines()):
        raise _damaged(path, text)


def _content(spark: SparkSession, path: str) -> str | None:
    from py4j.protocol import Py4JJavaError

    try:
        return read(spark, path)
    except Py4JJavaError as problem:
        raise CheckpointError(f"{path}: this file of Spark cannot be read: {cause_of(problem)}; {ADVICE}") from None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _damaged(path: str, text: str) -> CheckpointError:
    return CheckpointError(f"{path}: expected a log of Spark, found {text[:100]!r}: the file is damaged; {ADVICE}")
