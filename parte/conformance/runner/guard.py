"""A process that ends the remaining processes of another one after that has ended in any way, even by kill -9.

It reads from a pipe whose other end only the guarded process holds. At the end of the pipe it kills every process that
carries one of the tokens in its environment, and, for systems that do not show environments, the listed process groups.
It is run as a script, and needs only the standard library.
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
    """The guard of this process, started with the first token; a forked process has one of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._pipe = -1

    def tell(self, line: str) -> None:
        """Send a line to the guard. If no guard can be started on this system, nothing is guarded."""
        with self._lock, contextlib.suppress(OSError, NotImplementedError):
            if self._owner != os.getpid():
                self._pipe = _started()
                self._owner = os.getpid()
            os.write(self._pipe, f"{line}\n".encode("ascii"))


_GUARD = _Guard()


def watch(token: str, group: int = 0, *, grace: float = 0.0) -> None:
    """After this process, end the processes with the token as the value of a variable, and a process group, if named.

    With `grace` they get a signal to end, and this number of seconds for it.
    """
    _GUARD.tell(f"{token} {group} {grace}")


def forget(token: str) -> None:
    """Forget a token: its processes have ended, or may continue."""
    _GUARD.tell(token)


def kill_by_token(token: str) -> None:
    """Kill the processes with the token in their environment: children that began a session of their own.

    Repeated until none is found, since one of them may be forking, but only for a limited time.
    """
    deadline = time.monotonic() + _HUNTING_SECONDS
    while time.monotonic() < deadline:
        processes = _carrying([token])
        if not processes:
            return
        _signal(processes, signal.SIGKILL)


def _started() -> int:
    """Start the guard and return the end of the pipe that keeps it waiting, which no child inherits."""
    read, write = os.pipe()
    try:
        # In its own process group it gets no Ctrl-C from a terminal. It must not keep the streams of this process open,
        # nor inherit the variables by which an outer runner finds its processes.
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
    """Return the processes that carry one of the tokens, except this one."""
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
        token, *rest = line.split()
        if rest:
            watched[token] = (int(rest[0]), float(rest[1]))
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
