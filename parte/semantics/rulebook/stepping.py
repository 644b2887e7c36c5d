"""Whether machines must fire every rule themselves, or may pass over those whose results are known or unwanted yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_asked: list[None] = []


@contextmanager
def every_step() -> Iterator[None]:
    """While this lasts, machines of this process that are built take every step by their rules."""
    _asked.append(None)
    try:
        yield
    finally:
        _asked.pop()


def every_step_asked() -> bool:
    """Whether a machine that is built now has to."""
    return bool(_asked)
