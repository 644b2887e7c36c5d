"""All runs of an automaton, one by one: what the deterministic ones are held against."""

from __future__ import annotations

from collections.abc import Sequence

from parte.languages.cel.algebra.denotation import Valuation
from parte.languages.cel.algebra.predicates import satisfies
from parte.languages.cel.semantics.automata import Automaton, IsType, Label
from parte.semantics.events.event import Event


def valuations(automaton: Automaton, events: Sequence[Event]) -> frozenset[Valuation]:
    """What the accepted runs on a stream mark."""
    valuations = set[Valuation]()
    for start in range(len(events)):
        runs: set[tuple[int, frozenset[tuple[str, int]]]] = {(automaton.initial, frozenset())}
        for position in range(start, len(events)):
            runs = {
                (transition.target, content | _marked(transition.label, position))
                for state, content in runs
                for transition in automaton.transitions
                if transition.source == state
                and all(
                    events[position].template == test.name
                    if isinstance(test, IsType)
                    else satisfies(events[position], test)
                    for test in transition.guard
                )
            }
            valuations.update(
                Valuation(start, position, content) for state, content in runs if state in automaton.finals
            )
    return frozenset(valuations)


def _marked(label: Label, position: int) -> frozenset[tuple[str, int]]:
    return frozenset((variable, position) for variable in label)
