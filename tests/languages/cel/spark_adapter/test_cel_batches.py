"""What the workers do, without Spark: the tasks of all shares and groups find what the definition says."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.conformance.drawing import Shape
from parte.languages.cel.conformance.strategies import cases
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.languages.cel.spark_adapter.batches import Task, line_batches, result_batches
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event

TASK = Task("SELECT * WHERE A", 1, "interval", False)


def results(task: Task, events: list[Event]) -> list[tuple[ComplexEvent, list[str]]]:
    """What all tasks find, with each group in a task of its own."""
    rows = [
        {
            "position": position,
            "id": event.id,
            "template": event.template,
            "timestamp": event.timestamp,
            "source": event.source,
            "attributes": json.dumps(dict(event.attributes)),
        }
        for position, event in enumerate(events)
    ]
    lines = [row for row in lines_of(task, *rows) if row["key"] is not None]
    pairs = []
    for key in sorted({row["key"] for row in lines}):
        for share in range(task.processes):
            given_rows = [row | {"share": share} for row in lines if row["key"] == key]
            # Two batches: a group does not end with one.
            halves = [given_rows[: len(given_rows) // 2], given_rows[len(given_rows) // 2 :]]
            batches = [pa.RecordBatch.from_pylist(half) for half in halves if half]
            for batch in result_batches(task, batches):
                pairs += [
                    (ComplexEvent(row["end"], row["start"], tuple(row["positions"])), row["events"])
                    for row in batch.to_pylist()
                ]
    return sorted(pairs)


def lines_of(task: Task, *rows: dict[str, object]) -> list[dict[str, str]]:
    """The lines of rows."""
    if not rows:
        return []
    return [row for batch in line_batches(task, [pa.RecordBatch.from_pylist(list(rows))]) for row in batch.to_pylist()]


@given(case=cases(Shape(depth=2)), processes=st.integers(1, 3))
def test_all_tasks_find_what_the_definition_says(case: tuple[tree.Query, tuple[Event, ...]], processes: int) -> None:
    query, events = case
    grouped = bool(query.attributes) and query.consumption is not tree.Consumption.ANY
    pairs = results(Task(print_query(query), processes, "interval", grouped), list(events))
    assert [result for result, _ in pairs] == evaluate(query, events)
    assert all(ids == [events[position].id for position in result.positions] for result, ids in pairs)


def test_a_substream_is_in_one_group() -> None:
    task = Task("SELECT * WHERE A PARTITION BY v", 1, "interval", True)
    values = [1, 1.0, True, "1", 0.0, -0.0, 0, False, [1], [1.0], 2**53, 2**53 + 1, None]
    rows = [
        {"position": position, "id": f"e{position}", "template": "A", "timestamp": 0, "attributes": text}
        for position, text in enumerate(json.dumps({} if value is None else {"v": value}) for value in values)
    ]
    keys = [row["key"] for row in lines_of(task, *rows)]
    assert keys[0] == keys[1]
    assert len({keys[0], keys[2], keys[3], keys[4]}) == 4
    assert keys[4] == keys[5] == keys[6] != keys[7]
    assert keys[8] == keys[9]
    assert keys[-1] is None
    # A group may have several substreams: of numbers that are one as binary64.
    events = [Event(f"e{number}", "A", 0, {"v": value}) for number, value in enumerate((2**53, 2**53 + 1, 2.0**53))]
    query = parse("SELECT * WHERE A; A PARTITION BY v")
    pairs = results(Task(print_query(query), 1, "interval", True), events)
    assert [result for result, _ in pairs] == evaluate(query, events) == [ComplexEvent(2, 0, (0, 2))]


ROW = {"position": 6, "id": "a", "template": "A", "timestamp": 5, "source": "s", "attributes": '{"v": 1}'}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": None}, '"id": expected a string that is not empty'),
        ({"template": None}, '"template": expected a string that is not empty'),
        ({"timestamp": None}, 'the key "timestamp" is missing'),
        ({"source": ""}, '"source": expected a string that is not empty'),
        ({"source": "rule:R#1"}, "which only emitted events do"),
        ({"attributes": "{"}, "attributes: not JSON"),
        ({"attributes": "[1]"}, '"attributes": expected an object'),
        ({"attributes": '{"v": null}'}, 'attribute "v": found null'),
        ({"attributes": '{"v": 9223372036854775808}'}, "outside the signed 64-bit range"),
    ],
)
def test_rows_that_are_no_events_are_told(changed: dict[str, object], message: str) -> None:
    (row,) = lines_of(TASK, ROW | changed)
    assert message in row["message"]
    assert row["line"] is None


def test_attributes_may_be_a_struct_whose_nulls_are_none() -> None:
    (row,) = lines_of(TASK, ROW | {"attributes": {"v": 1, "w": None, "x": [True]}})
    assert json.loads(row["line"])["attributes"] == {"v": 1, "x": [True]}
    (row,) = lines_of(TASK, ROW | {"attributes": {"v": float("nan")}})
    assert "numbers must be finite" in row["message"]
    (row,) = lines_of(TASK, {name: value for name, value in ROW.items() if name not in ("attributes", "source")})
    assert json.loads(row["line"]) == {"id": "a", "template": "A", "timestamp": 5, "attributes": {}}
