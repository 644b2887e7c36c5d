"""A switch for tests: machines must fire every rule themselves, without skipping any.

Otherwise they may skip rules whose results are already known or not yet needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_requests: list[None] = []


@contextmanager
def every_step() -> Iterator[None]:
    """Make machines of this process that are built in this context take every step by their rules."""
    _requests.append(None)
    try:
        yield
    finally:
        _requests.pop()


def every_step_asked() -> bool:
    """Return whether a machine that is built now must take every step."""
    return bool(_requests)
