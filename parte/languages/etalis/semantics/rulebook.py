"""The rulebook of ETALIS: the steps for an event, each a function under an id."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from parte.semantics.rulebook.registry import Rule, Rulebook

RULEBOOK: Rulebook[Rule] = Rulebook("ETALIS")

F = TypeVar("F", bound=Callable[..., object])


def rule(identity: str, name: str, section: str) -> Callable[[F], F]:
    """Return the decorator that enters a function into the rulebook, with its name and section in the source."""

    def enter(function: F) -> F:
        RULEBOOK.add(Rule(f"ETALIS/{identity}", name, section, ("sound",), function))
        return function

    return enter
