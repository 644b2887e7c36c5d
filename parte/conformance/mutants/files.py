"""Files of mutants: a table `[[mutant]]` for each, in TOML, and beside them `killers.json`, which is measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from parte.conformance.mutants.mutant import Mutant
from parte.semantics.events.files import write_whole
from parte.semantics.events.records import read_records

KILLERS = "killers.json"
"""The first case that killed each mutant, by name: it is tried first, and shown in the documentation."""

M = TypeVar("M", bound=Mutant)


def read_mutants(folder: Path, topics: Sequence[str], kind: type[M]) -> tuple[M, ...]:
    """Return the mutants of the files of some topics, in their order; the fields of `kind` are the keys of a table.

    BadRecord for an invalid table. A mutant that is not in `killers.json` has no killer.
    """
    killers: dict[str, str] = json.loads((folder / KILLERS).read_text(encoding="utf-8"))
    read = (mutant for topic in topics for mutant in read_records(folder / f"{topic}.toml", "mutant", kind))
    return tuple(replace(mutant, killer=killers.get(mutant.name, "")) for mutant in read)


def write_killers(folder: Path, killers: Mapping[str, str]) -> None:
    """Record which case kills each mutant."""
    write_whole(folder / KILLERS, json.dumps(killers, indent=1) + "\n")
