"""The controls of the lemmas about ETALIS: one-line faults of the machine and of the definition."""

from __future__ import annotations

from pathlib import Path

from parte.proofs.controls import Subject
from parte.proofs.edited_modules import Modules
from parte.proofs.etalis.catalogue import CATALOGUE, lacking

SUBJECT = Subject(
    Modules(
        "parte.proofs.etalis.catalogue",
        ("parte.semantics", "parte.algebra", "parte.proofs"),
        frozenset({"parte.semantics.rulebook.registry", "parte.semantics.etalis.rulebook"}),
    ),
    ("parte.semantics.", "parte.algebra."),
    CATALOGUE,
    lacking,
    Path(__file__).parent,
)
