"""Signals that end a command: Ctrl-C, a request to end, a terminal that was closed. All three take one path.

Each is a KeyboardInterrupt, so that all that is open is closed on the way, and the exit code says which one it was, as
shells have it. Nothing heavy is imported here: a command must be interruptible while it still imports.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from types import FrameType
from typing import Final, NoReturn

SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
INTERRUPTED: Final = 128 + signal.SIGINT
"""The exit code after Ctrl-C, as shells have it."""
PATIENCE: Final = 5.0
"""Seconds after a signal at which the process ends, whatever it is doing."""
_FAREWELL: Final = 3.0

_first: int | None = None


def install() -> None:
    """Take the signals, but for those that whoever called has switched off, as `nohup` does."""
    sys.unraisablehook = _not_lost
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _interrupt)


def _not_lost(unraisable: sys.UnraisableHookArgs) -> None:
    """An interruption within a destructor, of which imports and the solver's terms have many, would be printed and
    forgotten: it comes anew a moment later."""
    # ctypes, by which the solver's terms are given back, wraps what comes while it converts an argument.
    wrapped = unraisable.exc_type.__name__ == "ArgumentError" and "KeyboardInterrupt" in str(unraisable.exc_value)
    if issubclass(unraisable.exc_type, KeyboardInterrupt) or wrapped:
        again = Timer(0.01, _thread.interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


@contextmanager
def unreported(kind: type[BaseException]) -> Iterator[None]:
    """Report nothing where a destructor swallows an exception that stops a piece of work, and that will come again."""
    usual = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        # What stops the work may come here, too, from where nothing gets out.
        with suppress(kind):
            if not issubclass(unraisable.exc_type, kind):
                usual(unraisable)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = usual


def came(number: int) -> None:
    """Remember that a signal came; the first one is what the exit code tells."""
    global _first
    _first = _first or number


def has_come() -> bool:
    """Whether a signal came."""
    return _first is not None


def exit_code() -> int:
    """The exit code of a command that was interrupted."""
    return 128 + (_first or signal.SIGINT)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    if _first is None:
        end_within(PATIENCE, 128 + number)
    came(number)
    raise KeyboardInterrupt


def end_within(seconds: float, code: int) -> None:
    """End the process after that time if it has not ended by itself: a thread may be in a library and never return."""
    timer = Timer(seconds, _leave, (code,))
    timer.daemon = True
    timer.start()


def _leave(code: int) -> None:
    """End the process at once, but for the directories that it made for what does not fit memory."""
    try:
        if (scratch := sys.modules.get("parte.semantics.source.scratch")) is not None:
            scratch.remove_all()
    finally:
        os._exit(code)


def end() -> NoReturn:
    """End a command that was interrupted, with the exit code for it.

    Python's own way waits for threads that may never return, and says Ctrl-C for any signal that came while it was in
    code that is made from text, as dataclasses are.
    """
    code = exit_code()
    for number in SIGNALS:  # there is nothing left to be closed: one more ends the process
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    end_within(_FAREWELL, code)
    try:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        os._exit(code)
