"""The results for a replayed trace: verdicts, runs, and the progress when its budget ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

SHOWN = 10
"""Missing and spurious matches that a run lists; it counts all."""


class RunVerdict(Enum):
    """The verdict on a run or a trace, the worst last. Other runs are compared with the `reference`."""

    REFERENCE = "reference"
    AGREE = "agree"
    DIFFER = "differ"
    BLOCKED = "blocked"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Run:
    """The run of one model.

    `matches` counts its matches. `schedules` is the number of schedules that it ran under; if the last of them differs,
    `schedule` and `seed` name it. `missing` and `spurious` are the first of the matches, in canonical order, and are
    counted by `missing_count` and `spurious_count`.
    """

    model: str
    verdict: RunVerdict
    matches: int
    milliseconds: float
    schedules: int = 0
    schedule: str | None = None
    seed: int | None = None
    missing: tuple[str, ...] = ()
    missing_count: int = 0
    spurious: tuple[str, ...] = ()
    spurious_count: int = 0
    message: str | None = None


@dataclass(slots=True)
class Progress:
    """The progress of a trace: the runs so far, the matches of the reference, and the current step."""

    runs: list[Run] = field(default_factory=list)
    matches: tuple[str, ...] | None = None
    doing: str = "reading the trace"
