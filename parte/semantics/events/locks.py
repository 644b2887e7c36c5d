"""Locks on directories: while a run writes to a directory and reads from it, no other process uses it.

The operating system holds the lock, not the file: after `kill -9` the file may remain, but is not locked.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Final

from parte.semantics.events.files import make_directory, refuse_links, through_no_link

try:
    import fcntl
except ImportError:  # without POSIX there are no locks
    fcntl = None  # type: ignore[assignment] # the module is missing

LOCK: Final = ".parte.lock"
"""The name of the lock file; Spark and globs ignore names that begin with a dot."""
_UNLOCKABLE: Final = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)
"""The errors of file systems that have no locks."""
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LOOK: Final = 0.05
_MOST_SHOWN: Final = 200


class InUse(OSError):
    """Another process uses the directory; the message names it."""

    def __init__(self, directory: str, holder: str) -> None:
        super().__init__(errno.EWOULDBLOCK, f"another run uses it: {holder}", directory)

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}; wait for it, or name another directory"


@contextmanager
def held(directory: str | PathLike[str], *, patience: float = 0.0) -> Iterator[None]:
    """Lock the directory for this process inside this context; make it if there is none.

    Raise InUse if another process uses it for longer than `patience` seconds; another OSError if it cannot be made, or
    if its path contains a symbolic link, through which files elsewhere would be written. A directory that is named by
    the scheme of a file system, as for Spark, is not locked.
    """
    if fcntl is None or _SCHEME.match(os.fspath(directory)):
        yield
        return
    make_directory(directory)
    refuse_links(directory)
    path, deadline = Path(directory, LOCK), time.monotonic() + patience
    while (file := _taken(path)) is None:
        if time.monotonic() >= deadline:
            raise InUse(os.fspath(directory), _holder(path))
        time.sleep(_LOOK)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()  # a waiting process sees that the file is gone, and makes a new one
        os.close(file)


def _taken(path: Path) -> int | None:
    """Return the file that is now locked, or None if another process has the lock."""
    file = through_no_link(os.fspath(path), os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is(path, file):
            os.close(file)
            return None
    except OSError as problem:
        if problem.errno not in _UNLOCKABLE:
            os.close(file)
            if isinstance(problem, BlockingIOError):
                return None
            raise
    os.ftruncate(file, 0)
    os.write(file, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
    return file


def _is(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def _holder(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_SHOWN).strip() or "one that does not say which"
    except OSError:
        return "one that has just ended"
