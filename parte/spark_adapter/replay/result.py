"""What is known of a replayed trace: verdicts, runs, and how far it has come when its budget ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

SHOWN = 10
"""Missing and spurious matches that a run lists; it counts all."""


class RunVerdict(Enum):
    """On a run or a trace, the worst last. The `reference` is what others are compared with."""

    REFERENCE = "reference"
    AGREE = "agree"
    DIFFER = "differ"
    BLOCKED = "blocked"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Run:
    """What one model did.

    `matches` counts what it found. `schedules` is how many it ran under; when the last of them differs, `schedule` and
    `seed` name it. `missing` and `spurious` begin with the first of the matches, in canonical order, and are counted
    by `missing_count` and `spurious_count`.
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
    """What has been done for a trace: the runs so far, the matches of the reference, and what is under way."""

    runs: list[Run] = field(default_factory=list)
    matches: tuple[str, ...] | None = None
    doing: str = "reading the trace"
