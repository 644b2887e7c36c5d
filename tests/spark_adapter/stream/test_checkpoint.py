"""What a checkpoint was made for, without Spark: anything else is refused, and the message says what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parte.semantics.partelang.syntax import parse
from parte.spark_adapter.stream import checkpoint
from parte.spark_adapter.stream.checkpoint import VERSION, CheckpointError, Claimed, claim
from parte.spark_adapter.stream.job import job_of

WITHOUT_SPARK = True

JOBS = {"": job_of(parse("template A { } rule R where a: A then"))}
NOTE: dict[str, Any] = {
    "version": VERSION,
    "disorder": 20,
    "engine": "queries",
    "output": "file:/out",
    "programs": {"": JOBS[""].identity()},
    "domains": {"": {}},
    "partitions": 5,
}


def claimed(monkeypatch: pytest.MonkeyPatch, note: str) -> Claimed:
    """What is claimed where a checkpoint has some note."""
    monkeypatch.setattr(checkpoint, "read", lambda _spark, _path: note)
    monkeypatch.setattr(checkpoint, "qualified", lambda _spark, path: f"file:/{path}")
    monkeypatch.setattr(checkpoint, "numbered", lambda _spark, _path: True)
    session: Any = None
    return claim(session, "there", "out", JOBS, 20, "queries")


def test_its_own_number_of_partitions_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert claimed(monkeypatch, json.dumps(NOTE)) == Claimed("queries", 5)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"version": 2},
            f"made by another version of PARTE, .* found 2, expected {VERSION}; .* or go on with that version",
        ),
        (
            {"engine": "machine"},
            'another engine; found {"engine": "machine"}, expected {"engine": "queries"}: .* go back',
        ),
        ({"disorder": 0, "output": "file:/o"}, "made for another disorder and output directory; found"),
        ({"programs": {"": "00"}}, "made for another program; found"),
        ({"domains": {"": {"p": "callable"}}}, "made for another domain; found"),
        (
            {"partitions": None},
            "the number of partitions under `partitions`, found None: the file is damaged; take another",
        ),
        ({"partitions": 0}, "found 0: the file is damaged"),
        ({"partitions": True}, "found True: the file is damaged"),
    ],
)
def test_what_it_was_not_made_for_is_refused(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], said: str
) -> None:
    with pytest.raises(CheckpointError, match=f"^there/parte.json: .*{said}"):
        claimed(monkeypatch, json.dumps(NOTE | changed))


@pytest.mark.parametrize("damaged", ["", "{", "null", "[3]", "{}", pytest.param("[" * 100_000, id="deep")])
def test_a_damaged_note_is_told_as_such(monkeypatch: pytest.MonkeyPatch, damaged: str) -> None:
    with pytest.raises(
        CheckpointError, match=r"expected a JSON object that says .* is damaged; take another checkpoint"
    ):
        claimed(monkeypatch, damaged)
