"""The budget of one trace: seconds and memory, after which its work is interrupted.

Time is a timer of the operating system whose signal raises an exception between two steps of the interpreter. That
interrupts any pure Python, also an evaluator without support for budgets; a single call into C is not interrupted. It
needs the main thread, in which Spark's workers and process pools run their tasks. Memory is the address space that the
process may add (RLIMIT_AS, on Linux): an allocation beyond it raises MemoryError.
"""

from __future__ import annotations

import gc
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

_AGAIN = 0.05  # seconds between signals: a destructor swallows the exception of one signal, and not that of the next
_STATM = Path("/proc/self/statm")


class OverBudget(BaseException):
    """The time of a trace is up. Not an Exception, so that no handler on the way catches it as an error of its own."""


class Unbudgeted(RuntimeError):
    """A budget of time was requested in a thread that cannot set a timer."""


def within(seconds: float, mebibytes: int, work: Callable[[], T]) -> T:
    """Return the result of `work`. OverBudget after `seconds`, MemoryError beyond `mebibytes` more than at the start.

    Zero is no limit. Unbudgeted if there is a limit of time and this is not the main thread.
    """
    with _memory(mebibytes):
        return work() if seconds <= 0 else _timed(seconds, work)


def _timed(seconds: float, work: Callable[[], T]) -> T:
    if threading.current_thread() is not threading.main_thread():
        raise Unbudgeted("a budget of time needs the main thread of the process")
    here = sys._getframe()
    armed = True

    def ring(_signal: int, frame: FrameType | None) -> None:
        # Never in this function itself, which must restore the settings; during the work there are deeper frames.
        # Nor in the hook for exceptions of destructors, which discards an exception.
        if armed and frame is not here and not (frame and frame.f_code is lost.__code__):
            raise OverBudget

    def lost(unraisable: sys.UnraisableHookArgs) -> None:
        # A destructor swallowed the exception, which is raised again: do not report it.
        if not isinstance(unraisable.exc_value, OverBudget):
            reporting(unraisable)

    reporting, sys.unraisablehook = sys.unraisablehook, lost
    before = signal.signal(signal.SIGALRM, ring)
    collecting = gc.isenabled()
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
        return work()
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = reporting
        if collecting:  # the exception may have come while the work had switched the collector off
            gc.enable()


@contextmanager
def _memory(mebibytes: int) -> Iterator[None]:
    if mebibytes <= 0 or not _STATM.exists():
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(_STATM.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    wanted = used + mebibytes * 2**20
    known = [limit for limit in (soft, hard, wanted) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(known), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
