"""Searches in automata over an alphabet: shortest results, shortest differences, all deterministic states."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from parte.checker.solver.clock import Clock, Undecided
from parte.languages.cel.checker.letters import Alphabet
from parte.languages.cel.semantics.determinised import Determinised, State
from parte.semantics.events.event import Event

MOST_STATES = 3_000
"""Deterministic states beyond these are too many to look at."""

Word = tuple[Event, ...]
Pair = tuple[State | None, State | None]
"""Where two automata are after the same events with the same marks; None where no run is."""

N = TypeVar("N", bound=Hashable)


def shortest(
    start: N, moves: Callable[[N], Iterable[tuple[Event, N]]], found: Callable[[N], bool], clock: Clock
) -> Word | None:
    """The letters on a shortest way, of one letter at least, to what is looked for; None if none leads there."""
    before: dict[N, tuple[N, Event]] = {}
    layer = [start]
    while layer:
        following: list[N] = []
        for node in layer:
            for letter, target in moves(node):
                clock.tick()
                if found(target):
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
    """A shortest stream on which a run is accepted. There the query has a result too: of finitely many rivals there is
    one that none excludes."""
    finals = automaton.automaton.finals
    steps = [(letter, automaton.step(automaton.passed(letter)).targets) for letter in alphabet]

    def moves(state: int) -> Iterator[tuple[Event, int]]:
        for letter, targets in steps:
            for reached in targets.get(state, {}).values():
                yield from ((letter, each) for each in sorted(reached))

    return shortest(automaton.automaton.initial, moves, finals.__contains__, clock)


def difference(one: Determinised, other: Determinised, alphabet: Alphabet, clock: Clock) -> Word | None:
    """A shortest interval of which the one automaton has a result and the other has not; None if there is none.

    The automata are deterministic in events with their marks, so a pair of states says all that is to be known of an
    interval with the marks so far.
    """
    passed = [(letter, one.passed(letter), other.passed(letter)) for letter in alphabet]

    def moves(pair: Pair) -> Iterator[tuple[Event, Pair]]:
        left, right = pair
        for letter, here, there in passed:
            ours = dict(one.successors(left, here)) if left is not None else {}
            theirs = dict(other.successors(right, there)) if right is not None else {}
            for label in {*ours, *theirs}:
                yield letter, (ours.get(label), theirs.get(label))

    def differs(pair: Pair) -> bool:
        left, right = pair
        return (left is not None and one.accepts(left)) != (right is not None and other.accepts(right))

    beginning: Pair = one.beginning(), other.beginning()
    return shortest(beginning, moves, differs, clock)


def reachable(automaton: Determinised, alphabets: Iterable[Alphabet], clock: Clock) -> set[State]:
    """The deterministic states to which events lead. Undecided if there are too many."""
    found: set[State] = set()
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
        found |= seen - {automaton.beginning()}
    return found


def shortest_empty(automaton: Determinised, alphabet: Alphabet, clock: Clock) -> Word | None:
    """A shortest stream on which there is a result without events."""

    def moves(state: State) -> Iterator[tuple[Event, State]]:
        for letter in alphabet:
            for label, target in automaton.successors(state, automaton.passed(letter)):
                if not label:
                    yield letter, target

    return shortest(automaton.beginning(), moves, automaton.accepts, clock)
