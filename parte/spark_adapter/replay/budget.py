"""What one trace may take: seconds and memory, taken away from work that goes on for longer or grows larger.

Time is a timer of the operating system whose signal raises an exception between two steps of the interpreter. That
reaches any pure Python, also in the middle of an evaluator that knows nothing of budgets; a single call into C is
waited for. It needs the main thread, in which Spark's workers and process pools run their tasks. Memory is the address
space that the process may add (RLIMIT_AS, on Linux): what asks for more gets a MemoryError.
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

_AGAIN = 0.05  # seconds between signals: one that is raised inside a destructor is swallowed, and the next one is not
_STATM = Path("/proc/self/statm")


class OverBudget(BaseException):
    """The time of a trace is up. No Exception, so that nothing on the way takes it for a mistake of its own."""


class Unbudgeted(RuntimeError):
    """A budget of time was asked for where no timer can be set."""


def within(seconds: float, mebibytes: int, work: Callable[[], T]) -> T:
    """What `work` returns. OverBudget after `seconds`, MemoryError beyond `mebibytes` more than there are now.

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
        # Never in this function itself, which must undo what it does; deeper frames there are while the work goes on.
        # Nor in the hook for what destructors raise, from where nothing comes out.
        if armed and frame is not here and not (frame and frame.f_code is lost.__code__):
            raise OverBudget

    def lost(unraisable: sys.UnraisableHookArgs) -> None:
        # A destructor swallowed the cut, which comes again: nothing to report, and no report to be cut in its middle.
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
        if collecting:  # the work may have been left between switching the collector off and the block that undoes it
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
