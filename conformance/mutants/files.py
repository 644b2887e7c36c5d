"""Files of mutants: a table `[[mutant]]` for each, in TOML, and beside them `killers.json`, which is measured."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from parte.conformance.mutants.mutant import Mutant
from parte.semantics.events.codec import Codec

KILLERS = "killers.json"
"""The case that told each mutant first, by name: tried first, and shown in the documentation."""

M = TypeVar("M", bound=Mutant)


class BadMutant(ValueError):
    """A file of mutants is not as it should be: which file, which mutant, where in it, and what was expected."""


def read_mutants(folder: Path, topics: Sequence[str], kind: type[M]) -> tuple[M, ...]:
    """The mutants of the files of some topics, in their order; the fields of `kind` are the keys of a table.

    BadMutant for a table that is no mutant. A mutant that is not in `killers.json` has no killer.
    """
    killers: dict[str, str] = json.loads((folder / KILLERS).read_text(encoding="utf-8"))
    return tuple(mutant for topic in topics for mutant in _read(folder / f"{topic}.toml", kind, killers))


def _read(path: Path, kind: type[M], killers: Mapping[str, str]) -> Iterator[M]:
    codec = Codec[M](kind)
    where = path.name
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant")
        if not isinstance(tables, list):
            raise ValueError("expected tables [[mutant]]")
        for number, table in enumerate(tables, 1):
            name = table.get("name", f"mutant {number}")
            where = f"{path.name}: {name}"
            yield replace(codec.decode(table), killer=killers.get(name, ""))
    except ValueError as error:
        raise BadMutant(f"{where}: {error}") from None


def write_killers(folder: Path, killers: Mapping[str, str]) -> None:
    """Write down which case tells each mutant."""
    (folder / KILLERS).write_text(json.dumps(killers, indent=1) + "\n", encoding="utf-8")
