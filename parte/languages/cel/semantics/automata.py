"""Complex event automata, to which formulas are compiled (specification: cel-automata; T §3.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from parte.languages.cel.semantics.syntax import tree

Label = frozenset[str]
"""The variables to which a transition adds its event; a label with variables is T's •, an empty one T's ∘."""


@dataclass(frozen=True, slots=True)
class IsType:
    """The test whether an event has a type."""

    name: str


Test = IsType | tree.Predicate
Guard = frozenset[Test]
"""The tests that an event must pass, all of them; the empty guard is TRUE."""

TRUE: Guard = frozenset()
SKIP: Label = frozenset()


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition from `source` to `target` over an event that passes the guard."""

    source: int
    guard: Guard
    label: Label
    target: int


@dataclass(frozen=True)
class Automaton:
    """An automaton whose states are the numbers from 0 to `size` - 1; no transition enters the state `initial`."""

    size: int
    initial: int
    transitions: tuple[Transition, ...]
    finals: frozenset[int]

    @cached_property
    def first(self) -> tuple[Transition, ...]:
        """The transitions that leave the initial state."""
        return tuple(transition for transition in self.transitions if transition.source == self.initial)

    @cached_property
    def last(self) -> tuple[Transition, ...]:
        """The transitions that enter a final state."""
        return tuple(transition for transition in self.transitions if transition.target in self.finals)

    def shifted(self, by: int) -> Automaton:
        """Return the automaton with `by` added to all numbers of states."""
        moved = tuple(
            Transition(transition.source + by, transition.guard, transition.label, transition.target + by)
            for transition in self.transitions
        )
        return Automaton(self.size + by, self.initial + by, moved, frozenset(state + by for state in self.finals))


def distinct(transitions: Iterable[Transition]) -> tuple[Transition, ...]:
    """Return transitions in order, without duplicates."""
    return tuple(dict.fromkeys(transitions))
