"""A switch: machines fire every rule, or they skip rules with results that are known or not needed yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_asked: list[None] = []


@contextmanager
def every_step() -> Iterator[None]:
    """Within this context, machines that are built in this process take every step by their rules."""
    _asked.append(None)
    try:
        yield
    finally:
        _asked.pop()


def every_step_asked() -> bool:
    """Return whether a machine that is built now must fire every rule."""
    return bool(_asked)
