"""The controls of the lemmas about PARTElang's machine and algebra: one-line faults of the code that they run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from parte.checker.solver.problems import TIMEOUT
from parte.proofs import controls as neutral
from parte.proofs.controls import Control, Finding, Subject
from parte.proofs.edited_modules import Modules
from parte.proofs.parte.catalogue import CATALOGUE
from parte.semantics.events.records import read_records
from parte.semantics.parte.repairs import MODELS, Repairs

TOLD = Path(__file__).with_name("told.json")
"""The lemma that told each control, and each mutant of the suite, when that was last measured."""


def _lacking(model: str, names: tuple[str, ...]) -> Repairs:
    return MODELS[model].without(*names).repairs


SUBJECT = Subject(
    Modules(
        "parte.proofs.prove",
        ("parte.semantics", "parte.algebra", "parte.proofs"),
        frozenset({"parte.semantics.rulebook.registry", "parte.semantics.parte.rules.registry"}),
    ),
    ("parte.semantics.", "parte.algebra."),
    CATALOGUE,
    _lacking,
)


def find(control: Control, *, among: Iterable[str] = (), timeout: float = TIMEOUT) -> Finding:
    """The lemma that tells a control; `parte.proofs.controls.find` for these lemmas."""
    return neutral.find(SUBJECT, control, among=among, timeout=timeout)


@cache
def controls() -> tuple[Control, ...]:
    """Every control that is none of the suite's mutants. BadRecord for a table that is no control."""
    told = told_by()
    read = read_records(Path(__file__).with_name("controls.toml"), "control", Control)
    return tuple(replace(control, told_by=told.get(control.name, "")) for control in read)


def told_by() -> Mapping[str, str]:
    """The lemma that told each control, by name."""
    found: dict[str, str] = json.loads(TOLD.read_text(encoding="utf-8"))
    return found
