"""The controls of the lemmas about ETALIS: one-line faults of the machine and of the definition."""

from __future__ import annotations

from parte.languages.etalis.proofs.catalogue import CATALOGUE
from parte.proofs.controls import subject_of

SUBJECT = subject_of("parte.languages.etalis", CATALOGUE)
