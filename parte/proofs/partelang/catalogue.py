"""All lemmas, in the order of D chapter 8; those about the rudimentary model come last."""

from __future__ import annotations

from collections.abc import Sequence

from parte.proofs.lemma import Catalogue, Lemma
from parte.proofs.partelang.theorems import (
    arithmetic,
    boundedness,
    bounds,
    collection,
    compiler,
    delivery,
    digests,
    endless,
    expiration,
    frame,
    frame_of_sets,
    histories,
    many,
    moments,
    progress,
    refinement,
    refinement_of_networks,
    refinement_of_quick_runs,
    refinement_of_staged_runs,
    retained,
    runs,
    schedules,
    selections,
    sequences,
    stratification,
    suppression,
)
from parte.proofs.partelang.theorems.rudimentary import one_input, shortcomings, two_inputs
from parte.semantics.partelang.repairs import MODELS

LEMMAS: Sequence[Lemma] = (
    *sequences.LEMMAS,
    *arithmetic.LEMMAS,
    *bounds.LEMMAS,
    *expiration.LEMMAS,
    *collection.LEMMAS,
    *endless.LEMMAS,
    *digests.LEMMAS,
    *moments.LEMMAS,
    *frame.LEMMAS,
    *frame_of_sets.LEMMAS,
    *histories.LEMMAS,
    *refinement.LEMMAS,
    *retained.LEMMAS,
    *suppression.LEMMAS,
    *delivery.LEMMAS,
    *refinement_of_networks.LEMMAS,
    *refinement_of_quick_runs.LEMMAS,
    *refinement_of_staged_runs.LEMMAS,
    *progress.LEMMAS,
    *boundedness.LEMMAS,
    *runs.LEMMAS,
    *many.LEMMAS,
    *schedules.LEMMAS,
    *stratification.LEMMAS,
    *selections.LEMMAS,
    *compiler.LEMMAS,
    *one_input.LEMMAS,
    *two_inputs.LEMMAS,
    *shortcomings.LEMMAS,
)

CATALOGUE = Catalogue(LEMMAS, MODELS)
