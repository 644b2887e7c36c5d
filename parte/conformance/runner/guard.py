"""A process that ends what is left of others when this one has ended, however that came about: after kill -9 nobody
here can.

It reads from a pipe whose other end only this process holds. At the end of it, it kills whatever carries a token in its
environment, and the process groups that it was told of, where the system shows no environments. It is run as a script,
and needs nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_LOOK: Final = 0.05
_HUNTING_SECONDS: Final = 2.0


class _Guard:
    """The guard of this process, begun with the first token; a forked process has one of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._pipe = -1

    def tell(self, line: str) -> None:
        """Say something to the guard. Without one, which some systems cannot start, nothing is guarded."""
        with self._lock, contextlib.suppress(OSError, NotImplementedError):
            if self._owner != os.getpid():
                self._pipe = _started()
                self._owner = os.getpid()
            os.write(self._pipe, f"{line}\n".encode("ascii"))


_GUARD = _Guard()


def watch(token: str, group: int = 0, *, grace: float = 0.0) -> None:
    """After this process, end what carries the token as the value of a variable, and a process group, if one is named.

    With `grace` they are asked to end, and have so many seconds for it.
    """
    _GUARD.tell(f"{token} {group} {grace}")


def forget(token: str) -> None:
    """What carried the token has ended, or may go on."""
    _GUARD.tell(token)


def kill_by_token(token: str) -> None:
    """Kill what carries the token in its environment: children that began a session of their own.

    Repeated until none is found, for one of them may be forking, but not without end.
    """
    deadline = time.monotonic() + _HUNTING_SECONDS
    while time.monotonic() < deadline:
        found = _carrying([token])
        if not found:
            return
        _signal(found, signal.SIGKILL)


def _started() -> int:
    """Start the guard: the end of the pipe that keeps it waiting, which no child inherits."""
    read, write = os.pipe()
    try:
        # Its own process group: Ctrl-C on a terminal is not for it. It must not hold the streams of this process open,
        # and none of the variables by which a runner further out finds what belongs to it.
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", __file__],
            {name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, read, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setpgroup=0,
        )
    finally:
        os.close(read)
    return write


def _carrying(tokens: Iterable[str]) -> list[int]:
    """The processes that carry one of the tokens, but for this one."""
    wanted = tuple(f"={token}".encode() for token in tokens)
    return [
        pid for pid in _processes() if pid != os.getpid() and any(entry.endswith(wanted) for entry in _environment(pid))
    ]


def _processes() -> list[int]:
    proc = Path("/proc")
    return [int(path.name) for path in proc.iterdir() if path.name.isdigit()] if proc.is_dir() else []


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _signal(processes: Iterable[int], number: int) -> None:
    for pid in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _main() -> None:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    watched: dict[str, tuple[int, float]] = {}
    for line in sys.stdin:
        token, *told = line.split()
        if told:
            watched[token] = (int(told[0]), float(told[1]))
        else:
            watched.pop(token, None)
    patient = [token for token, (_, grace) in watched.items() if grace]
    _end({token: group for token, (group, _) in watched.items() if token not in patient})
    deadline = time.monotonic() + max((watched[token][1] for token in patient), default=0.0)
    _signal(_carrying(patient), signal.SIGTERM)
    while _carrying(patient) and time.monotonic() < deadline:
        time.sleep(_LOOK)
    _end({token: watched[token][0] for token in patient})


def _end(watched: dict[str, int]) -> None:
    for token, group in watched.items():
        if group > 1:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        kill_by_token(token)


if __name__ == "__main__":
    _main()
