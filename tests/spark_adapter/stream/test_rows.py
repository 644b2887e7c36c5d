"""Lines on their way to buckets, without Spark: each event comes once to each group, in the right bucket."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from types import SimpleNamespace

import pyarrow

from parte.algebra.partelang.incremental.tables import Layout
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY
from parte.semantics.partelang.syntax import parse
from parte.spark_adapter.stream.blocks import admitted
from parte.spark_adapter.stream.job import job_of
from parte.spark_adapter.stream.rows import ASIDE, END, routing
from parte.spark_adapter.stream.shared import Shared

WITHOUT_SPARK = True

PROGRAM = """
template A { door: String, person: String }
rule Doors where a: A, b: A { door = a.door } when b in a [0 ms, 5 ms] then
rule People where a: A, b: A { person = a.person } when b in a [0 ms, 5 ms] then
rule Whole where a: A then
"""


def lines(*numbers: int) -> pyarrow.RecordBatch:
    """Events e0, e1, … at 0, -1, …; each has a door and a person of its own."""
    texts = [
        json.dumps(
            {"id": f"e{n}", "template": "A", "timestamp": -n, "attributes": {"door": f"d{n}", "person": f"p{n}"}}
        ).encode()
        for n in numbers
    ]
    return pyarrow.RecordBatch.from_pydict({"job": ["job"] * len(texts), "line": texts})


def test_each_event_goes_once_to_each_group_whatever_comes_together() -> None:
    job = job_of(parse(PROGRAM))
    labels = {("job", 0): ("x", "y", "z"), ("job", 1): ("u", "v"), ("job", 2): ("w",)}
    shared = Shared("test_rows", lambda: SimpleNamespace(value=pickle.dumps({"job": job})), ())
    end = pyarrow.RecordBatch.from_pydict(
        {"job": [None], "line": [b""]}, pyarrow.schema([("job", "string"), ("line", "binary")])
    )
    batches = [lines(*range(20)), lines(*range(20, 30)), end]
    rows = [row for batch in routing(shared, labels)(batches) for row in batch.to_pylist()]

    # The latest of each batch, and the end.
    assert [row["timestamp"] for row in rows if row["part"] == ASIDE] == [0, -20, END]
    blocks = [row for row in rows if row["part"] != ASIDE]
    assert {(row["part"], row["key"]) for row in blocks} == {
        (part, label) for (_, part), own in labels.items() for label in own
    }
    late: list[str] = []
    for part, group in enumerate(job.groups):
        layout = Layout.of(group.program)
        own = [row["block"] for row in blocks if row["part"] == part]
        events_admitted, none = admitted(layout, own, NEGATIVE_INFINITY)
        assert not none
        assert Counter(events_admitted["A"].column(layout.templates.identity).to_pylist()) == {
            f"e{n}": 1 for n in range(30)
        }
        late += [event.id for event in admitted(layout, own, POSITIVE_INFINITY)[1]]
    assert Counter(late) == {f"e{n}": 1 for n in range(30)}
