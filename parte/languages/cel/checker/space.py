"""Bounds of the space of a run: deterministic states, nodes made for an event, the length of union-lists, nodes kept
(specification: cel-bounds).

The numbers follow from the algorithm of the machine, not from a stream; tests compare them with runs on streams.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from parte.checker.solver.clock import Clock
from parte.languages.cel.checker.growth import START, Growth, Ways, growth, way
from parte.languages.cel.checker.letters import Alphabet
from parte.languages.cel.checker.search import Word, reachable, shortest
from parte.languages.cel.semantics.automata import Label
from parte.languages.cel.semantics.determinised import Determinised, State
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

MOST_ACTIVE = 2_000
"""The greatest number of sets of states that are active together; beyond, the checker assumes that all states may
be."""

Active = frozenset[State]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The greatest needs of one substream; `states` are those of the whole run, and some stream reaches all of them.

    `stored` is the number of nodes that are kept under a window of events, `kept_for_each` the number for each event in
    a window of time.
    """

    automaton: int
    states: int
    active: int
    list_length: int
    nodes_made: int
    stored: int | None
    kept_for_each: int | None

    def figures(self) -> dict[str, int | None]:
        """Return the figures for `--json`."""
        return {
            "automaton states": self.automaton,
            "deterministic states": self.states,
            "active states": self.active,
            "length of union-lists": self.list_length,
            "nodes made for an event": self.nodes_made,
            "nodes kept": self.stored,
            "nodes kept for each event in the window": self.kept_for_each,
        }


def sizes(automaton: Determinised, window: tree.Window | None, alphabets: Iterable[Alphabet], clock: Clock) -> Sizes:
    """Return the sizes under a window. Raise Undecided if there are too many states.

    - Lists (T §5.2): each node after the first was the head of a list when its start was new, and no active state has
      two heads; so a list is no longer than the number of active states plus two.
    - Kept nodes have starts in the window; no node made for an event has a start after that event.
    """
    alphabets = tuple(alphabets)
    states = reachable(automaton, alphabets, clock)
    length = active = nodes_made = 0
    for alphabet in alphabets:
        together = _together(automaton, alphabet, states, clock)
        active = max(active, *map(len, together))
        length = max(length, active + 2)
    for alphabet in alphabets:
        letters = {automaton.passed(letter) for letter in alphabet}
        for before in _together(automaton, alphabet, states, clock):
            for passed in letters:
                clock.tick()
                nodes_made = max(nodes_made, _count_made(automaton, before, passed, length))
    return Sizes(
        automaton.automaton.size,
        len(states),
        active,
        length,
        nodes_made,
        (window.events + 1) * nodes_made if isinstance(window, tree.EventWindow) else None,
        nodes_made if isinstance(window, tree.TimeWindow) else None,
    )


def _together(automaton: Determinised, alphabet: Alphabet, states: set[State], clock: Clock) -> set[Active]:
    """Return the sets of states that can be active together; one set of all states, if there are too many sets."""
    letters = {automaton.passed(letter) for letter in alphabet}
    sets: set[Active] = {frozenset()}
    left: list[Active] = [frozenset()]
    while left:
        before = left.pop()
        for passed in letters:
            clock.tick()
            after = frozenset(target for _, target in _moves(automaton, before, passed))
            if after not in sets:
                sets.add(after)
                left.append(after)
        if len(sets) > MOST_ACTIVE:
            return {frozenset(states)}
    return sets


def _moves(automaton: Determinised, active: Active, passed: frozenset[int]) -> Iterator[tuple[Label, State]]:
    """Yield the transitions of the active states and of a run that begins."""
    for state in (automaton.beginning(), *active):
        yield from automaton.successors(state, passed)


def _count_made(automaton: Determinised, active: Active, passed: frozenset[int], length: int) -> int:
    """Return the most nodes that an event makes where lists have at most `length` nodes: a bottom; the merge of a list,
    unless it is the list of the bottom, for a mark and for a union with others; an output for a mark; three unions for
    each further arrival in a state; at the end one root."""
    arrivals = Counter(target for _, target in _moves(automaton, active, passed))
    total = 1
    for state in (automaton.beginning(), *active):
        merged = 0 if state == automaton.beginning() else length - 1
        for label, target in automaton.successors(state, passed):
            total += merged + 1 if label else merged if arrivals[target] > 1 else 0
    total += sum(3 * (count - 1) for count in arrivals.values())
    finals = sum(automaton.accepts(target) for target in arrivals)
    return total + ((finals - 1) * (length + 2) + length + finals - 2 if finals else 0)


def longest(every: Ways, clock: Clock) -> int | None:
    """Return the most events on a way from its start; None if there is no such number."""
    lengths: dict[int, int] = {}

    def from_(state: int) -> int:
        if state not in lengths:
            clock.tick()
            nexts = {target for moves in every.moves[state] for _, target in moves if target != START}
            lengths[state] = max((1 + from_(target) for target in nexts), default=0)
        return lengths[state]

    cyclic = any(state in every.onward[state] for state in every.moves if state != START)
    return None if cyclic else from_(START)


def unbounded(every: Ways, clock: Clock) -> Growth | None:
    """Return a family of streams for which the kept nodes grow without bound; None if they are bounded.

    They are not bounded iff a run can mark arbitrarily many events, or arbitrarily many runs are in one state.
    """
    marking = _marking(every, clock)
    if marking is not None:
        return marking
    family = growth(every, clock)
    return None if family.degree == 0 else family


def _marking(every: Ways, clock: Clock) -> Growth | None:
    """Return the growth of a run that marks an event and comes back to the same state."""
    for home in sorted(every.moves):
        loop = _marked(every, home, clock) if home != START and home in every.onward[home] else None
        if loop is not None:
            return Growth(1, (way(every, START, home, clock), loop))
    return None


def _marked(every: Ways, home: int, clock: Clock) -> Word | None:
    Node = tuple[int, bool]

    def moves(node: Node) -> Iterator[tuple[Event, Node]]:
        state, marked = node
        for letter, after in zip(every.letters, every.moves[state], strict=True):
            for label, target in after:
                if every.leads(target, home):
                    yield letter, (target, marked or bool(label))

    return shortest((home, False), moves, lambda node: node == (home, True), clock)
