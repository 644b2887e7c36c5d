"""What a replay runs, what it compares with what, and what each trace may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from semantics.repairs import MODELS, PUBLISHED
from spark_adapter.errors import Unusable

EVALUATORS: Final = ("algebra", "indexed")
EXPECTED: Final = "expected"
MODEL_NAMES: Final = (*EVALUATORS, *MODELS)
"""The models that can be replayed: those in pure Python, which a budget can interrupt."""

REFERENCES: Final = (*MODEL_NAMES, EXPECTED)
"""What models can be compared with: a model, or what the case itself expects."""

KNOWN_TO_DIFFER: Final = (PUBLISHED.name, "rudimentary")


@dataclass(frozen=True, slots=True)
class Plan:
    """A replay. Every model in `models` is compared with `against`.

    Machines run under round-robin and `schedules` seeded ones, up to the first that differs. The verdict on a trace is
    the worst of those on the models in `judged`; by default these are all but `published` and `rudimentary`, which are
    known to differ, and all if only such models run. A trace is cut after `seconds`, or when it takes `mebibytes` more
    than its process had before; zero is no limit. With `keep_matches` the matches of `against` are in the result.

    Unusable for names that are unknown and numbers that are negative.
    """

    models: tuple[str, ...] = ("sound",)
    against: str = "algebra"
    judged: tuple[str, ...] = ()
    schedules: int = 0
    seed: int = 0
    seconds: float = 30.0
    mebibytes: int = 1024
    keep_matches: bool = True

    def __post_init__(self) -> None:
        _known("models", self.models, MODEL_NAMES)
        _known("against", (self.against,), REFERENCES)
        _known("judged", self.judged, self.models)
        if not self.models:
            raise Unusable("models: name at least one")
        if min(self.schedules, self.seconds, self.mebibytes) < 0:
            raise Unusable("schedules, seconds and mebibytes are not negative")

    @property
    def counted(self) -> frozenset[str]:
        """The models whose verdicts decide that on a trace."""
        if self.judged:
            return frozenset(self.judged)
        chosen = frozenset(self.models) - frozenset(KNOWN_TO_DIFFER)
        return chosen or frozenset(self.models)


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise Unusable(f"{what}: expected one of {', '.join(known)}; found {name!r}")
