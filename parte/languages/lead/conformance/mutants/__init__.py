"""Mutants of `sound` and of the definition; each topic has a file of them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path

from parte.conformance.mutants import Modules, Mutant, edited, read_mutants
from parte.conformance.protocol import Engine
from parte.languages.lead.semantics.repairs import DESCRIPTIONS, PUBLISHED, Repairs
from parte.languages.lead.semantics.rules import RULES

FOLDER = Path(__file__).parent
TOPICS = ("defects", "nets", "definition")
"""The order in which mutants are reported."""

SOUND, DEFINITION = "sound", "definition"
MODULES = Modules(
    "parte.languages.lead.conformance.engine",
    ("parte.semantics", "parte.algebra", "parte.conformance"),
    frozenset({"parte.semantics.rulebook.registry", "parte.languages.lead.semantics.rulebook"}),
)


@dataclass(frozen=True, slots=True)
class LeadMutant(Mutant):
    """A mutant of the machine or of the definition, by changed lines or by repairs that it lacks (`without`)."""

    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Mutant.__post_init__(self)
        if self.of not in (SOUND, DEFINITION):
            raise ValueError(f"a mutant is one of {SOUND} or of {DEFINITION}, not of {self.of}")
        if bool(self.edits) == bool(self.without):
            raise ValueError("a mutant has either edits or repairs that it lacks")
        if not DESCRIPTIONS.keys() >= set(self.without):
            raise ValueError(f"no such repairs: {', '.join(self.without)}")

    def engine(self) -> Engine:
        """The mutant as an engine of this process."""
        modules = edited(MODULES, self.edits)
        repairs = replace(Repairs(), **dict.fromkeys((name.replace("-", "_") for name in self.without), False))
        given = modules.module("parte.languages.lead.semantics.repairs").Repairs(
            **{field.name: getattr(repairs, field.name) for field in fields(Repairs)}
        )
        engine: Engine = modules.module(MODULES.root).LeadEngine(self.of, given)
        return engine


@cache
def mutants() -> tuple[LeadMutant, ...]:
    """Every mutant."""
    return read_mutants(FOLDER, TOPICS, LeadMutant)


AS_PUBLISHED = LeadMutant(
    "sound/as-published",
    tuple(RULES),
    ("lead-machine",),
    "all nets as published: none of the repairs",
    without=tuple(field.name.replace("_", "-") for field in fields(PUBLISHED)),
)
"""What an engine is like that was built from L to the letter. Compared last: it errs in many ways."""
