"""Mutants of the machine or of the definition of a language, by changed lines or by missing repairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from parte.conformance.mutants.mutant import Mutant
from parte.conformance.protocol import Engine
from parte.proofs.edited_modules import Modules, edited
from parte.semantics.rulebook.models import PUBLISHED, SOUND, Model


@dataclass(frozen=True, slots=True)
class Original:
    """The original of the mutants of a language.

    The root of `modules` has the class of engines, named `engine`; its argument is one of the `models`, or the name of
    the definition.
    """

    modules: Modules
    engine: str
    models: Mapping[str, Model]
    definition: str = "definition"


@dataclass(frozen=True, slots=True)
class MachineMutant(Mutant):
    """A mutant of `sound` or of the definition, by changed lines or by missing repairs (`without`); or the unchanged
    published model."""

    original: ClassVar[Original]

    def __post_init__(self) -> None:
        Mutant.__post_init__(self)
        models, definition = self.original.models, self.original.definition
        as_it_is = self.of == PUBLISHED and not self.edits and not self.without
        if self.of not in (SOUND, definition) and not as_it_is:
            raise ValueError(f"a mutant is one of {SOUND} or of {definition}, not of {self.of}")
        if bool(self.edits) == bool(self.without) and not as_it_is:
            raise ValueError("a mutant has either edits or repairs that it lacks")
        if unknown := set(self.without) - models[SOUND].repairs:
            raise ValueError(f"no such repairs: {', '.join(sorted(unknown))}")

    @property
    def model(self) -> Model | str:
        """The model without the repairs that the mutant lacks; the definition by its name."""
        return self.of if self.of == self.original.definition else self.original.models[self.of].without(*self.without)

    def engine(self) -> Engine:
        """Return the mutant as an engine of this process."""
        modules = edited(self.original.modules, self.edits)
        engine: Engine = getattr(modules.module(self.original.modules.root), self.original.engine)(self.model)
        return engine
