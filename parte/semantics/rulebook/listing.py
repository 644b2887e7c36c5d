"""The rules of a language, as they are listed and drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from parte.languages.language import Facet
from parte.semantics.rulebook.figures import Figure
from parte.semantics.rulebook.models import SOUND, Model
from parte.semantics.rulebook.registry import Rule


@dataclass(frozen=True, slots=True)
class Listing:
    """The inference rules of a language by id, in the order of their source.

    `headings` groups their ids. `figures` draws a rule, once for each group of models in which it looks alike.
    `repairs` turn `published` into `sound`: what each does, by name. `models` are the named models of the language, of
    which `sound` has all repairs. `unreachable` rules fire in no case of `sound`: why, by id.
    """

    rules: Mapping[str, Rule]
    headings: Mapping[str, Sequence[str]]
    figures: Callable[[str], Sequence[tuple[Sequence[str], Figure]]]
    repairs: Mapping[str, str]
    models: Mapping[str, Model] = field(default_factory=dict)
    unreachable: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.repairs and self.models[SOUND].repairs != self.repairs.keys():
            raise ValueError(f"the model {SOUND} has all repairs of its language, and no other")


RULES: Facet[Listing] = Facet("rules", "inference rules")
