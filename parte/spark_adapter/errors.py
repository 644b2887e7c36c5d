"""Errors of the machine, and of the arguments of this package's functions."""

from __future__ import annotations

import re

from parte.semantics.source.packages import Unavailable

_OURS = re.compile(r"(?:BoundExceeded|StateError): (.+)")
_FILE = re.compile(r"\[FAILED_READ_FILE[\w.]*\] Encountered error while reading file (\S+?)\.?(?:\s|$)")
_TARGETS = (
    re.compile(r"Task failed while writing rows to (\S+?)\.?(?:\s|$)"),
    re.compile(r"(?:Mkdirs failed to create|Parent path is not a directory:) (\S+)"),
    re.compile(r"(\S+) \((?:No space left on device|Disk quota exceeded|Read-only file system|File too large)\)"),
)
"""The parts of Spark's messages that name a file that it cannot write."""
_WRITE_REASONS = {
    "No space left on device": ("the disk is full", "make room, or name a directory on another disk"),
    "Disk quota exceeded": ("the quota of the disk is used up", "make room, or name a directory on another disk"),
    "File too large": ("a file would be larger than is allowed", "raise the limit (`ulimit -f`), or name another disk"),
    "Read-only file system": ("the disk is read-only", "name a directory that can be written to"),
    "Parent path is not a directory": ("it is not a directory", "name a directory, or a place where one can be made"),
    "Mkdirs failed to create": (
        "the directory cannot be made: the disk may be full or read-only, or you may not write there",
        "name a directory that can be written to",
    ),
}
"""The meaning of an error of the system, and the remedy; the more exact ones first."""
_TEMPORARY = "/_temporary/"
_ELSEWHERE = "a disk that Spark writes to (the output, or the directory of spark.local.dir)"
_JAVA = re.compile(r"^:? *(?:Caused by: )?[a-z][\w.$]*(?:Exception|Error): (.+)", re.MULTILINE)
_PYTHON = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)", re.MULTILINE)


class SparkUnavailable(Unavailable, RuntimeError):
    """Spark cannot be started on this machine. The message lists the places that were searched."""

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}"


class Unusable(ValueError):
    """An option, a table or a directory that cannot be used; the message says what was expected and what was found."""


def cause_of(problem: BaseException) -> str:
    """Return why Spark failed, in one line: the message of this package, else of the Python worker, else of Spark
    itself."""
    text = str(problem)
    if (unread := _FILE.search(text)) is not None:
        return f"{unread[1]}: the file is damaged or no Parquet: write it again, or put a whole copy in its place"
    if _OURS.search(text) is None and (unwritten := _unwritten(text)):
        return unwritten
    for pattern in (_OURS, _PYTHON, _JAVA):
        match = pattern.search(text)
        if match is not None:
            return match[1].strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else type(problem).__name__


def _unwritten(text: str) -> str:
    """Return which file Spark cannot write, why, and the remedy; empty if the error has another cause."""
    for words, (reason, advice) in _WRITE_REASONS.items():
        if words in text:
            named = next((match[1] for pattern in _TARGETS if (match := pattern.search(text)) is not None), "")
            # Local files are named with their scheme, and below a directory that Spark will have removed.
            place = named.partition(_TEMPORARY)[0].removeprefix("file:")
            return f"cannot write {place or _ELSEWHERE}: {reason}: {advice}"
    return ""
