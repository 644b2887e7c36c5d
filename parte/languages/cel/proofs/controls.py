"""The controls of the lemmas about CEL's machine and definition: one-line faults of the code that they run."""

from __future__ import annotations

from parte.languages.cel.proofs.catalogue import CATALOGUE
from parte.proofs.controls import subject_of

SUBJECT = subject_of("parte.languages.cel", CATALOGUE)
