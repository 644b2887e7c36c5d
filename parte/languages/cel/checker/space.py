"""What a run must keep: deterministic states, nodes made for an event, the length of union-lists, nodes that are kept
(specification: cel-bounds).

The numbers follow from how the machine works, not from a stream; tests drive streams against them.
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
"""So many sets of states that are active at once are looked at; beyond, all states may be."""

Active = frozenset[State]


@dataclass(frozen=True, slots=True)
class Sizes:
    """What one substream can need at most; `states` are those of the whole run, and some stream has as many.

    `kept` is how many nodes are kept under a window of events, and `kept_for_each` how many for each event that a
    window of time holds.
    """

    automaton: int
    states: int
    active: int
    list_length: int
    nodes_made: int
    kept: int | None
    kept_for_each: int | None

    def figures(self) -> dict[str, int | None]:
        """For `--json`."""
        return {
            "automaton states": self.automaton,
            "deterministic states": self.states,
            "active states": self.active,
            "length of union-lists": self.list_length,
            "nodes made for an event": self.nodes_made,
            "nodes kept": self.kept,
            "nodes kept for each event in the window": self.kept_for_each,
        }


def sizes(automaton: Determinised, window: tree.Window | None, alphabets: Iterable[Alphabet], clock: Clock) -> Sizes:
    """The sizes under a window. Undecided if there are too many states.

    - Lists (T §5.2): what stands behind the first was the head of a list when that start was new, and no active state
      has two heads; so a list is no longer than the active states and two.
    - Kept are nodes with starts in the window; an event makes none with a start behind it.
    """
    alphabets = tuple(alphabets)
    states = reachable(automaton, alphabets, clock)
    length = active = made = 0
    for alphabet in alphabets:
        together = _together(automaton, alphabet, states, clock)
        active = max(active, *map(len, together))
        length = max(length, active + 2)
    for alphabet in alphabets:
        letters = {automaton.passed(letter) for letter in alphabet}
        for before in _together(automaton, alphabet, states, clock):
            for passed in letters:
                clock.tick()
                made = max(made, _made(automaton, before, passed, length))
    return Sizes(
        automaton.automaton.size,
        len(states),
        active,
        length,
        made,
        (window.events + 1) * made if isinstance(window, tree.EventWindow) else None,
        made if isinstance(window, tree.TimeWindow) else None,
    )


def _together(automaton: Determinised, alphabet: Alphabet, states: set[State], clock: Clock) -> set[Active]:
    """The sets of states that can be active at once; all states, if there are too many sets."""
    letters = {automaton.passed(letter) for letter in alphabet}
    found: set[Active] = {frozenset()}
    left: list[Active] = [frozenset()]
    while left:
        before = left.pop()
        for passed in letters:
            clock.tick()
            after = frozenset(target for _, target in _moves(automaton, before, passed))
            if after not in found:
                found.add(after)
                left.append(after)
        if len(found) > MOST_ACTIVE:
            return {frozenset(states)}
    return found


def _moves(automaton: Determinised, active: Active, passed: frozenset[int]) -> Iterator[tuple[Label, State]]:
    """The transitions of the active states and of a run that begins."""
    for state in (automaton.beginning(), *active):
        yield from automaton.successors(state, passed)


def _made(automaton: Determinised, active: Active, passed: frozenset[int], length: int) -> int:
    """The most nodes that an event makes where lists have at most `length` nodes: a bottom; what merges a list, unless
    it is that of the bottom, for a mark and where it is united with others; an output for a mark; three unions for each
    that comes to where others are; at the end one root."""
    arrivals = Counter(target for _, target in _moves(automaton, active, passed))
    made = 1
    for state in (automaton.beginning(), *active):
        merged = 0 if state == automaton.beginning() else length - 1
        for label, target in automaton.successors(state, passed):
            made += merged + 1 if label else merged if arrivals[target] > 1 else 0
    made += sum(3 * (count - 1) for count in arrivals.values())
    finals = sum(automaton.accepts(target) for target in arrivals)
    return made + ((finals - 1) * (length + 2) + length + finals - 2 if finals else 0)


def longest(every: Ways, clock: Clock) -> int | None:
    """The most events on a way from its start; None if there is no such number."""
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
    """A family of streams over which ever more must be kept; None if what must be kept is bounded.

    It is not bounded iff a run can mark ever more events, or ever more runs are in one state.
    """
    marking = _marking(every, clock)
    if marking is not None:
        return marking
    found = growth(every, clock)
    return None if found.degree == 0 else found


def _marking(every: Ways, clock: Clock) -> Growth | None:
    """A run that marks an event and comes back to where it was."""
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
