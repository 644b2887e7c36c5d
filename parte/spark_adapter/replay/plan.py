"""The models of a replay, the reference of their comparison, and the budget of each trace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from parte.proofs.partelang.evaluator.conversation import installation
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.repairs import MODELS, PUBLISHED
from parte.semantics.source.packages import Unavailable
from parte.spark_adapter.errors import Unusable

PROVED: Final = "proved"
EVALUATORS: Final = ("algebra", "indexed", PROVED)
EXPECTED: Final = "expected"
MODEL_NAMES: Final = (*EVALUATORS, *MODELS)
"""The models that can be replayed: those that a budget can interrupt, in pure Python or in a process of their own."""

REFERENCES: Final = (*MODEL_NAMES, EXPECTED)
"""The references of a comparison: a model, or the expectation of the case itself."""

MOST_SECONDS: Final = 10**9
MOST_MEBIBYTES: Final = 2**40
"""More than any trace can use, and not more than timers and limits of the operating system accept."""

KNOWN_TO_DIFFER: Final = (PUBLISHED.name, "rudimentary")


@dataclass(frozen=True, slots=True)
class Plan:
    """A replay. Every model in `models` is compared with `against`.

    Machines run under round-robin and `schedules` seeded ones, up to the first that differs. The verdict on a trace is
    the worst of those on the models in `judged`; by default these are all but `published` and `rudimentary`, which are
    known to differ, and all if only such models run. A machine that is in `models` and `against` is compared under the
    seeded schedules with its own run under round-robin; without seeded schedules, and for evaluators, it is run once
    and agrees. A trace is interrupted after `seconds`, or when it needs `mebibytes` more than its process had before;
    zero is no limit. With `keep_matches` the matches of `against` are in the result.

    Unusable for unknown names, for numbers that are negative or too great, and if the model `proved` is not built or is
    compared with expectations.
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
        if PROVED in (*self.models, self.against):
            _require_proved(self.against)
        if not self.models:
            raise Unusable("models: name at least one")
        if min(self.schedules, self.seconds, self.mebibytes) < 0:
            raise Unusable("schedules, seconds and mebibytes are not negative")
        if not math.isfinite(self.seconds) or self.seconds > MOST_SECONDS:
            raise Unusable(f"seconds: expected at most {MOST_SECONDS}, or 0 for no limit; found {self.seconds}")
        if self.mebibytes > MOST_MEBIBYTES:
            raise Unusable(f"mebibytes: expected at most {MOST_MEBIBYTES}, or 0 for no limit; found {self.mebibytes}")
        if type(self.seed) is not int or not LEAST_INTEGER <= self.seed <= GREATEST_INTEGER - self.schedules:
            raise Unusable(f"seed: expected an integer of 64 bits, the last of {self.schedules} too; found {self.seed}")

    @property
    def counted(self) -> frozenset[str]:
        """The models whose verdicts decide the verdict on a trace."""
        if self.judged:
            return frozenset(self.judged)
        chosen = frozenset(self.models) - frozenset(KNOWN_TO_DIFFER)
        return chosen or frozenset(self.models)


def _require_proved(against: str) -> None:
    if against == EXPECTED:
        raise Unusable(
            "the model proved is compared with models here; `parte conform model:proved` runs it on the suite"
        )
    try:
        installation()
    except Unavailable as error:
        raise Unusable(str(error)) from None


def _known(field: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise Unusable(f"{field}: expected one of {', '.join(known)}; found {name!r}")
