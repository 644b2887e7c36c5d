"""`--budget`: the time, and the number of stored partial matches, at which a run stops."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from types import FrameType
from typing import Annotated, Final

import typer

from parte.interruptions import unreported
from parte.options import wrong
from parte.semantics.events.duration import parse_short_duration

_AGAIN: Final = 0.05
"""Seconds until the alarm repeats: Python loses an exception within a destructor."""


def budget_option(stored: str) -> object:
    """Return the annotation of the option; `stored` is the plural of what a machine stores."""
    text = f"Stop after so long ('30 seconds'), or when so many {stored} are stored (1000000), and say what grows"
    return typer.Option("--budget", metavar="BUDGET", help=f"{text}; may be given for both.")


BudgetOption = Annotated[list[str] | None, budget_option("partial matches")]


class OutOfTime(BaseException):
    """The time of a budget is spent. Like an interruption it is no error, and nothing that handles errors takes it."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits at which a run stops: seconds, and stored items."""

    seconds: float = inf
    stored: float = inf

    @classmethod
    def of(cls, texts: Iterable[str]) -> Budget:
        """The budget that `--budget` states: a duration, a number of stored items, or each once."""
        limits: dict[str, float] = {}
        for text in texts:
            if re.fullmatch(r"\s*[0-9][0-9_,]{0,20}\s*", text):
                name, value = "stored", float(re.sub("[^0-9]", "", text))
            else:
                try:
                    name, value = "seconds", parse_short_duration(text) / 1000
                except ValueError:
                    example = "'30 seconds', or a number of stored items such as 1000000"
                    raise wrong("--budget", f"expected a duration such as {example}, found {text!r}") from None
            if name in limits or value <= 0:
                raise wrong("--budget", "expected one duration, one number of stored items, or both, above zero")
            limits[name] = value
        return cls(**limits)


@dataclass(slots=True)
class Clock:
    """The time of a budget. It runs from when the clock is made, also while input is waited for."""

    budget: Budget
    begun: float = field(default_factory=time.monotonic)
    _armed: bool = False

    @property
    def passed(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self.begun

    @contextmanager
    def limit(self) -> Iterator[None]:
        """Raise OutOfTime in the block when the time is spent, at any instruction: to wait for a silent input is one
        call of the system, and one event may have more matches than can be found in a day.

        Only the main thread of a POSIX system can be stopped like this; elsewhere nothing is raised.
        """
        possible = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if self.budget.seconds > threading.TIMEOUT_MAX or not possible:
            yield
            return
        before = signal.signal(signal.SIGALRM, self._late)
        try:
            with unreported(OutOfTime):
                try:
                    self._armed = True
                    signal.setitimer(signal.ITIMER_REAL, max(_AGAIN / 50, self.budget.seconds - self.passed), _AGAIN)
                    yield
                finally:
                    self._armed = False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Do not let the time limit interrupt the block, which may write lines."""
        armed, self._armed = self._armed, False
        try:
            yield
        finally:
            self._armed = armed

    def _late(self, _number: int, _frame: FrameType | None) -> None:
        if self._armed:
            raise OutOfTime
