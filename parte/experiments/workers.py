"""Processes that measure units side by side, and end at once when the run is interrupted or has ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_ENDED = 1
"""The exit code of a process that ends because the run has; nobody reads it."""


def in_processes(count: int, work: Callable[[T], R], items: Sequence[T], keep: Callable[[T, R], None]) -> None:
    """Do the work on all items in `count` processes, and pass each result to `keep` in this process as it comes.

    Any exception meanwhile, KeyboardInterrupt too, ends the processes at once; results that have arrived by then are
    passed to `keep` before it is raised again.
    """
    context = get_context("spawn")
    alive, run = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, context, _follow, (alive,))
    waiting: dict[Future[R], T] = {}
    try:
        waiting.update((pool.submit(work, item), item) for item in items)
        for future in as_completed(waiting):
            keep(waiting[future], future.result())
            del waiting[future]
    except BaseException:
        run.close()
        pool.shutdown()
        for future, item in waiting.items():
            if not future.cancelled() and future.exception() is None:
                keep(item, future.result())
        raise
    finally:
        pool.shutdown()
        run.close()
        alive.close()


def _follow(alive: Connection) -> None:
    """Make a worker end when the run closes its end of the pipe, or dies; Ctrl-C is for the run alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_after, args=(alive,), daemon=True).start()


def _end_after(alive: Connection) -> None:
    try:
        alive.recv_bytes()
    except (EOFError, OSError):
        # It does not wait for the unit under way: nothing but this ends its process.
        os._exit(_ENDED)
