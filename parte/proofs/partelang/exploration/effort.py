"""The time that an exploration may take, and the reports on its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf

_EVERY = 0.2  # seconds between two reports


@dataclass(slots=True)
class Effort:
    """A limit of `seconds` from its creation on, none if None. `tell` is called now and then with the progress.

    Parts of the work have shares of the time, so that one that takes too long leaves some for the next. Ctrl-C ends the
    part that is running, and all parts after it: what was found until then counts.
    """

    seconds: float | None = None
    tell: Callable[[str], None] | None = None
    interrupted: bool = False
    _begun: float = field(default_factory=time.monotonic)
    _told: float = 0.0

    def until(self, share: float, doing: str) -> Callable[[int], bool]:
        """Return a function that takes how much is done, and returns whether to go on: until that share of the time."""
        end = inf if self.seconds is None else self._begun + self.seconds * share

        def go_on(done: int) -> bool:
            now = time.monotonic()
            if self.tell is not None and now - self._told > _EVERY:
                self._told = now
                self.tell(f"{doing}: {done:,}, {now - self._begun:.0f} s")
            return not self.interrupted and now < end

        return go_on

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let Ctrl-C end the block, not the process."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True
