"""z3, if it is installed. Only the modules of this package import it from here.

All terms live in one context of z3, which only one thread may use at a time: two at once end the process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, wraps
from threading import RLock, current_thread, main_thread
from typing import ParamSpec, TypeVar

from parte.semantics.source.packages import importing

with importing("z3", message="the checker needs the solver z3, which is not installed"):
    import z3 as z3

P = ParamSpec("P")
T = TypeVar("T")

_ALONE = RLock()
if hasattr(os, "register_at_fork"):  # a fork during a question would have half of the state of z3
    os.register_at_fork(before=_ALONE.acquire, after_in_parent=_ALONE.release, after_in_child=_ALONE.release)


@cache
def _shared() -> None:
    """Let any thread in which Python collects terms release them.

    z3 needs memory for that, so it is only enabled when a thread beside the main one asks a question.
    """
    z3.Z3_enable_concurrent_dec_ref(z3.main_ctx().ref())


def alone(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that uses z3, so that other threads wait until it returns."""

    @wraps(function)
    def guarded(*arguments: P.args, **named: P.kwargs) -> T:
        with _ALONE:
            if current_thread() is not main_thread():
                _shared()
            return function(*arguments, **named)

    return guarded
