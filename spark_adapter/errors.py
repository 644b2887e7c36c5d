"""What can be wrong with the machine, or with what the functions of this package are given."""

from __future__ import annotations

import re

from parte.semantics.source.packages import Unavailable

_OURS = re.compile(r"(?:BoundExceeded|StateError): (.+)")
_FILE = re.compile(r"\[FAILED_READ_FILE[\w.]*\] Encountered error while reading file (\S+?)\.?(?:\s|$)")
_JAVA = re.compile(r"^:? *(?:Caused by: )?[a-z][\w.$]*(?:Exception|Error): (.+)", re.MULTILINE)
_PYTHON = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)", re.MULTILINE)


class SparkUnavailable(Unavailable, RuntimeError):
    """Spark cannot be started on this machine. The message says what was looked for."""

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}"


class Unusable(ValueError):
    """An option, a table or a directory that cannot be used; the message says what was expected and what was found."""


def cause_of(problem: BaseException) -> str:
    """Why Spark failed, in one line: what this package said, else the Python worker, else Spark itself."""
    text = str(problem)
    if (unread := _FILE.search(text)) is not None:
        return f"{unread[1]}: the file is damaged or no Parquet: write it again, or put a whole copy in its place"
    for pattern in (_OURS, _PYTHON, _JAVA):
        found = pattern.search(text)
        if found is not None:
            return found[1].strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else type(problem).__name__
