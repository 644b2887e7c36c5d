"""The rulebook of CORE: constructions of automata and steps of the algorithms, each a function under an id."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from parte.languages.cel.semantics.repairs import MODELS
from parte.semantics.rulebook.registry import Rule, Rulebook

RULEBOOK: Rulebook[Rule] = Rulebook("CORE")

F = TypeVar("F", bound=Callable[..., object])


def rule(identity: str, name: str, section: str) -> Callable[[F], F]:
    """Return the decorator that enters a function into the rulebook, with its name and section in the source."""

    def enter(function: F) -> F:
        RULEBOOK.add(Rule(f"CORE/{identity}", name, section, tuple(MODELS), function))
        return function

    return enter
