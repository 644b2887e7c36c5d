"""Work that is stopped ends at once, wherever it is, and nothing else is stopped with it."""

from __future__ import annotations

import threading
import time

import pytest
from pygls.exceptions import JsonRpcRequestCancelled

from parte.editing.cancelling import Pool, quiet_destructors


class _Destroyed:
    """What runs for a while when nothing holds it any more."""

    def __del__(self) -> None:
        for _ in range(50):
            pass


def test_work_is_stopped_while_it_runs() -> None:
    begun = threading.Event()

    def endless() -> None:
        begun.set()
        while True:
            try:
                sum(range(10))
            except Exception:
                continue

    pool = Pool(1)
    future, waiting, after = pool.submit(endless), pool.submit(endless), pool.submit(lambda: "done")
    assert begun.wait(30)
    pool.stop(waiting)
    pool.stop(future)
    for stopped in (future, waiting):
        with pytest.raises(JsonRpcRequestCancelled):
            stopped.result(30)
    assert after.result(30) == "done"
    pool.stop(after)
    assert pool.submit(lambda: "the thread works on").result(30) == "the thread works on"
    pool.submit(endless)
    pool.shutdown()


def test_work_that_destroys_something_is_stopped(capfd: pytest.CaptureFixture[str]) -> None:
    def endless() -> None:
        while True:
            _Destroyed()

    pool = Pool(1)
    with quiet_destructors():
        for _ in range(4):
            future = pool.submit(endless)
            time.sleep(0.02)
            pool.stop(future)
            with pytest.raises(JsonRpcRequestCancelled):
                future.result(30)
        pool.shutdown()
    assert capfd.readouterr().err == ""


def test_work_that_ends_when_it_is_stopped_harms_nothing() -> None:
    pool = Pool(2)
    for count in range(2_000):
        future = pool.submit(lambda count=count: sum(range(count)))
        pool.stop(future)
        try:
            assert future.result(30) == sum(range(count))
        except JsonRpcRequestCancelled:
            continue
    assert pool.submit(lambda: "done").result(30) == "done"
    pool.shutdown()
