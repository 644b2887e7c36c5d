"""One event of Algorithm 1 (T §5.3): the paths to each state afterwards, their order, and what is forgotten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parte.checker.solver.branching import text
from parte.languages.cel.proofs.settings import LABEL, compact_set, list_of
from parte.languages.cel.proofs.statements import (
    bottoms_of,
    falling,
    is_one_of,
    new_unions,
    not_rising,
    time_ordered,
    well_made,
)
from parte.languages.cel.semantics.automata import SKIP, Label
from parte.languages.cel.semantics.determinised import State
from parte.languages.cel.semantics.enumeration import enumerate_paths
from parte.languages.cel.semantics.evaluation import Evaluation, Table, forgotten, root
from parte.languages.cel.semantics.tecs import Node, Output, Tecs, Union, extend, joined, new_bottom, safe
from parte.languages.cel.semantics.union_lists import UnionList
from parte.proofs.lemma import HOLDS, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import number
from parte.proofs.statements import at_most, every
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event

SECTION = "5.3"
_EVALUATION, _TECS = "parte.languages.cel.semantics.evaluation", "parte.languages.cel.semantics.tecs"

START, FIRST, SECOND, THIRD = (State(frozenset({number})) for number in range(4))
"""States of a deterministic automaton without known properties."""

NOW = 7
"""The position of the next event."""

Paths = Sequence[tuple[int, tuple[int, ...]]]
"""The starts of paths, and the events marked on them."""

_LEADS: Sequence[Sequence[tuple[Label, State]]] = (
    ((LABEL, FIRST),),
    ((SKIP, FIRST),),
    ((LABEL, FIRST), (SKIP, SECOND)),
    ((LABEL, SECOND), (SKIP, FIRST)),
    (),
)
"""The possible targets of the transitions of a state over an event: two states, with a mark and without."""


@dataclass
class _Automaton:
    """A deterministic automaton, given by the targets of its states over one event."""

    leads: Mapping[State, Sequence[tuple[Label, State]]]
    everywhere: bool = False

    def passed(self, _: Event) -> frozenset[int]:
        return frozenset()

    def beginning(self, *_: object) -> State:
        return START

    def successors(self, state: State, _: object) -> Sequence[tuple[Label, State]]:
        return self.leads[state]


def _evaluation(run: Run, leads: Mapping[State, Sequence[tuple[Label, State]]]) -> Evaluation:
    automaton: Any = _Automaton(leads)
    return Evaluation(automaton, run.repairs, windowed=False)


def an_event(run: Run) -> Claims:
    """Two active states, in the order of the greatest starts of their paths, and a later event."""
    first, second = list_of(run, 2, "first "), list_of(run, 1, "second ")
    start = run.integer("start")
    run.assume(at_most(second[0].greatest, first[0].greatest), at_most(first[0].greatest, start))
    leads = {state: choice(run, f"from {name}", _LEADS) for name, state in (("start", START), ("first", THIRD))}
    leads[SECOND] = choice(run, "from second", _LEADS[1:3])
    evaluation = _evaluation(run, leads)
    evaluation.table = {THIRD: first, SECOND: second}
    evaluation.ages = {SECOND: 0, THIRD: 1} if run.truth("second was reached before") else {THIRD: 0, SECOND: 1}
    evaluation.event(Event("e", "T", 0, {}), NOW, start, -1)
    sources: Mapping[State, Sequence[int]] = {
        START: [start],
        THIRD: [node.greatest for node in first],
        SECOND: [node.greatest for node in second],
    }
    claims: list[tuple[str, bool]] = [
        (
            "the greatest starts do not rise from state to state",
            not_rising([nodes_of_state[0] for nodes_of_state in evaluation.table.values()]),
        )
    ]
    for name, target in (("first", FIRST), ("second", SECOND)):
        nodes = evaluation.table.get(target, ())
        actual = [(end.greatest, marked) for node in nodes for end, marked in bottoms_of(node)]
        expected = [
            (begin, (NOW,) if label else ())
            for state in sources
            for label, goal in leads[state]
            if goal == target
            for begin in sources[state]
        ]
        claims += [
            (
                f"to the {name} state lead the paths whose transitions do, marked if these mark",
                _same_paths(actual, expected),
            ),
            *_a_list(nodes),
        ]
    return claims


def _same_paths(actual: Paths, expected: Paths) -> bool:
    """Return whether both have the same starts and marks, each as often. A start is a term, compared by its text."""
    ours, theirs = ([(text(start), marked) for start, marked in paths] for paths in (actual, expected))
    return sorted(ours) == sorted(theirs)


def _a_list(nodes: UnionList) -> Claims:
    """Return the claims about every list."""
    if not nodes:
        return ()
    unions = [union for member in nodes for union in new_unions(member, ())]
    return (
        (
            "the first node of a list has its greatest start",
            every(at_most(member.greatest, nodes[0].greatest) for member in nodes),
        ),
        ("and is no union", not isinstance(nodes[0], Union)),
        ("behind it the starts fall", falling(nodes[1:])),
        ("all nodes of a list are safe", all(safe(member) for member in nodes)),
        ("in order of time", every(map(time_ordered, unions))),
        ("and at most three deep", every(at_most(union.depth, 3) for union in unions)),
    )


def roots(run: Run) -> Claims:
    """Up to three accepting states, in the order of their greatest starts."""
    lengths = choice(run, "lengths", ((2,), (2, 2), (1, 2, 1)))
    lists = [list_of(run, length, f"{place}: ") for place, length in enumerate(lengths)]
    run.assume(not_rising([nodes[0] for nodes in lists]))
    members = [node for nodes in lists for node in nodes]
    merged = root(compact_set(), lists)
    return (("the root is safe", safe(merged)), *well_made(merged, members, members))


# --- Forgetting -------------------------------------------------------------------------------------------------------


def tables(run: Run) -> Claims:
    """Two states, with lists of one and of three nodes."""
    first, second = list_of(run, 3, "first "), list_of(run, 1, "second ")
    least = run.integer("least")
    table: Table = {FIRST: first, SECOND: second}
    remaining = forgotten(table, least)
    stays = {state: [node for node in nodes if at_most(least, node.greatest)] for state, nodes in table.items()}
    return (
        (
            "states that the window reaches are kept, in order",
            list(remaining) == [state for state in table if stays[state]],
        ),
        (
            "with the nodes that it reaches, in order",
            all(list(nodes) == stays[state] for state, nodes in remaining.items()),
        ),
    )


def nodes(run: Run) -> Claims:
    """A set of seven nodes with three starts that do not decrease, and a window that moves on twice."""
    starts = [number(run, f"start {place}") for place in range(3)]
    least, later = number(run, "least"), number(run, "least later")
    run.assume(at_most(starts[0], starts[1]), at_most(starts[1], starts[2]), at_most(least, later))
    tecs = Tecs(bounded=True)
    first, second, third = (new_bottom(tecs, place, start) for place, start in enumerate(starts))
    marked = extend(tecs, first, 1, LABEL)
    lower = joined(tecs, second, marked)
    extended = extend(tecs, lower, 2, LABEL)
    upper = joined(tecs, third, extended)
    inner: Sequence[Output | Union] = (marked, lower, extended, upper)
    claims: list[tuple[str, bool]] = []
    for window in (least, later):
        expected = _printed(upper, window)
        tecs.forget(window)
        there = [node for node in (first, second, third, *inner) if at_most(window, node.greatest)]
        claims += [
            ("what is printed is the same", _printed(upper, window) == expected),
            (
                "a node leads on just if the window reaches it",
                all(_leads(node) is is_one_of(node, there) for node in inner),
            ),
            ("what the window reaches is remembered, and no more", tecs.remembered == len(there)),
        ]
    return claims


def _printed(node: Node, least: int) -> list[tuple[int, tuple[int, ...]]]:
    return [
        (path.start, tuple(place for place, _ in path.marks)) for path in enumerate_paths(node, least, lambda: None)
    ]


def _leads(node: Output | Union) -> bool:
    """Return whether a node leads on; it must not lead on to one side only."""
    ends = {node.next is None} if isinstance(node, Output) else {node.left is None, node.right is None}
    assert len(ends) == 1, "a node is forgotten by half"
    return not ends.pop()


LEMMAS = (
    Lemma(
        "an-event-leads-paths-on",
        "After an event each state has the paths that transitions lead there, in a list, and the greatest starts fall.",
        SECTION,
        ("CORE/EVAL-START", "CORE/EVAL-MARK", "CORE/EVAL-SKIP", "CORE/EVAL-ADD", "CORE/KEYS"),
        "3 states to come from and 2 to go to, each from none to two transitions; lists of 1 and 2 nodes, any starts",
        an_event,
        Mutant("in-reverse", f"{_EVALUATION}:ordered_keys", "list(table)", "list(reversed(table))"),
        REPAIRED,
        (15,),
    ),
    Lemma(
        "the-root-has-all-results",
        "One safe node stands for the paths to all accepting states, each once.",
        SECTION,
        ("CORE/ROOT",),
        "1 to 3 accepting states with lists of 1 or 2 nodes, any starts",
        roots,
        Mutant("one-state-only", f"{_EVALUATION}:root", "for nodes in others:", "for nodes in ():"),
        HOLDS,
    ),
    Lemma(
        "tables-keep-what-the-window-reaches",
        "What no window reaches leaves the table, and all else stays in its order.",
        SECTION,
        ("CORE/FORGET",),
        "lists of 1 and 3 nodes, any starts, any window",
        tables,
        Mutant(
            "the-least-too", f"{_EVALUATION}:forgotten", "if nodes[0].greatest >= least", "if nodes[0].greatest > least"
        ),
        HOLDS,
    ),
    Lemma(
        "forgetting-loses-no-result",
        "What nodes lead to is let go just if no window reaches it any more, and no result is lost.",
        SECTION,
        ("CORE/FORGET",),
        "7 nodes with any 3 starts that do not fall; any window, of events or of time, that moves on twice",
        nodes,
        Mutant("the-least-too", f"{_TECS}:Tecs.forget", "self._starts[0] < least", "self._starts[0] <= least"),
        HOLDS,
    ),
)
