"""Mutants: models of this project that err in one way, each with a name for its error."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from parte.conformance.protocol import Engine
from parte.proofs.mutation import Edit

_CLAUSE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Mutant(ABC):
    """A model of a language that errs, by changed lines (`edits`), by repairs that it lacks (`without`), or as the
    language says in fields of its own.

    `name` begins with the model and a slash. `description` completes the sentence "behaves like its model with …".
    `rules` are the inference rules whose effect it contradicts, the first being the one to name; `sections` say where
    it is decided that it is wrong. `survives` is why no case of the suite can tell it from the model itself; empty, as
    it should be, if one must. `killer` is the case that told it when that was last measured, empty if none did;
    it stands in a file of its own.
    """

    name: str
    rules: tuple[str, ...]
    sections: tuple[str, ...]
    description: str
    edits: tuple[Edit, ...] = ()
    without: tuple[str, ...] = ()
    survives: str = ""
    killer: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not (self.of and self.rules and self.sections and self.description):
            raise ValueError("a mutant has a name that begins with its model, rules and sections")

    @property
    def of(self) -> str:
        """The model that it is made of."""
        model, slash, _ = self.name.partition("/")
        return model if slash else ""

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses of the specification among its sections."""
        return tuple(section for section in self.sections if _CLAUSE.fullmatch(section))

    @property
    def circumstances(self) -> tuple[str, ...]:
        """How it is run, if not as its model is by default: phrases that follow the description."""
        return ()

    @abstractmethod
    def engine(self) -> Engine:
        """The mutant as an engine of this process: a new one each time, which shares no state with any other."""
