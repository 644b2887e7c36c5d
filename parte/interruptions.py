"""Signals that end a command: Ctrl-C, a request to end, a closed terminal. All three are handled in the same way.

Each becomes a KeyboardInterrupt, so that everything open is closed on the way. The exit code identifies the signal, as
in shells. This module imports nothing heavy, because a command must be interruptible while it imports.
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
"""The exit code after Ctrl-C, as in shells."""
PATIENCE: Final = 5.0
"""The seconds after a signal until the process ends in any case."""
_FAREWELL: Final = 3.0

_first: int | None = None


def install() -> None:
    """Handle the signals, except those that the caller has switched off, as `nohup` does."""
    sys.unraisablehook = _not_lost
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _interrupt)


def _not_lost(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise an interruption again that occurred in a destructor, of which imports and the solver's terms have many.
    Python would print it and forget it."""
    # ctypes, which frees the solver's terms, wraps an exception that occurs while it converts an argument.
    wrapped = unraisable.exc_type.__name__ == "ArgumentError" and "KeyboardInterrupt" in str(unraisable.exc_value)
    if issubclass(unraisable.exc_type, KeyboardInterrupt) or wrapped:
        again = Timer(0.01, _thread.interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(unraisable)


@contextmanager
def unreported(kind: type[BaseException]) -> Iterator[None]:
    """Suppress the report of a destructor that swallows an exception that stops a piece of work and will come again."""
    usual = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        # The exception that stops the work may occur here too, where it cannot propagate.
        with suppress(kind):
            if not issubclass(unraisable.exc_type, kind):
                usual(unraisable)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = usual


def came(number: int) -> None:
    """Record that a signal came; the exit code reports the first one."""
    global _first
    _first = _first or number


def has_come() -> bool:
    """Return whether a signal came."""
    return _first is not None


def exit_code() -> int:
    """Return the exit code of an interrupted command."""
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
    """End the process at once, but remove its directories for data that do not fit memory."""
    try:
        if (scratch := sys.modules.get("parte.semantics.source.scratch")) is not None:
            scratch.remove_all()
    finally:
        os._exit(code)


def end() -> NoReturn:
    """End an interrupted command, with its exit code.

    Python's own way waits for threads that may never return. It also reports Ctrl-C for any signal that came while it
    was in generated code, such as that of dataclasses.
    """
    code = exit_code()
    for number in SIGNALS:  # nothing is left to be closed: one more signal ends the process
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
