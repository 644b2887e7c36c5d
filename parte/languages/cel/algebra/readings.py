"""The readings of the points that the source leaves open: the choices of each by name, the default first
(specification: cel-readings)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for each point that can be read in more than one way.

    - `rivals`: which results a strategy compares a result with: those of its own `interval`, those of the same `end`,
      or `all` (defect 8).
    - `sequence`: whether the second part begins `after` the end of the first, or `meets` it, as fig. 3.2 prints (defect
      1).
    - `windows`: whether a window of events counts positions of the whole `stream` or of the `substream` (defects 4, 5).
    - `nulls`: whether an event without an attribute of PARTITION BY is in `none` of the substreams, or in `one` with
      the others that lack it (defect 6).
    - `selection`: whether a strategy selects `before` the window or `after` it (defect 9).
    - `projection`: whether SELECT projects `before` the strategy or `after` it (defect 10).
    """

    rivals: str = "interval"
    sequence: str = "after"
    windows: str = "stream"
    nulls: str = "none"
    selection: str = "before"
    projection: str = "before"

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) not in CHOICES[field.name]:
                there = ", ".join(CHOICES[field.name])
                raise ValueError(f"reading {field.name}: expected {there}, found {getattr(self, field.name)!r}")


CHOICES: Mapping[str, tuple[str, ...]] = {
    "rivals": ("interval", "end", "all"),
    "sequence": ("after", "meets"),
    "windows": ("stream", "substream"),
    "nulls": ("none", "one"),
    "selection": ("before", "after"),
    "projection": ("before", "after"),
}
"""The choices of each reading; the default first."""

USUAL = Readings()
"""The default choice of each reading."""
