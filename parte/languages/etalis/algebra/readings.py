"""The readings of the points at which E is ambiguous (specification: etalis-readings)."""

from __future__ import annotations

from dataclasses import dataclass

CHOICES: dict[str, tuple[str, ...]] = {
    "lasting": ("within", "exactly"),
    "negation": ("pairs", "intervals"),
    "during": ("proper", "instants"),
}
"""The readings by name, each with its default first."""


@dataclass(frozen=True, slots=True)
class Readings:
    """A choice for each reading.

    - `lasting`: `(p).q` lasts at most q, or exactly q, as fig. 2 prints it.
    - `negation`: `NOT(p).[p1, p2]` excludes p between the two events of each pair, or, as fig. 2 prints it, excludes
      each interval that has p between the two events of some pair.
    - `during`: the first event of DURING has a duration, as in fig. 2, or may be an instant, as in §3.
    """

    lasting: str = "within"
    negation: str = "pairs"
    during: str = "proper"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name}: expected {' or '.join(choices)}, found {getattr(self, name)!r}")


USUAL = Readings()
