"""The controls of the lemmas about EQL's machine and definition: one-line faults of the code that they run."""

from __future__ import annotations

from pathlib import Path

from parte.languages.eql.proofs.catalogue import CATALOGUE
from parte.proofs.controls import Subject
from parte.proofs.edited_modules import Modules

SUBJECT = Subject(
    Modules(
        "parte.languages.eql.proofs.catalogue",
        ("parte.semantics", "parte.proofs", "parte.languages.eql"),
        frozenset({"parte.semantics.rulebook.registry", "parte.languages.eql.semantics.rulebook"}),
    ),
    ("parte.languages.eql.semantics.", "parte.languages.eql.algebra."),
    CATALOGUE,
    Path(__file__).parent,
)
