"""Work in threads that can be stopped while it runs.

Reading a large text takes seconds, and the parsers do not check whether to go on. So `stop` raises an exception in the
working thread, as Ctrl-C does in the main thread. This is safe for work that only reads a text: it changes nothing
except the result, and releases its locks by `with`.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from typing import Any

from pygls.exceptions import JsonRpcRequestCancelled

from parte.interruptions import unreported

_MOMENT = 0.1


class _Stopped(BaseException):
    """The exception that `stop` raises; `except Exception` in the work does not catch it."""


class _Work:
    """A call that another thread can stop; it then raises JsonRpcRequestCancelled."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._stopped = False

    def __call__(self) -> Any:
        try:
            with self._lock:
                if self._stopped:
                    raise _Stopped
                self._thread = threading.get_ident()
            try:
                return self._call()
            finally:
                self._leave()
        except _Stopped:
            self._leave()
            raise JsonRpcRequestCancelled("cancelled") from None

    def _leave(self) -> None:
        """Prevent further exceptions in this thread, and catch one that is raised but not yet delivered."""
        while self._thread is not None:
            with suppress(_Stopped), self._lock:
                self._thread = None
        if self._stopped:
            # Withdrawing it would leave the interpreter's signal set, and Python 3.11 then profiles without end.
            with suppress(_Stopped):
                _raise_in(threading.get_ident(), _Stopped)
                while True:
                    pass

    def stop(self) -> None:
        """Stop the call, and repeat until it ends, because a running destructor swallows the exception."""
        with self._lock:
            self._stopped = True
            if self._thread is not None:
                _raise_in(self._thread, _Stopped)
                again = threading.Timer(_MOMENT, self.stop)
                again.daemon = True
                again.start()


def quiet_destructors() -> AbstractContextManager[None]:
    """Suppress the message of a destructor that swallows the exception of `stop`."""
    return unreported(_Stopped)


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raise an exception in a thread, at its next call or loop. It replaces one that is not yet delivered."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


class Pool(ThreadPoolExecutor):
    """Threads whose work can be stopped."""

    def __init__(self, threads: int | None = None) -> None:
        super().__init__(threads)
        self._works: dict[Future[Any], _Work] = {}

    def submit(self, call: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Schedule a call."""
        work = _Work(lambda: call(*arguments, **named))
        future: Future[Any] = super().submit(work)
        self._works[future] = work
        future.add_done_callback(lambda done: self._works.pop(done, None))
        return future

    def stop(self, future: Future[Any]) -> None:
        """Stop a call, before it begins or while it runs: its future fails with JsonRpcRequestCancelled."""
        work = self._works.get(future)
        if work is not None:
            work.stop()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop everything."""
        for work in list(self._works.values()):
            work.stop()
        super().shutdown(wait, cancel_futures=cancel_futures)
