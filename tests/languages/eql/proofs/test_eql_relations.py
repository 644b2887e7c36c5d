"""The smallest traces on which a sequence has no result although a rising tuple of events meets all its clauses.

The lemmas `all-pairs-*` refute the relation on these, and prove it on all traces of one event less.
"""

from __future__ import annotations

import pytest

from parte.languages.eql.proofs.settings import all_pairs
from parte.languages.eql.running import evaluate
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.text import TEXT
from parte.semantics.events.event import Event
from parte.semantics.events.trace import trace_lines
from parte.semantics.rulebook.running import Request

REFUTED = {
    "until of a stage": (
        "A any B until D",
        "sequence [A where true] [any where true] [B where true] until [D where true]",
        "A C D B",
    ),
    "missing of three": (
        "A !M B C",
        "sequence with maxspan=9ms [A where true] ![M where true] [B where true] [C where true]",
        "A B A M B C",
    ),
    "missing last": ("A C !C", "sequence with maxspan=9ms [A where true] [C where true] ![C where true]", "A C C"),
}


def results(text: str, trace: list[Event], model: str) -> int:
    """Return how many results a query has."""
    return len(evaluate(TEXT.parse(text), list(trace_lines(trace)), Request(model)))


@pytest.mark.parametrize("model", ["definition", "sound"])
@pytest.mark.parametrize("name", REFUTED)
def test_a_match_of_all_pairs_without_a_result(name: str, model: str) -> None:
    stages, text, types = REFUTED[name]
    trace = [Event(f"e{time}", template, time, {}) for time, template in enumerate(types.split())]
    stages, _, until = stages.partition(" until ")
    query = TEXT.parse(text).query
    assert isinstance(query, tree.Sequence)
    maxspan = None if query.maxspan is None else query.maxspan.milliseconds
    assert all_pairs(stages.split(), until, trace, maxspan)
    assert results(text, trace, model) == 0
    for place in range(len(trace)):  # each event is needed: without it there is a result, or no such tuple
        fewer = [event for event in trace if event is not trace[place]]
        assert bool(all_pairs(stages.split(), until, fewer, maxspan)) is bool(results(text, fewer, model))


def test_a_result_without_until_and_missing_is_a_minimal_tuple() -> None:
    """A A B B: of the four pairs only the one inside all the others is a result."""
    trace = [Event(f"e{time}", template, time, {}) for time, template in enumerate("AABB")]
    pairs = all_pairs(("A", "B"), "", trace, None)
    (result,) = evaluate(
        TEXT.parse("sequence [A where true] [B where true]"), list(trace_lines(trace)), Request("sound")
    )
    assert len(pairs) == 4
    assert result["events"] == ["e1", "e2"]
