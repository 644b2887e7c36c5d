"""The parts of guests in the generated pages and schemas: `guest.py` in the folders `docs/languages/GUEST`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from docs.defect_pages import Section
from parte.checker.report.collecting import Code as CheckCode
from parte.semantics.source.diagnostics import Code


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest in the documentation: its diagnostic codes, those of its checks, a function that returns the
    generated part of its page of defects, and its JSON Schemas by the names of their files without `.schema.json`. A
    guest whose defects are listed in its specification has no such page."""

    name: str
    codes: Mapping[str, Code]
    checks: Mapping[str, CheckCode]
    defects: Callable[[], str] | None
    schemas: Mapping[str, Any]
    sections: Callable[[], Iterable[Section]] | None = None
    """The defects of its page one by one, for reports to the authors of its source."""


def guests() -> tuple[Guest, ...]:
    """Return all guests."""
    folders = sorted((Path(__file__).parent / "languages").glob("*/guest.py"))
    return tuple(import_module(f"docs.languages.{path.parent.name}.guest").GUEST for path in folders)
