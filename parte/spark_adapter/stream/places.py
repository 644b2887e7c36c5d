"""Files on any path of Spark, through Spark's own file systems, so that every scheme that it reads works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from parte.semantics.events.files import too_large

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


MAX_FILE: Final = 2**28
"""Bytes of a file that is read whole: the log of a source names every file that it has read."""


def join(*parts: str) -> str:
    """Return a path below another, in any file system."""
    return "/".join([part.rstrip("/") for part in parts])


def place_of(spark: SparkSession, path: str) -> tuple[Any, Any, Any]:
    """Return the Java gateway of a session, a path and its file system: Spark's own, so that any scheme works."""
    java: Any = spark._jvm
    place = java.org.apache.hadoop.fs.Path(path)
    configuration = spark._jsparkSession.sessionState().newHadoopConf()
    return java, place, place.getFileSystem(configuration)


def qualified(spark: SparkSession, path: str) -> str:
    """Return a path with its scheme, from the root."""
    _, place, files = place_of(spark, path)
    return str(files.makeQualified(place).toString())


def names_in(spark: SparkSession, path: str) -> list[str]:
    """Return the names of the entries of a directory, in order; none if there is no directory."""
    _, place, files = place_of(spark, path)
    return sorted(status.getPath().getName() for status in files.listStatus(place)) if files.exists(place) else []


def numbered(spark: SparkSession, path: str) -> bool:
    """Return whether a directory of a log of Spark has an entry for some batch."""
    return any(name[:1].isdigit() for name in names_in(spark, path))


def mkdirs(spark: SparkSession, path: str) -> None:
    """Create a directory if it does not exist."""
    _, place, files = place_of(spark, path)
    files.mkdirs(place)


def read(spark: SparkSession, path: str) -> str | None:
    """Return the text of a file; None if it does not exist. OSError if it is longer than `MAX_FILE`."""
    _, place, files = place_of(spark, path)
    if not files.exists(place):
        return None
    stream = files.open(place)
    try:
        content = bytes(stream.readNBytes(MAX_FILE + 1))
    finally:
        stream.close()
    if len(content) > MAX_FILE:
        raise too_large(path, MAX_FILE)
    return content.decode("utf-8", errors="replace")


def remove(spark: SparkSession, path: str) -> None:
    """Remove a file."""
    _, place, files = place_of(spark, path)
    if not files.delete(place, False) and files.exists(place):
        raise OSError(f"{path} cannot be removed")


def write(spark: SparkSession, path: str, text: str) -> None:
    """Write a file completely or not at all; an existing file stays unchanged."""
    java, place, files = place_of(spark, path)
    if files.exists(place):
        return
    draft = java.org.apache.hadoop.fs.Path(place.getParent(), f"_{place.getName()}.draft")
    stream = files.create(draft, True)
    try:
        stream.write(text.encode("utf-8"))
    finally:
        stream.close()
    if not files.rename(draft, place) and not files.exists(place):
        raise OSError(f"{path} cannot be written")
