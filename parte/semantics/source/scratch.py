"""Directories for temporary files of this process, removed when it ends.

A process that ends at once, because a library does not return, removes them by `remove_all`. Only SIGKILL leaves them.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from typing import Final

_made: Final[dict[str, int]] = {}
"""The directories that are there, and the process that made each: a fork leaves those of its parent alone."""


def scratch_directory(prefix: str) -> str | None:
    """A new directory that only this user can read; None if there is no place for one."""
    try:
        made = tempfile.mkdtemp(prefix=prefix)
    except OSError:
        return None
    _made[made] = os.getpid()
    return made


def remove(directory: str) -> None:
    """Remove a directory of this process, with all that is in it."""
    if _made.get(directory) == os.getpid():
        del _made[directory]
        shutil.rmtree(directory, ignore_errors=True)


def remove_all() -> None:
    """Remove all directories of this process."""
    for directory in list(_made):
        remove(directory)


atexit.register(remove_all)
