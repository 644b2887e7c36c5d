"""The controls of the lemmas about PARTElang's machine and algebra: one-line faults of the code that they run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from parte.proofs.controls import Control
from parte.semantics.events.records import read_records

TOLD = Path(__file__).with_name("told.json")
"""The lemma that told each control, and each mutant of the suite, when that was last measured."""


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
