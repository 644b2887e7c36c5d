"""Running command lines in a fork of this process, with bounds on time and memory; no interpreter starts for each.

A worker runs many, one after the other, until one of them ends as none should, or takes much memory.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import resource
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

RAISED = 99
"""The exit code when something was raised that nobody explained."""

Line = tuple[str, ...]
Main = Callable[[Line], int]

_CONTEXT = get_context("fork")
_ADDRESSES = 4 * 2**30
"""Bytes of address space beyond those that this process has, so that this machine survives what is attacked."""

_MOST_RUNS = 200
_SHOWN = 2**22
"""Of what a run writes no more is read."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: its exit code (None if it took too long), the memory of its process, the seconds that it
    computed, and what it wrote."""

    code: int | None
    kilobytes: int
    seconds: float
    output: str
    errors: str


class Workers:
    """A worker of a process of its own, forked when this one has no threads, for a fork of threads can hang."""

    def __init__(self, main: Main) -> None:
        self._connection, worker_end = _CONTEXT.Pipe()
        if os.fork() == 0:
            self._connection.close()
            _manage(main, worker_end)
        worker_end.close()

    def run(self, line: Line, directory: Path, seconds: float) -> Ended:
        """What becomes of a command line in a directory, with nothing on its standard input."""
        self._connection.send((line, directory, seconds))
        ended = self._connection.recv()
        assert isinstance(ended, Ended)
        return ended

    def renew(self) -> None:
        """Whatever runs next runs in a fresh process."""
        self._connection.send(None)


def _manage(main: Main, connection: Connection) -> None:
    worker = _Worker(main)
    try:
        while True:
            request = connection.recv()
            if request is None:
                worker.end()
            else:
                connection.send(worker.run(*request))
    except EOFError:
        worker.end()
    finally:
        os._exit(0)


class _Worker:
    """Runs command lines by a function that returns an exit code."""

    def __init__(self, main: Main) -> None:
        self._main = main
        self._process: Any = None
        self._connection: Connection | None = None
        self.runs = 0

    def run(self, line: Line, directory: Path, seconds: float) -> Ended:
        """What becomes of a command line in a directory, with nothing on its standard input."""
        if self._connection is None or self.runs >= _MOST_RUNS:
            self.renew()
        assert self._connection is not None
        self.runs += 1
        try:
            self._connection.send((line, str(directory), seconds))
            in_time = self._connection.poll(seconds)
            code, kilobytes, spent = self._connection.recv() if in_time else (None, 0, seconds)
        except (EOFError, OSError):
            self._process.join()
            code, kilobytes, spent = self._process.exitcode, 0, 0.0
        if kilobytes == 0:
            self.end()
        return Ended(code, kilobytes, spent, _read(directory / ".stdout"), _read(directory / ".stderr"))

    def renew(self) -> None:
        """End the process; start another."""
        self.end()
        self._connection, connection = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(self._main, connection, self._connection), daemon=True)
        gc.collect()
        gc.freeze()  # what is never looked at stays shared
        self._process.start()
        gc.unfreeze()
        connection.close()
        self.runs = 0

    def end(self) -> None:
        """End the process."""
        if self._connection is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._connection = None


def _serve(main: Main, connection: Connection, others: Connection) -> None:
    others.close()
    size = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + _ADDRESSES, size + _ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            line, directory, seconds = connection.recv()
        except EOFError:
            os._exit(0)
        before = resource.getrusage(resource.RUSAGE_SELF)
        code = _once(main, line, Path(directory), seconds)
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        connection.send((code, after.ru_maxrss, spent))


def _once(main: Main, line: Line, directory: Path, seconds: float) -> int:
    os.chdir(directory)
    for name, number, flags in (
        (os.devnull, 0, os.O_RDONLY),
        (".stdout", 1, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (".stderr", 2, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        opened = os.open(name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    # Python's own streams may be those of a test runner.
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - until the next run
        for number, mode in enumerate("rww")
    )
    faulthandler.dump_traceback_later(0.9 * seconds, file=sys.stderr)  # where it is when it takes too long
    code = RAISED
    try:
        code = main(line)
    except BaseException:
        traceback.print_exc()
    faulthandler.cancel_dump_traceback_later()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = RAISED
    return code


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_SHOWN).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
