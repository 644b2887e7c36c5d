"""Searches in automata over an alphabet: shortest results, shortest differences, all deterministic states."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from parte.checker.solver.clock import Clock, Undecided
from parte.languages.cel.checker.letters import Alphabet
from parte.languages.cel.semantics.determinised import Determinised, State
from parte.semantics.events.event import Event

MOST_STATES = 3_000
"""The greatest number of deterministic states to examine."""

Word = tuple[Event, ...]
Pair = tuple[State | None, State | None]
"""The states of two automata after the same events with the same marks; None if there is no run."""

N = TypeVar("N", bound=Hashable)


def shortest(
    start: N, moves: Callable[[N], Iterable[tuple[Event, N]]], is_goal: Callable[[N], bool], clock: Clock
) -> Word | None:
    """Return the letters on a shortest way, of at least one letter, to a node that `is_goal` accepts; None if there is
    none."""
    before: dict[N, tuple[N, Event]] = {}
    layer = [start]
    while layer:
        following: list[N] = []
        for node in layer:
            for letter, target in moves(node):
                clock.tick()
                if is_goal(target):
                    return _word(before, start, node, letter)
                if target != start and target not in before:
                    before[target] = (node, letter)
                    following.append(target)
        layer = following
    return None


def _word(before: dict[N, tuple[N, Event]], start: N, node: N, last: Event) -> Word:
    letters = [last]
    while node != start:
        node, letter = before[node]
        letters.append(letter)
    return tuple(reversed(letters))


def shortest_result(automaton: Determinised, alphabet: Alphabet, clock: Clock) -> Word | None:
    """Return a shortest stream on which a run is accepted. There the query has a result too: of finitely many rivals
    there is one that no other excludes."""
    finals = automaton.automaton.finals
    steps = [(letter, automaton.step(automaton.passed(letter)).targets) for letter in alphabet]

    def moves(state: int) -> Iterator[tuple[Event, int]]:
        for letter, targets in steps:
            for reached in targets.get(state, {}).values():
                yield from ((letter, target) for target in sorted(reached))

    return shortest(automaton.automaton.initial, moves, finals.__contains__, clock)


def difference(first: Determinised, second: Determinised, alphabet: Alphabet, clock: Clock) -> Word | None:
    """Return a shortest interval for which only one of the automata has a result; None if there is none.

    The automata are deterministic in events with their marks, so a pair of states describes an interval with its marks
    completely.
    """
    passed = [(letter, first.passed(letter), second.passed(letter)) for letter in alphabet]

    def moves(pair: Pair) -> Iterator[tuple[Event, Pair]]:
        left, right = pair
        for letter, here, there in passed:
            ours = dict(first.successors(left, here)) if left is not None else {}
            theirs = dict(second.successors(right, there)) if right is not None else {}
            for label in {*ours, *theirs}:
                yield letter, (ours.get(label), theirs.get(label))

    def differs(pair: Pair) -> bool:
        left, right = pair
        return (left is not None and first.accepts(left)) != (right is not None and second.accepts(right))

    beginning: Pair = first.beginning(), second.beginning()
    return shortest(beginning, moves, differs, clock)


def reachable(automaton: Determinised, alphabets: Iterable[Alphabet], clock: Clock) -> set[State]:
    """Return the deterministic states that events lead to. Raise Undecided if there are too many."""
    states: set[State] = set()
    for alphabet in alphabets:
        letters = {automaton.passed(letter) for letter in alphabet}
        left, seen = [automaton.beginning()], {automaton.beginning()}
        while left:
            state = left.pop()
            for passed in letters:
                for _, target in automaton.successors(state, passed):
                    clock.tick()
                    if target not in seen:
                        seen.add(target)
                        left.append(target)
            if len(seen) > MOST_STATES:
                raise Undecided(f"it has more than {MOST_STATES} deterministic states")
        states |= seen - {automaton.beginning()}
    return states


def shortest_empty(automaton: Determinised, alphabet: Alphabet, clock: Clock) -> Word | None:
    """Return a shortest stream on which there is a result without events."""

    def moves(state: State) -> Iterator[tuple[Event, State]]:
        for letter in alphabet:
            for label, target in automaton.successors(state, automaton.passed(letter)):
                if not label:
                    yield letter, target

    return shortest(automaton.beginning(), moves, automaton.accepts, clock)
