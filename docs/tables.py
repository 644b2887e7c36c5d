"""The table of each grammar, which the parser reads (`parte.semantics.source.automaton`)."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from parte.semantics.source.parts import Clauses, Grammar
from parte.semantics.source.tables import computed

ROOT = Path(__file__).parent.parent


def tables() -> dict[Path, str]:
    """Return the file of the table of every grammar with its text."""
    return {
        folder / "grammar.tables.json": computed((folder / "grammar.lark").read_text("utf-8"), starts).to_json()
        for folder, starts in _grammars().items()
    }


def _grammars() -> dict[Path, tuple[str, ...]]:
    starts: dict[Path, tuple[str, ...]] = {}
    for file in sorted((ROOT / "parte").rglob("grammar.lark")):
        package = ".".join(file.parent.relative_to(ROOT).parts)
        for value in vars(import_module(f"{package}.parser")).values():
            grammar = value.grammar if isinstance(value, Clauses) else value
            if isinstance(grammar, Grammar) and grammar.package == package:
                starts[file.parent] = grammar.starts
    return starts
