"""Complex event automata (specification: cel-automata; T §3.4): what a formula becomes before it runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from parte.languages.cel.semantics.syntax import tree

Label = frozenset[str]
"""The variables that a transition gives its event to; T's mark is • if there is one, ∘ if there is none."""


@dataclass(frozen=True, slots=True)
class IsType:
    """The events of a type."""

    name: str


Test = IsType | tree.Predicate
Guard = frozenset[Test]
"""Tests that an event must pass, all of them; none stands for TRUE."""

TRUE: Guard = frozenset()
SKIP: Label = frozenset()


@dataclass(frozen=True, slots=True)
class Transition:
    """From `source` to `target` over an event that passes the guard."""

    source: int
    guard: Guard
    label: Label
    target: int


@dataclass(frozen=True)
class Automaton:
    """States are numbers from 0 to `size` - 1; `initial` is one that no transition enters."""

    size: int
    initial: int
    transitions: tuple[Transition, ...]
    finals: frozenset[int]

    @cached_property
    def first(self) -> tuple[Transition, ...]:
        """The transitions that leave the initial state."""
        return tuple(each for each in self.transitions if each.source == self.initial)

    @cached_property
    def last(self) -> tuple[Transition, ...]:
        """The transitions that enter a final state."""
        return tuple(each for each in self.transitions if each.target in self.finals)

    def shifted(self, by: int) -> Automaton:
        """The same with other numbers."""
        moved = tuple(
            Transition(each.source + by, each.guard, each.label, each.target + by) for each in self.transitions
        )
        return Automaton(self.size + by, self.initial + by, moved, frozenset(state + by for state in self.finals))


def distinct(transitions: Iterable[Transition]) -> tuple[Transition, ...]:
    """Transitions in order, each once."""
    return tuple(dict.fromkeys(transitions))
