"""All lemmas, in the order of D chapter 8; those about the rudimentary model come last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from parte.proofs.lemma import Lemma
from parte.proofs.parte.theorems import (
    algebra_laws,
    boundedness,
    bounds,
    bounds_elsewhere,
    delivery,
    expiration,
    frame,
    histories,
    join,
    negation,
    passing,
    progress,
    retained,
    runs,
    stratification,
)
from parte.proofs.parte.theorems.rudimentary import one_input, shortcomings, two_inputs

LEMMAS: Sequence[Lemma] = (
    *bounds_elsewhere.LEMMAS,
    *bounds.LEMMAS,
    *expiration.LEMMAS,
    *join.LEMMAS,
    *negation.LEMMAS,
    *frame.LEMMAS,
    *histories.LEMMAS,
    *retained.LEMMAS,
    *passing.LEMMAS,
    *delivery.LEMMAS,
    *progress.LEMMAS,
    *boundedness.LEMMAS,
    *runs.LEMMAS,
    *stratification.LEMMAS,
    *algebra_laws.LEMMAS,
    *one_input.LEMMAS,
    *two_inputs.LEMMAS,
    *shortcomings.LEMMAS,
)


class UnknownLemma(LookupError):
    """No lemma has that id."""

    def __init__(self, asked: str) -> None:
        near = get_close_matches(asked, [lemma.id for lemma in LEMMAS], n=3, cutoff=0.4)
        super().__init__(f"no lemma is called {asked!r}" + (f"; near it: {', '.join(near)}" if near else ""))


def chosen(asked: Iterable[str]) -> tuple[Lemma, ...]:
    """The lemmas with these ids, where `*` stands for anything, in the catalogue's order; all if none is asked for.

    UnknownLemma for an id that none has.
    """
    patterns = tuple(asked)
    for pattern in patterns:
        if not any(fnmatchcase(lemma.id, pattern) for lemma in LEMMAS):
            raise UnknownLemma(pattern)
    if not patterns:
        return tuple(LEMMAS)
    return tuple(lemma for lemma in LEMMAS if any(fnmatchcase(lemma.id, pattern) for pattern in patterns))
