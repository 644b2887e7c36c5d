"""The rulebook of EQL: the steps of its machine, each a function under an id."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from parte.languages.eql.semantics.repairs import MODELS
from parte.semantics.rulebook.registry import Rule, Rulebook

RULEBOOK: Rulebook[Rule] = Rulebook("EQL")

F = TypeVar("F", bound=Callable[..., object])


def rule(identity: str, name: str, section: str) -> Callable[[F], F]:
    """Enter a function into the rulebook, with its name and the section of its source."""

    def enter(function: F) -> F:
        RULEBOOK.add(Rule(f"EQL/{identity}", name, section, tuple(MODELS), function))
        return function

    return enter
