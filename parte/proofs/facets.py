"""The parts of a language for the proofs: its lemmas, and the faults that they must detect. Needs no solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parte.languages.language import Facet

if TYPE_CHECKING:
    from parte.proofs.controls import Subject
    from parte.proofs.lemma import Catalogue

LEMMAS: Facet[Catalogue] = Facet("lemmas", "lemmas")
CONTROLS: Facet[Subject] = Facet("controls", "controls of its lemmas")
