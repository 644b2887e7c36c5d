"""Links from an inference rule to theorems in Rocq: the definitions and theorems of a folder that cite the rule's id.

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
    folder: str
    file: str
    line: int
    rules: tuple[str, ...]
    clauses: tuple[str, ...]

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.folder}/{self.file}:{self.line}"

    def cites(self, rule: str) -> bool:
        """Return whether it cites a rule."""
        return any(fnmatchcase(rule, pattern) for pattern in self.rules)


@dataclass(frozen=True, slots=True)
class Theory:
    """The theorems of a language: the package in whose folder their files are, with `order.txt`, which lists these."""

    package: str
    folder: Path

    def statements(self) -> tuple[Statement, ...]:
        """Return all statements that have a comment, in the order in which they are compiled."""
        return _statements(self)

    def about(self, rule: str) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
        """Return the definitions that mirror a rule, and the theorems about it."""
        cited = [statement for statement in self.statements() if statement.cites(rule)]
        return tuple(item for item in cited if not item.theorem), tuple(item for item in cited if item.theorem)


@cache
def _statements(theory: Theory) -> tuple[Statement, ...]:
    files = (f"{name}.v" for name in (theory.folder / "order.txt").read_text(encoding="utf-8").split())
    return tuple(statement for file in files for statement in _read(theory, file))


def _read(theory: Theory, file: str) -> Iterator[Statement]:
    text = (theory.folder / file).read_text(encoding="utf-8")
    for match in _STATEMENT.finditer(text):
        comment = match["comment"]
        clauses = (name for cited in _CLAUSES.findall(comment) for name in re.split(r",\s+", cited))
        line = text.count("\n", 0, match.start("kind")) + 1
        rules = tuple(_RULE.findall(comment))
        folder = theory.package.replace(".", "/")
        yield Statement(match["name"], match["kind"] == "Theorem", folder, file, line, rules, tuple(clauses))


THEORY = Theory("parte.proofs.rocq", Path(__file__).parent)
"""The theorem about PARTElang."""
