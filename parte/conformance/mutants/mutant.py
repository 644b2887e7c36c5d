"""Mutants: models of this project with one error each, and a name for the error."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from parte.conformance.protocol import Engine
from parte.proofs.mutation import Edit

_CLAUSE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Mutant(ABC):
    """A model of a language with an error, by changed lines (`edits`), by missing repairs (`without`), or by fields of
    the language's own.

    `name` begins with the model and a slash. `description` completes the sentence "behaves like its model with …".
    `rules` are the inference rules whose effect it contradicts, the first being the one to name; `sections` are the
    parts of the specification or the source that it contradicts. `survives` is the reason why no case of the suite can
    distinguish it from the model; it should be empty, and then a case must. `killer` is the case that killed it when
    that was last measured, empty if none did; it is recorded in a file of its own.
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
        """The model that it was derived from."""
        model, slash, _ = self.name.partition("/")
        return model if slash else ""

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses of the specification among its sections."""
        return tuple(section for section in self.sections if _CLAUSE.fullmatch(section))

    @property
    def circumstances(self) -> tuple[str, ...]:
        """The circumstances of a run that are not the model's defaults: phrases that follow the description."""
        return ()

    @abstractmethod
    def engine(self) -> Engine:
        """Return the mutant as a new engine of this process, which shares no state with any other."""
