"""What a run must keep: deterministic states, nodes made for an event, the length of union-lists, nodes that are kept
(specification: cel-bounds).

The numbers follow from how the machine works, not from a stream; tests drive streams against them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from parte.checker.cel.clock import Clock
from parte.checker.cel.growth import START, Growth, Ways, growth, way
from parte.checker.cel.letters import Alphabet
from parte.checker.cel.search import Word, reachable, shortest
from parte.semantics.cel.determinised import Determinised
from parte.semantics.cel.syntax import tree
from parte.semantics.events.event import Event


@dataclass(frozen=True, slots=True)
class Sizes:
    """What one substream can need at most; `states` are those of the whole run, and some stream has as many.

    `kept` is how many nodes are kept under a window of events, and `kept_for_each` how many for each event that a
    window of time holds. `marks` is the greatest number of events of a result, if there is one.
    """

    automaton: int
    states: int
    list_length: int
    nodes_made: int
    kept: int | None
    kept_for_each: int | None

    def figures(self) -> dict[str, int | None]:
        """For `--json`."""
        return {
            "automaton states": self.automaton,
            "deterministic states": self.states,
            "length of union-lists": self.list_length,
            "nodes made for an event": self.nodes_made,
            "nodes kept": self.kept,
            "nodes kept for each event in the window": self.kept_for_each,
        }


def sizes(automaton: Determinised, window: tree.Window | None, alphabets: Iterable[Alphabet], clock: Clock) -> Sizes:
    """The sizes under a window. Undecided if there are too many states.

    - Lists (T §5.2): what stands behind the first was the head of a list when that start was new, and no state has two
      heads; so a list is no longer than the states and two.
    - Nodes: a transition merges a list, extends the result, and unites it with what is there, at most three unions.
    - Kept are nodes with starts in the window; an event makes none with a start behind it.
    """
    alphabets = tuple(alphabets)
    states = reachable(automaton, alphabets, clock)
    letters = {automaton.passed(letter) for alphabet in alphabets for letter in alphabet}
    most = max(
        (
            sum(len(automaton.successors(state, passed)) for state in (automaton.beginning(), *states))
            for passed in letters
        ),
        default=0,
    )
    finals = sum(automaton.accepts(state) for state in states)
    length = len(states) + 2
    at_the_end = finals * (length + 3) + length
    made = 1 + most * (length + 3) + at_the_end
    return Sizes(
        automaton.automaton.size,
        len(states),
        length,
        made,
        (window.events + 1) * made if isinstance(window, tree.EventWindow) else None,
        made if isinstance(window, tree.TimeWindow) else None,
    )


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
