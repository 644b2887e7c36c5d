"""What holds of every node and every list that is made (specification: cel-tecs, cel-union-lists, cel-evaluation)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.languages.cel.conformance.drawing import Shape
from parte.languages.cel.conformance.strategies import cases
from parte.languages.cel.semantics.automata import Label
from parte.languages.cel.semantics.enumeration import counted
from parte.languages.cel.semantics.evaluation import UNBOUNDED, Evaluation, live
from parte.languages.cel.semantics.machine import Machine, q_within
from parte.languages.cel.semantics.syntax.parser import parse
from parte.languages.cel.semantics.tecs import Bottom, Node, Output, Tecs, Union, safe
from parte.languages.cel.semantics.union_lists import UnionList, merge
from parte.semantics.events.event import Event

Path = tuple[int, tuple[tuple[int, Label], ...]]
SHAPES = [Shape(events=9), Shape(conditions=False, clauses=False, events=9)]


def paths(node: Node) -> Iterator[Path]:
    """All full paths of a node: where they start, and what is marked on them."""
    match node:
        case Bottom(position=position):
            yield position, ()
        case Output(next=following):
            assert following is not None
            yield from ((start, (*marks, (node.position, node.label))) for start, marks in paths(following))
        case Union(left=left, right=right):
            assert left is not None
            assert right is not None
            yield from paths(left)
            yield from paths(right)


def check_node(node: Node) -> None:
    """Time-ordered, bounded, and of its greatest start (T §5.1)."""
    if isinstance(node, Union) and node.left is not None and node.right is not None:
        assert node.left.greatest >= node.right.greatest
        assert node.depth == node.left.depth + 1 <= 3
        assert node.greatest == node.left.greatest


def check_list(nodes: UnionList) -> None:
    """T §5.2."""
    assert not isinstance(nodes[0], Union)
    assert all(safe(node) for node in nodes)
    starts = [node.greatest for node in nodes]
    assert all(start <= starts[0] for start in starts)
    assert all(start > following for start, following in pairwise(starts[1:]))
    assert safe(merge(Tecs(bounded=False), nodes))


def check(evaluation: Evaluation, least: int) -> None:
    """Everything that is live."""
    heads = [nodes[0].greatest for nodes in evaluation.table.values()]
    assert heads == sorted(heads, reverse=True)
    for nodes in evaluation.table.values():
        check_list(nodes)
    for node in live(evaluation):
        check_node(node)
    if least > UNBOUNDED:
        return
    for state, nodes in evaluation.table.items():
        root = merge(Tecs(bounded=False), nodes)
        counts = Counter(paths(root))
        assert max(counts.values()) == 1, (state, counts)
        assert counted(root, UNBOUNDED)(root) == counts.total()
        assert root.greatest == max(start for start, _ in counts)


@pytest.mark.parametrize("shape", SHAPES, ids=["all", "formulas"])
@given(data=st.data())
def test_every_node_and_list_is_as_it_must_be(data: st.DataObject, shape: Shape) -> None:
    query, events = data.draw(cases(shape))
    machine = Machine(query)
    for event in events:
        machine.event(event)
        for substream in machine.substreams.values():
            check(substream.evaluation, UNBOUNDED if query.window is None else 0)


QUERIES = [
    "SELECT * WHERE A; B WITHIN 2 EVENTS",
    "SELECT * WHERE A+ WITHIN 5 EVENTS",
    "SELECT * WHERE (A OR B)+ WITHIN 6 MS",
    "SELECT * WHERE A; B+; C WITHIN 8 EVENTS",
    "SELECT * WHERE ((B; B) OR A OR B)+ WITHIN 4 EVENTS",
]


@pytest.mark.parametrize("text", QUERIES)
def test_live_nodes_depend_on_window_and_query_not_on_the_stream(text: str) -> None:
    """Defect 19, and what it costs to leave it: nodes grow with the stream."""
    counts = []
    for length in (200, 800):
        machine = Machine(parse(text))
        rng = Random(1)
        most = 0
        for position in range(length):
            machine.event(Event(f"e{position}", rng.choice("AAB"), position, {}))
            (substream,) = machine.substreams.values()
            most = max(most, sum(1 for _ in live(substream.evaluation)))
            assert substream.evaluation.tecs.remembered <= 40 * 10
        counts.append(most)
    assert counts[1] <= counts[0] + 12, counts


@pytest.mark.parametrize("text", [*QUERIES, "SELECT * WHERE A; B; C", "SELECT * WHERE A; B"])
def test_an_event_makes_few_nodes_however_long_the_stream(text: str) -> None:
    """CORE/UPDATE: as many as the query bounds."""
    machine = Machine(parse(text))
    rng = Random(3)
    node_counts: list[int] = []
    for position in range(400):
        before = sum(substream.evaluation.tecs.count for substream in machine.substreams.values())
        event = Event(f"e{position}", rng.choice("AB"), position, {})
        if not machine.substreams:
            machine.event(event)
            continue
        (substream,) = machine.substreams.values()
        start, least = q_within(machine.query.window, event, position, True)
        machine.position = position
        substream.evaluation.event(event, position, start, least)
        node_counts.append(substream.evaluation.tecs.count - before)
    assert max(node_counts[200:]) <= max(node_counts[:200])
    assert max(node_counts) <= 4 * machine.automaton.size**2


@pytest.mark.parametrize("text", [*QUERIES, "SELECT * WHERE A; B; C", "SELECT A WHERE A; B"])
def test_between_two_results_few_nodes_are_visited(text: str) -> None:
    """CORE/DELAY: at most 4·(|D| + 1), before the first too, whatever the stream."""
    machine = Machine(parse(text))
    rng = Random(2)
    for position in range(150):
        before = machine.visited
        complex_events = machine.event(Event(f"e{position}", rng.choice("AABC"), position, {}))
        marked = sum(len(result.positions) + 1 for result in complex_events)
        assert machine.visited - before <= 4 * marked


@pytest.mark.parametrize("window", ["3 EVENTS", "3 MS"])
def test_events_that_a_window_has_left_are_forgotten_with_links_too(window: str) -> None:
    machine = Machine(parse(f"SELECT * WHERE A; B FILTER A[v] = B[v] WITHIN {window}"))
    for position in range(50):
        machine.event(Event(f"e{position}", "AB"[position % 2], position, {"v": 1}))
    (substream,) = machine.substreams.values()
    assert list(substream.events) == [46, 47, 48, 49]
