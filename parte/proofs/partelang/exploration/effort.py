"""The time limit of an exploration, and its progress messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf

_EVERY = 0.2  # seconds between two reports


@dataclass(slots=True)
class Effort:
    """A time limit of `seconds` from its construction, without end if None. `tell` gets progress messages.

    Parts of the work have shares of the time, so that one that takes too long leaves some for the next. Ctrl-C ends the
    running part and all parts after it; the results until then count.
    """

    seconds: float | None = None
    tell: Callable[[str], None] | None = None
    interrupted: bool = False
    _begun: float = field(default_factory=time.monotonic)
    _reported: float = 0.0

    def until(self, share: float, doing: str) -> Callable[[int], bool]:
        """Return a function from the amount done to whether to go on, until that share of all the time is up."""
        end = inf if self.seconds is None else self._begun + self.seconds * share

        def go_on(done: int) -> bool:
            now = time.monotonic()
            if self.tell is not None and now - self._reported > _EVERY:
                self._reported = now
                self.tell(f"{doing}: {done:,}, {now - self._begun:.0f} s")
            return not self.interrupted and now < end

        return go_on

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let Ctrl-C end the work inside this context only."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True
