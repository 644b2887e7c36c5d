"""Named choices for the points that L leaves open; definition and machine both take them (specification:
lead-readings)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for each reading; the default is that of the specification.

    - `default`: the patterns that get `first`: the largest ones without a policy, or each event and list (L ρ1).
    - `within`: matches that end together are within (0 <= t1), or are not (0 < t1, as (13) prints).
    - `wait`: a match that comes later than the wait is dropped (12), or ends by itself (L remark 1).
    - `last`: a match that ends when the next one begins is before it, or is not ([In, wlt) in the text).
    - `every`: the next match may begin when the one before ends (meets), or only later.
    - `adjacent`: `adj` of a conjunction is the first of its two sequences, or the one with the least time between.
    """

    default: str = "largest"
    within: str = "closed"
    wait: str = "delay"
    last: str = "closed"
    every: str = "meets"
    adjacent: str = "first"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name}: expected one of {', '.join(choices)}, found {getattr(self, name)!r}")


CHOICES: dict[str, tuple[str, ...]] = {
    "default": ("largest", "events"),
    "within": ("closed", "open"),
    "wait": ("delay", "conjunction"),
    "last": ("closed", "open"),
    "every": ("meets", "before"),
    "adjacent": ("first", "least"),
}
"""The choices for each reading; the first is the default."""

USUAL = Readings()
