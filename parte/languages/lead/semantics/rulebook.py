"""The rulebook of LEAD: the effects of the transitions of its nets, each a function under an id."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from parte.languages.lead.semantics.repairs import MODELS
from parte.semantics.rulebook.registry import Rule, Rulebook

RULEBOOK: Rulebook[Rule] = Rulebook("LEAD")

F = TypeVar("F", bound=Callable[..., object])


def rule(identity: str, name: str, section: str) -> Callable[[F], F]:
    """Enter a function into the rulebook, with its name in the source and the section of the source."""

    def enter(function: F) -> F:
        RULEBOOK.add(Rule(f"LEAD/{identity}", name, section, tuple(MODELS), function))
        return function

    return enter
