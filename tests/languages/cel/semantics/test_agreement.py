"""The machine finds what the definition says: every strategy, clause, reading that it has, and share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.languages.cel.algebra.denotation import denote
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.algebra.readings import Readings
from parte.languages.cel.conformance.drawing import Shape
from parte.languages.cel.conformance.strategies import cases, queries, streams
from parte.languages.cel.semantics.construction import constructed
from parte.languages.cel.semantics.machine import RIVALS, Machine
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.event import Event
from tests.languages.cel.semantics.runs import valuations

SHAPES = [Shape(), Shape(links=True, depth=2), Shape(conditions=False, events=9, depth=2)]


@pytest.mark.parametrize("shape", SHAPES, ids=["all", "links", "long"])
@pytest.mark.parametrize("rivals", RIVALS)
@given(data=st.data(), processes=st.integers(1, 4))
def test_the_machine_finds_what_the_definition_says(
    data: st.DataObject, processes: int, rivals: str, shape: Shape
) -> None:
    query, events = data.draw(cases(shape))
    expected = evaluate(query, events, Readings(rivals=rivals))
    assert sorted(Machine(query, rivals=rivals).run(events)) == expected
    shares = [list(Machine(query, rivals=rivals, processes=processes, index=k).run(events)) for k in range(processes)]
    assert sorted(result for share in shares for result in share) == expected


@given(queries(Shape(clauses=False)), streams(5))
def test_accepted_runs_are_the_valuations(query: tree.Query, events: tuple[Event, ...]) -> None:
    """T theorem 3.1, on valuations, with the number of states that it allows."""
    formula = query.formula
    automaton = constructed(formula)
    assert valuations(automaton, events) == denote(formula, events)
    nodes = list(tree.within(formula))
    if not any(isinstance(node, tree.Either) for node in nodes):
        assert automaton.size <= 2 * sum(isinstance(node, tree.Formula) for node in nodes) + 1
    assert not any(transition.target == automaton.initial for transition in automaton.transitions)


@given(cases())
def test_results_only_grow_with_the_stream(case: tuple[tree.Query, tuple[Event, ...]]) -> None:
    query, events = case
    for length in range(len(events)):
        before = evaluate(query, events[:length])
        assert before == [complex_event for complex_event in evaluate(query, events) if complex_event.end < length]


def test_what_only_the_definition_has_is_refused() -> None:
    with pytest.raises(Unsupported, match="below another operator"):
        Machine(parse("SELECT * WHERE (A; B FILTER A[v] = B[v]); C"))
    with pytest.raises(Unsupported, match="together with MAX"):
        Machine(parse("SELECT MAX * WHERE A; B FILTER A[v] = B[v]"))
    with pytest.raises(Unsupported, match="not known while events come"):
        Machine(parse("SELECT * WHERE A"), rivals="all")
    with pytest.raises(ValueError, match="an index from 0 to 1, found 2"):
        Machine(parse("SELECT * WHERE A"), processes=2, index=2)
