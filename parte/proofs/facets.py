"""The parts of a language for the proofs: its lemmas, the faults that they must detect, and its theorems. Needs no
solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parte.languages.language import Facet

if TYPE_CHECKING:
    from parte.proofs.controls import Subject
    from parte.proofs.lemma import Catalogue
    from parte.proofs.rocq.links import Theory

LEMMAS: Facet[Catalogue] = Facet("lemmas", "lemmas")
CONTROLS: Facet[Subject] = Facet("controls", "controls of its lemmas")
ROCQ: Facet[Theory] = Facet("rocq", "theorems that Rocq checks")
