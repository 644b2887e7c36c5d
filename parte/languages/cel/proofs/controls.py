"""The controls of the lemmas about CEL's machine and definition: one-line faults of the code that they run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from parte.languages.cel.proofs.catalogue import CATALOGUE
from parte.languages.cel.semantics.repairs import Repairs, repairs_of
from parte.proofs.controls import Subject
from parte.proofs.edited_modules import Modules


def _lacking(model: str, names: tuple[str, ...]) -> Repairs:
    return replace(repairs_of(model), **dict.fromkeys((name.replace("-", "_") for name in names), False))


SUBJECT = Subject(
    Modules(
        "parte.languages.cel.proofs.catalogue",
        ("parte.semantics", "parte.algebra", "parte.proofs"),
        frozenset({"parte.semantics.rulebook.registry", "parte.languages.cel.semantics.rulebook"}),
    ),
    ("parte.semantics.", "parte.algebra."),
    CATALOGUE,
    _lacking,
    Path(__file__).parent,
)
