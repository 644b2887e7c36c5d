"""The controls of the lemmas about ETALIS: one-line faults of the machine and of the definition."""

from __future__ import annotations

from pathlib import Path

from parte.languages.etalis.proofs.catalogue import CATALOGUE
from parte.proofs.controls import Subject
from parte.proofs.edited_modules import Modules

SUBJECT = Subject(
    Modules(
        "parte.languages.etalis.proofs.catalogue",
        ("parte.semantics", "parte.proofs", "parte.languages.etalis"),
        frozenset({"parte.semantics.rulebook.registry", "parte.languages.etalis.semantics.rulebook"}),
    ),
    ("parte.languages.etalis.semantics.", "parte.languages.etalis.algebra."),
    CATALOGUE,
    Path(__file__).parent,
)
