"""The controls of the lemmas about PARTElang's machine and algebra: one-line faults in the code of the lemmas."""

from __future__ import annotations

from pathlib import Path

from parte.proofs.controls import Subject
from parte.proofs.edited_modules import Modules
from parte.proofs.partelang.catalogue import CATALOGUE

SUBJECT = Subject(
    Modules(
        "parte.proofs.prove",
        ("parte.semantics", "parte.algebra", "parte.proofs"),
        frozenset({"parte.semantics.rulebook.registry", "parte.semantics.partelang.rules.registry"}),
    ),
    ("parte.semantics.", "parte.algebra."),
    CATALOGUE,
    Path(__file__).parent,
)
