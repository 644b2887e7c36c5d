"""The controls of the lemmas about LEAD's nets and definition: one-line faults of the code that they run."""

from __future__ import annotations

from parte.languages.lead.proofs.catalogue import CATALOGUE
from parte.proofs.controls import subject_of

SUBJECT = subject_of("parte.languages.lead", CATALOGUE)
