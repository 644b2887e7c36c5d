"""The rules of a language for listings and figures."""

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
    `repairs` describes the changes from `published` to `sound`, by name. `models` are the named models of the language;
    `sound` has all repairs. `unreachable` gives, by id, the reason why a rule fires in no case of `sound`.
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


def headings(rules: Mapping[str, Rule], beginnings: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Return the ids of the rules below each heading, by the beginnings of the names of its rules."""
    return {
        heading: [rule.id for rule in rules.values() if rule.local.startswith(names)]
        for heading, names in beginnings.items()
    }


RULES: Facet[Listing] = Facet("rules", "inference rules")
