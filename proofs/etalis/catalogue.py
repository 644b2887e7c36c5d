"""All lemmas about ETALIS, in the order of the parts of the machine."""

from __future__ import annotations

from collections.abc import Sequence

import parte.semantics.etalis.machine  # noqa: F401  # the modules that it imports enter the rules
from parte.proofs.etalis.theorems import forgetting, operators, pairs, runs, steps
from parte.proofs.lemma import Catalogue, Lemma

LEMMAS: Sequence[Lemma] = (*steps.LEMMAS, *operators.LEMMAS, *pairs.LEMMAS, *forgetting.LEMMAS, *runs.LEMMAS)

CATALOGUE = Catalogue(LEMMAS, lambda _: None)


def lacking(model: str, names: tuple[str, ...]) -> None:
    """The machine has no repairs."""
    assert not names, f"{model} has no repairs {', '.join(names)}"
