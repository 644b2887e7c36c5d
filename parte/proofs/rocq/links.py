"""Links from an inference rule to the theorem: the definitions and theorems in this folder that cite the rule's id.

The comment before a statement cites rules by their ids, where `*` stands for any text, and clauses of the specification
as `(specification: …)`. This is the only place for these links; `parte rules` and the pages of rules read them here.
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
    """A definition or a theorem, its place, and the citations in its comment."""

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
        """Return whether it cites a rule."""
        return any(fnmatchcase(rule, pattern) for pattern in self.rules)


@cache
def statements() -> tuple[Statement, ...]:
    """Return all statements that have a comment, in the order in which they are compiled."""
    files = (f"{name}.v" for name in (FOLDER / "order.txt").read_text(encoding="utf-8").split())
    return tuple(statement for file in files for statement in _read(file))


def _read(file: str) -> Iterator[Statement]:
    text = (FOLDER / file).read_text(encoding="utf-8")
    for match in _STATEMENT.finditer(text):
        comment = match["comment"]
        clauses = (name for cited in _CLAUSES.findall(comment) for name in re.split(r",\s+", cited))
        line = text.count("\n", 0, match.start("kind")) + 1
        rules = tuple(_RULE.findall(comment))
        yield Statement(match["name"], match["kind"] == "Theorem", file, line, rules, tuple(clauses))


def about(rule: str) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """Return the definitions that mirror a rule, and the theorems about it."""
    cited = [statement for statement in statements() if statement.cites(rule)]
    return tuple(item for item in cited if not item.theorem), tuple(item for item in cited if item.theorem)
