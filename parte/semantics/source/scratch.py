"""Temporary directories of this process, removed when it ends.

A process that must end at once, because a library does not return, removes them by `remove_all`. Only SIGKILL leaves
them behind.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from typing import Final

_owners: Final[dict[str, int]] = {}
"""The existing directories, and the process that made each: a fork does not remove those of its parent."""


def scratch_directory(prefix: str) -> str | None:
    """Make a directory that only this user can read and return its path; None if there is no place for one."""
    try:
        directory = tempfile.mkdtemp(prefix=prefix)
    except OSError:
        return None
    _owners[directory] = os.getpid()
    return directory


def remove(directory: str) -> None:
    """Remove a directory of this process, with its content."""
    if _owners.get(directory) == os.getpid():
        del _owners[directory]
        shutil.rmtree(directory, ignore_errors=True)


def remove_all() -> None:
    """Remove all directories of this process."""
    for directory in list(_owners):
        remove(directory)


atexit.register(remove_all)
