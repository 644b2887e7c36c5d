"""All lemmas, in the order of D chapter 8; those about the rudimentary model come last."""

from __future__ import annotations

from collections.abc import Sequence

from parte.proofs.lemma import Catalogue, Lemma
from parte.proofs.partelang.theorems import (
    algebra_laws,
    boundedness,
    bounds,
    bounds_elsewhere,
    compiler,
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
    sequences,
    stratification,
)
from parte.proofs.partelang.theorems.rudimentary import one_input, shortcomings, two_inputs
from parte.semantics.partelang.repairs import MODELS

LEMMAS: Sequence[Lemma] = (
    *sequences.LEMMAS,
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
    *compiler.LEMMAS,
    *algebra_laws.LEMMAS,
    *one_input.LEMMAS,
    *two_inputs.LEMMAS,
    *shortcomings.LEMMAS,
)

CATALOGUE = Catalogue(LEMMAS, MODELS)
