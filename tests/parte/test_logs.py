"""`parte run --model duckdb LOG.parquet`, and the same from Python: the log goes to DuckDB as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import parte
from parte.algebra.partelang.relational import Log
from parte.algebra.partelang.relational.parquet import write_log
from parte.semantics.events.conformity import conform
from parte.semantics.events.event import Event
from tests.parte.examples import FRAUD, Command

PROGRAM = """template A { k: Integer }
template B { k: Integer }
rule Next where a: A then emit B at a.timestamp with { k = a.k + 1 }
"""
EVENTS = (Event("late", "A", 9, {"k": 1}), Event("early", "A", 1, {"k": 2**63 - 1}))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log whose rows break the promise of a trace with its events in this order."""
    (tmp_path / "next.parte").write_text(PROGRAM, encoding="utf-8")
    write_log(parte.parse(PROGRAM), EVENTS, tmp_path / "log.parquet")
    return tmp_path / "log.parquet"


def test_it_prints_what_it_prints_for_the_trace(command: Command, tmp_path: Path) -> None:
    program, options = FRAUD / "scenarios.parte", ["--domain", FRAUD / "domain.json", "--model", "duckdb"]
    read = parte.parse(program.read_text(encoding="utf-8"))
    events = conform(read, parte.load_trace(FRAUD / "trace.jsonl"))
    write_log(read, reversed(events), tmp_path / "log.parquet")
    result = command("run", program, tmp_path / "log.parquet", *options)
    assert (result.code, result.err) == (0, "")
    assert result.out == (FRAUD / "expected.jsonl").read_text(encoding="utf-8")


def test_rows_have_no_order_and_no_event_is_made_in_python(
    command: Command, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    through_events = command("run", log.parent / "next.parte", log, "--model", "indexed")
    assert (through_events.code, "late" in through_events.err) == (2, True)
    monkeypatch.delattr("parte.algebra.partelang.relational.parquet.load_log")
    result = command("run", log.parent / "next.parte", log, "--model", "duckdb", "--disorder", "1 ms")
    assert result.code == 0
    assert [line.split(",")[1] for line in result.out.splitlines()] == [
        '"bindings":{"a":"early"}',
        '"bindings":{"a":"late"}',
    ]
    assert "Next(a=early): emission 1 emits nothing" in result.err


def test_what_is_wrong_with_a_log_is_told_with_its_path(command: Command, log: Path) -> None:
    write_log(parte.parse(PROGRAM), [*EVENTS, Event("Next(a)", "A", 0, {"k": 0}), EVENTS[0]], log)
    result = command("run", log.parent / "next.parte", log, "--model", "duckdb")
    assert (result.code, result.out) == (2, "")
    assert f'{log}: event "Next(a)": the id has the form of the ids of events that rule Next emits' in result.err
    assert f'{log}: event "late": the id is used 2 times' in result.err
    lost = command("run", log.parent / "next.parte", log.parent / "lost.parquet", "--model", "duckdb")
    assert (lost.code, "there is no such file" in lost.err) == (2, True)


def test_from_python(log: Path) -> None:
    program = parte.parse(PROGRAM)
    outcome = parte.execute(program, Log(log), model="duckdb")
    assert outcome == parte.execute(program, EVENTS, model="duckdb", disorder=8)
    assert len(outcome.failures) == 1
    with pytest.warns(parte.EmissionWarning):
        assert parte.run(program, Log(log), model="duckdb") == list(outcome.matches)
    with pytest.raises(ValueError, match="a Log goes with the model duckdb, not with 'sound'"):
        parte.execute(program, Log(log))
    with pytest.raises(ValueError, match="seed does not go with the model 'duckdb'"):
        parte.execute(program, Log(log), model="duckdb", seed=1)
    with pytest.raises(ValueError, match="disorder must be"):
        parte.execute(program, Log(log), model="duckdb", disorder=-1)
