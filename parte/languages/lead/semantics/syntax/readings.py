"""What L leaves open, as named choices that definition and machine are both given (specification: lead-readings)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Readings:
    """One choice each; the default is what the specification says.

    - `default`: what `first` is put in front of: the largest patterns without a policy, or each event and list (L ρ1).
    - `within`: whether what comes together comes within (0 <= t1), or not (0 < t1, as (13) prints).
    - `wait`: a match that comes later than the wait is none (12), or ends by itself (L remark 1).
    - `last`: what ends when the next begins is before it, or not ([In, wlt) in the text).
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
