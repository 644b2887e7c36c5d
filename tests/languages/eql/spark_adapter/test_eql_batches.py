"""What the workers do, without Spark: the tasks of all keys find what the definition says."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa
from hypothesis import assume, given

from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.conformance.drawing import Shape
from parte.languages.eql.conformance.strategies import cases
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.languages.eql.spark_adapter.batches import line_batches, result_batches
from parte.semantics.events.event import Event, Value

SEQUENCES = Shape(kinds=("sequence",), events=14)


def results(query: tree.Query, events: Sequence[Event]) -> list[tuple[list[object], list[str]]]:
    """What all tasks find, with each key in a task of its own, without pipes."""
    rows = [
        {
            "position": position,
            "id": event.id,
            "template": event.template,
            "timestamp": event.timestamp,
            "attributes": json.dumps(dict(event.attributes)),
        }
        for position, event in enumerate(events)
    ]
    text = print_query(query)
    lines = (
        [row for b in line_batches(text, [pa.RecordBatch.from_pylist(rows)]) for row in b.to_pylist()] if rows else []
    )
    found_rows = []
    for key in sorted({key for line in lines for key in line["keys"]}):
        task = [{"key": key, **line} for line in lines if key in line["keys"]]
        halves = [task[: len(task) // 2], task[len(task) // 2 :]]  # a key does not end with a batch
        for batch in result_batches(text, [pa.RecordBatch.from_pylist(half) for half in halves if half]):
            found_rows += batch.to_pylist()
    found_rows.sort(key=lambda row: (row["end"], row["last"], row["start"], row["first"]))
    assert all(events[row["first"]].id == row["events"][0] for row in found_rows)
    return [(json.loads(row["keys"]), row["events"]) for row in found_rows]


def defined(query: tree.Query, events: Sequence[Event]) -> list[tuple[list[object], list[str]]]:
    """What the definition says."""
    return [(result["keys"], result["events"]) for result in evaluate(query, events, Readings())]


@given(cases(SEQUENCES))
def test_all_tasks_find_what_the_definition_says(case: tuple[tree.Query, tuple[Event, ...]]) -> None:
    query, events = case
    assume(isinstance(query, tree.Sequence) and not query.pipes)
    assert results(query, events) == defined(query, events)


def test_an_event_is_in_the_tasks_of_several_keys() -> None:
    """Each of its keys has its results once, and no task has those of another one."""
    query = parse("sequence with maxspan=9ms [A where true] by k [A where true] by v [A where true] by k")
    events = [Event(f"e{place}", "A", place, {"k": place % 2, "v": place // 2 % 2}) for place in range(9)]
    assert results(query, events) == defined(query, events) != []


def test_numbers_that_are_equal_are_one_key() -> None:
    query = parse("sequence by k with maxspan=9ms [A where true] [A where true]")
    values: tuple[Value, ...] = (1, True, 1.0, 2**53, 2**53 + 1, 2.0**53, 0.0, -0.0, "1")
    events = [Event(f"e{place}", "A", place, {"k": value}) for place, value in enumerate(values)]
    assert [ids for _, ids in results(query, events)] == [["e0", "e2"], ["e3", "e5"], ["e6", "e7"]]
    assert results(query, events) == defined(query, events)
