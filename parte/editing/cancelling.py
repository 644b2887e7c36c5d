"""Work in threads that can be stopped while it runs.

To read a large text takes seconds, and the parsers have no place at which they ask whether to go on. So `stop` raises
an exception in the working thread, as Ctrl-C does in the main thread. This is safe for work that only reads a text:
it changes nothing but the result, and releases its locks by `with`.
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
    """What `stop` raises: `except Exception` in the work does not catch it."""


class _Work:
    """A call that another thread can stop; it raises JsonRpcRequestCancelled then."""

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
        """Let nothing more be raised in this thread, and take what was raised and has not come yet."""
        while self._thread is not None:
            with suppress(_Stopped), self._lock:
                self._thread = None
        if self._stopped:
            # To withdraw it would leave the interpreter's signal set, with which Python 3.11 profiles without end.
            with suppress(_Stopped):
                _raise_in(threading.get_ident(), _Stopped)
                while True:
                    pass

    def stop(self) -> None:
        """Stop the call, and try again until it ends: a destructor that is running swallows the exception."""
        with self._lock:
            self._stopped = True
            if self._thread is not None:
                _raise_in(self._thread, _Stopped)
                again = threading.Timer(_MOMENT, self.stop)
                again.daemon = True
                again.start()


def quiet_destructors() -> AbstractContextManager[None]:
    """Print nothing where a destructor swallows what stops a call."""
    return unreported(_Stopped)


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raise an exception in a thread, at its next call or loop, in place of one that has not come yet."""
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
