"""The Rocq definitions and theorems about an inference rule: those in the files of this folder that cite its id.

The comment before a statement cites rules by their ids, where `*` stands for anything, and clauses of the specification
as `(specification: …)`. Only these comments state the links; `parte rules` and the pages of rules read them here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent

_STATEMENT = re.compile(
    r"\(\*(?P<comment>(?:(?!\*\)).)*)\*\)\s*\n *(?P<kind>Definition|Fixpoint|Inductive|Record|Theorem) (?P<name>\w+)",
    re.DOTALL,
)
_RULE = re.compile(r"\b[A-Z]+/[A-Z*](?:[A-Z*-]*[A-Z*])?")
_CLAUSES = re.compile(r"[Ss]pecification:\s+([a-z0-9-]+(?:,\s+[a-z0-9-]+)*)")


@dataclass(frozen=True, slots=True)
class Statement:
    """A definition or a theorem, where it stands, and what its comment cites."""

    name: str
    theorem: bool
    file: str
    line: int
    rules: tuple[str, ...]
    clauses: tuple[str, ...]

    @property
    def place(self) -> str:
        """File and line."""
        return f"parte/proofs/rocq/{self.file}:{self.line}"

    def cites(self, rule: str) -> bool:
        """Return whether the statement cites a rule."""
        return any(fnmatchcase(rule, pattern) for pattern in self.rules)


@cache
def statements() -> tuple[Statement, ...]:
    """All statements that have a comment, in the order in which they are compiled."""
    files = (f"{name}.v" for name in (FOLDER / "order.txt").read_text(encoding="utf-8").split())
    return tuple(found for file in files for found in _read(file))


def _read(file: str) -> Iterator[Statement]:
    text = (FOLDER / file).read_text(encoding="utf-8")
    for found in _STATEMENT.finditer(text):
        comment = found["comment"]
        clauses = (name for cited in _CLAUSES.findall(comment) for name in re.split(r",\s+", cited))
        line = text.count("\n", 0, found.start("kind")) + 1
        rules = tuple(_RULE.findall(comment))
        yield Statement(found["name"], found["kind"] == "Theorem", file, line, rules, tuple(clauses))


def about(rule: str) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """The definitions that mirror a rule, and the theorems about it."""
    cited = [statement for statement in statements() if statement.cites(rule)]
    return tuple(one for one in cited if not one.theorem), tuple(one for one in cited if one.theorem)
