"""Mutants of `sound` and of the definition; each topic has a file of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from parte.conformance.mutants import Modules, Mutant, edited, read_mutants
from parte.conformance.protocol import Engine
from parte.languages.etalis.semantics.rules import RULES

FOLDER = Path(__file__).parent
TOPICS = ("machine", "operators", "negation", "policies", "definition")
"""The order in which mutants are reported."""

SOUND, DEFINITION, PUBLISHED = "sound", "definition", "published"
MODULES = Modules(
    "parte.languages.etalis.conformance.measure",
    ("parte.semantics", "parte.algebra", "parte.conformance"),
    frozenset({"parte.semantics.rulebook.registry", "parte.languages.etalis.semantics.rulebook"}),
)


@dataclass(frozen=True, slots=True)
class EtalisMutant(Mutant):
    """A mutant of the machine or of the definition, by changed lines; or the clauses that E prints, as they are."""

    def __post_init__(self) -> None:
        Mutant.__post_init__(self)
        if self.of not in (SOUND, DEFINITION, PUBLISHED):
            raise ValueError(f"a mutant is one of {SOUND} or of {DEFINITION}, not of {self.of}")
        if bool(self.edits) == (self.of == PUBLISHED):
            raise ValueError("a mutant has edits, and what is published has none")

    def engine(self) -> Engine:
        """The mutant as an engine of this process."""
        engine: Engine = edited(MODULES, self.edits).module(MODULES.root).EtalisEngine(self.of)
        return engine


@cache
def mutants() -> tuple[EtalisMutant, ...]:
    """Every mutant."""
    return read_mutants(FOLDER, TOPICS, EtalisMutant)


AS_PUBLISHED = EtalisMutant(
    f"{PUBLISHED}/as-printed",
    tuple(RULES),
    ("etalis-steps",),
    "the clauses that E prints, with the repairs without which nothing runs",
)
"""What an engine is like that was built from E to the letter. Compared last: it errs in many ways."""
