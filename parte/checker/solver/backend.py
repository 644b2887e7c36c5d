"""z3, if it is installed. Only the modules of this package import it from here.

All terms live in one context of z3, which belongs to one thread at a time: two that used it at once ended the process.
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
if hasattr(os, "register_at_fork"):  # a fork in the midst of a question would have half of what z3 knows
    os.register_at_fork(before=_ALONE.acquire, after_in_parent=_ALONE.release, after_in_child=_ALONE.release)


@cache
def _shared() -> None:
    """Let terms be given back in whatever thread Python collects them. z3 holds on to memory for it, so not before a
    thread beside the main one asks something."""
    z3.Z3_enable_concurrent_dec_ref(z3.main_ctx().ref())


def alone(function: Callable[P, T]) -> Callable[P, T]:
    """A function that uses z3, of which another thread waits until it is done."""

    @wraps(function)
    def guarded(*arguments: P.args, **named: P.kwargs) -> T:
        with _ALONE:
            if current_thread() is not main_thread():
                _shared()
            return function(*arguments, **named)

    return guarded
