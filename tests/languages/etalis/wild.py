"""What the programs of ETALIS must have that engines get wrong."""

from __future__ import annotations

from parte.languages.etalis.conformance.drawing import is_recursive
from parte.languages.etalis.semantics.syntax.tree import Program


def wild(program: object) -> dict[str, bool]:
    """Return which of these facts hold of a program of any language."""
    return {"recursion": isinstance(program, Program) and is_recursive(program)}
