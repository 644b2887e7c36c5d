"""The state of one substream: the states of its runs, and the paths that lead there (specification: cel-evaluation; T
Algorithm 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from parte.languages.cel.semantics.automata import Label
from parte.languages.cel.semantics.determinised import NONE, Determinised, State
from parte.languages.cel.semantics.repairs import Repairs
from parte.languages.cel.semantics.rulebook import rule
from parte.languages.cel.semantics.tecs import Node, Output, Tecs, extend, new_bottom
from parte.languages.cel.semantics.union_lists import UnionList, insert, merge, new_ulist
from parte.semantics.events.event import Event

Table = dict[State, UnionList]
"""The paths that lead to each active state, in the order in which the states were reached."""

UNBOUNDED = -(2**100)
"""The least start where there is no window."""


@dataclass(slots=True)
class Evaluation:
    """The state of a run on one substream; `windowed` says whether its query has a window."""

    automaton: Determinised
    repairs: Repairs
    windowed: bool
    table: Table = field(default_factory=dict)
    ages: dict[State, int] = field(default_factory=dict)
    elsewhere: tuple[frozenset[int], frozenset[int]] = (NONE, NONE)
    tecs: Tecs = field(init=False)

    def __post_init__(self) -> None:
        self.tecs = Tecs(bounded=self.windowed and self.repairs.forgetting)

    def event(self, event: Event, position: int, start: int, least: int) -> None:
        """Process one more event. `start` is its place in the unit of the window, `least` the least start in the
        window."""
        passed = self.automaton.passed(event)
        if self.tecs.bounded:
            self.tecs.forget(least)
            self.table = forgotten(self.table, least)
        table: Table = {}
        self._transitions(*eval_start(self, position, start), passed, position, table)
        for state in ordered_keys(self.table, self.ages if not self.repairs.keys_of_event else None):
            self._transitions(state, self.table[state], passed, position, table)
        if self.automaton.everywhere:
            self._others(passed)
        if not self.repairs.keys_of_event:
            for state in table:
                self.ages.setdefault(state, len(self.ages))
        self.table = table

    def _transitions(self, state: State, nodes: UnionList, passed: frozenset[int], position: int, table: Table) -> None:
        """Run the transitions of a state; the marking ones come first."""
        for label, target in self.automaton.successors(state, passed):
            if label:
                eval_mark(self, table, target, nodes, position, label)
            else:
                eval_skip(self, table, target, nodes)

    def _others(self, passed: frozenset[int]) -> None:
        """Move the runs that began so far: those without marks, and those with some."""
        step = self.automaton.step(passed)
        unmarked, marked = self.elsewhere
        begun = unmarked | {self.automaton.automaton.initial}
        self.elsewhere = (
            step.skipping(begun),
            step.marking(begun) | step.marking(marked) | step.skipping(marked),
        )

    def roots(self, least: int) -> list[Node]:
        """Return the nodes for the results that end now: one node, or, unrepaired, one for each final state."""
        accepting = [nodes for state, nodes in self.table.items() if self.automaton.accepts(state)]
        nodes_of_results = (
            [root(self.tecs, accepting)]
            if accepting and self.repairs.one_root
            else [merge(self.tecs, nodes) for nodes in accepting]
        )
        return [node for node in nodes_of_results if node.greatest >= least]

    def clear(self) -> None:
        """End all runs: only runs that begin at the next event or later count."""
        self.table, self.elsewhere = {}, (NONE, NONE)


@rule("EVAL-START", "lines 7-8", "5.3")
def eval_start(evaluation: Evaluation, position: int, start: int) -> tuple[State, UnionList]:
    """A run may begin at every event."""
    bottom = new_bottom(evaluation.tecs, position, start)
    return evaluation.automaton.beginning(*evaluation.elsewhere), new_ulist(bottom)


@rule("EVAL-MARK", "lines 16-19", "5.3")
def eval_mark(
    evaluation: Evaluation, table: Table, target: State, nodes: UnionList, position: int, label: Label
) -> None:
    """The runs mark the event: their paths get it too."""
    node = extend(evaluation.tecs, merge(evaluation.tecs, nodes), position, label)
    eval_add(evaluation.tecs, table, target, node, new_ulist(node))


@rule("EVAL-SKIP", "lines 20-21", "5.3")
def eval_skip(evaluation: Evaluation, table: Table, target: State, nodes: UnionList) -> None:
    """The runs do not mark the event: their paths do not change."""
    eval_add(evaluation.tecs, table, target, None, nodes)


@rule("EVAL-ADD", "ADD", "5.3")
def eval_add(tecs: Tecs, table: Table, target: State, node: Output | None, nodes: UnionList) -> None:
    """Add paths that lead to a state to those that lead there already, if any."""
    if target in table:
        table[target] = insert(tecs, table[target], node if node is not None else merge(tecs, nodes))
    else:
        table[target] = nodes


@rule("KEYS", "ordered-keys", "5.2")
def ordered_keys(table: Table, ages: dict[State, int] | None) -> Sequence[State]:
    """The active states in the order in which the event before reached them, so that the greatest starts of their paths
    descend; unrepaired, in the order in which they were first reached."""
    return list(table) if ages is None else sorted(table, key=ages.__getitem__)


@rule("FORGET", "(defect 19)", "5.3")
def forgotten(table: Table, least: int) -> Table:
    """The table without the paths that are outside of all windows from now on."""
    return {
        state: nodes if nodes[-1].greatest >= least else tuple(node for node in nodes if node.greatest >= least)
        for state, nodes in table.items()
        if nodes[0].greatest >= least
    }


@rule("ROOT", "lines 30-33", "5.3")
def root(tecs: Tecs, accepting: Sequence[UnionList]) -> Node:
    """One node for all results that end now, whatever their final states."""
    first, *others = accepting
    for nodes in others:
        first = insert(tecs, first, merge(tecs, nodes))
    return merge(tecs, first)


def live(evaluation: Evaluation) -> Iterator[Node]:
    """Yield the nodes that the table leads to."""
    seen: set[int] = set()
    left: list[Node | None] = [node for nodes in evaluation.table.values() for node in nodes]
    while left:
        node = left.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        left += [getattr(node, name, None) for name in ("next", "left", "right")]
