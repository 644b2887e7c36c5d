"""The controls of the lemmas about LEAD's nets and definition: one-line faults of the code that they run."""

from __future__ import annotations

from pathlib import Path

from parte.languages.lead.proofs.catalogue import CATALOGUE
from parte.proofs.controls import Subject
from parte.proofs.edited_modules import Modules

SUBJECT = Subject(
    Modules(
        "parte.languages.lead.proofs.catalogue",
        ("parte.semantics", "parte.proofs", "parte.languages.lead"),
        frozenset({"parte.semantics.rulebook.registry", "parte.languages.lead.semantics.rulebook"}),
    ),
    ("parte.languages.lead.semantics.", "parte.languages.lead.algebra."),
    CATALOGUE,
    Path(__file__).parent,
)
