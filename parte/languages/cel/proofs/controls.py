"""The controls of the lemmas about CEL's machine and definition: one-line faults of the code that they run."""

from __future__ import annotations

from pathlib import Path

from parte.languages.cel.proofs.catalogue import CATALOGUE
from parte.proofs.controls import Subject
from parte.proofs.edited_modules import Modules

SUBJECT = Subject(
    Modules(
        "parte.languages.cel.proofs.catalogue",
        ("parte.semantics", "parte.proofs", "parte.languages.cel"),
        frozenset({"parte.semantics.rulebook.registry", "parte.languages.cel.semantics.rulebook"}),
    ),
    ("parte.languages.cel.semantics.", "parte.languages.cel.algebra."),
    CATALOGUE,
    Path(__file__).parent,
)
