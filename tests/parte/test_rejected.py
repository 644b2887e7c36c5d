"""`--rejected`: a run on a log with lines that are no events has the matches of the log without them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from parte.languages.registry import language_called
from parte.semantics.events.rejection import Rejected, Rejections
from tests.parte.examples import PAIR, PAIR_TRACE, Command
from tests.parte.guest import GUESTS

BROKEN = [b"{", b"[]", b'{"template": 1, "timestamp": 0}', b'{"template": "A"}', b"\xff", b'"x"', b"{} {}", b"a,b"]
"""Lines that are no events in any language."""
OF_PAIR = [
    b'{"id":"a1","template":"A","timestamp":9,"attributes":{"k":1}}',
    b'{"id":"x1","template":"A","timestamp":9}',
    b'{"id":"x2","template":"A","timestamp":9,"attributes":{"k":"1"}}',
    b'{"id":"x3","template":"A","timestamp":9,"attributes":{"k":1,"l":1}}',
    b'{"id":"Pair(a)","template":"A","timestamp":9,"attributes":{"k":1}}',
]
"""Lines that are no events of the program, at the end of its trace."""
OTHERS = [b'{"id":"a1","template":"Z","timestamp":-9}', b'{"template":"Bb","source":"s","progress":3}']
"""Lines of templates that the program does not declare."""


def mixed(good: Sequence[bytes], bad: Sequence[bytes], seed: int) -> tuple[list[bytes], set[int]]:
    """Some lines between others, whose order is kept, and their numbers; broken ones may be first."""
    draw = Random(seed)
    places = sorted(draw.sample(range(len(good) + len(bad)), len(bad)))
    rest, wrong = iter(good), iter(bad)
    lines = [next(wrong) if place in places else next(rest) for place in range(len(good) + len(bad))]
    return lines, {place + 1 for place in places}


def rejected_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("language", ["PARTElang", *GUESTS])
@pytest.mark.parametrize("stdin", [False, True], ids=["file", "stdin"])
def test_matches_are_those_without_the_rejected_lines(
    command: Command, tmp_path: Path, language: str, stdin: bool
) -> None:
    program = tmp_path / f"p{'.parte' if language == 'PARTElang' else language_called(language).ending}"
    program.write_text(PAIR if language == "PARTElang" else GUESTS[language].program, encoding="utf-8")
    good = (PAIR_TRACE if language == "PARTElang" else GUESTS[language].trace).encode().splitlines()
    trace, lost = tmp_path / "t.jsonl", tmp_path / "lost.jsonl"
    models: Sequence[Sequence[str]] = ([], ["--model", "algebra"])
    for seed, options in enumerate(models):
        lines, numbers = mixed(good, BROKEN, seed)
        # Ids of events without one are numbers of lines.
        trace.write_bytes(b"\n".join(b"" if number in numbers else line for number, line in enumerate(lines, 1)))
        expected = command("run", program, trace, *options)
        assert expected.code == 0
        assert expected.out
        trace.write_bytes(b"\n".join(lines))
        done = command("run", program, trace, *options)
        assert done.code == 2
        content = trace.read_bytes() if stdin else None
        done = command("run", program, "-" if stdin else trace, *options, "--rejected", lost, stdin=content)
        assert (done.code, done.out) == (0, expected.out)
        records = rejected_in(lost)
        assert {record["line"] for record in records} == numbers
        assert all(record["reason"] and record["file"] == ("-" if stdin else str(trace)) for record in records)
        assert sum(int(line.split()[0]) for line in done.err.splitlines() if "rejected: " in line) == len(BROKEN)


@pytest.mark.parametrize("model", ["sound", "published", "algebra", "duckdb"])
@pytest.mark.parametrize("stdin", [False, True], ids=["file", "stdin"])
def test_lines_that_do_not_fit_the_program(command: Command, tmp_path: Path, model: str, stdin: bool) -> None:
    program, trace, lost = tmp_path / "p.parte", tmp_path / "t.jsonl", tmp_path / "lost.jsonl"
    program.write_text(PAIR, encoding="utf-8")
    lines = [*OTHERS, *PAIR_TRACE.encode().splitlines(), *OF_PAIR]
    trace.write_text(PAIR_TRACE, encoding="utf-8")
    expected = command("run", program, trace, "--model", model)
    trace.write_bytes(b"\n".join(lines))
    content = trace.read_bytes() if stdin else None
    done = command("run", program, "-" if stdin else trace, "--model", model, "--rejected", lost, stdin=content)
    assert (done.code, done.out) == (0, expected.out)
    assert [(record["line"], record["reason"]) for record in rejected_in(lost)] == [
        (7, 'its id is that of an earlier event, found "a1" of line 3'),
        (8, 'event "x1": the attribute "k" is missing'),
        (9, 'event "x2": attribute "k": expected Integer, found the string "1"'),
        (10, 'event "x3": A has no attribute "l"'),
        (11, 'event "Pair(a)": the id has the form of the ids of events that rule Pair emits'),
    ]
    assert "1  left out: Z, which the program does not declare\n" in done.err
    assert "1  left out: Bb, which the program does not declare; did you mean B?\n" in done.err


def test_a_log_without_any_event_of_the_program(command: Command, tmp_path: Path) -> None:
    program, trace, lost = tmp_path / "p.parte", tmp_path / "t.jsonl", tmp_path / "lost.jsonl"
    program.write_text(PAIR, encoding="utf-8")
    trace.write_bytes(b"\n".join(BROKEN))
    done = command("run", program, trace, "--rejected", lost)
    assert done.code == 2
    assert "no line is an event of the program" in done.err
    assert len(rejected_in(lost)) == len(BROKEN)
    trace.write_bytes(b"\n".join(OTHERS))  # is a log, of other events
    done = command("run", program, trace, "--rejected", lost)
    assert (done.code, done.out, rejected_in(lost)) == (0, "", [])


def test_of_many_reasons_the_others_are_counted_together() -> None:
    lines: list[Rejected] = []
    rejections = Rejections("log", lines.append)
    for number in range(300):
        rejections.takes(f"reason {number % 150}, found {number}", number)
    assert len(lines) == 300
    assert rejections.reasons == {**{f"reason {number}": 2 for number in range(100)}, "of other reasons": 100}


def test_late_events_are_no_rejected_lines(command: Command, tmp_path: Path) -> None:
    program, trace, lost = tmp_path / "p.parte", tmp_path / "t.jsonl", tmp_path / "lost.jsonl"
    program.write_text(PAIR, encoding="utf-8")
    trace.write_text(
        PAIR_TRACE + '{"id":"late","template":"A","timestamp":0,"attributes":{"k":1}}\n{', encoding="utf-8"
    )
    done = command("run", program, trace, "--rejected", lost)
    assert (done.code, lost.exists()) == (2, False)
    assert "--disorder '1 ms'" in done.err
    assert command("run", program, trace, "--rejected", lost, "--disorder", "1 ms").code == 0


def test_the_file_is_written_if_a_budget_is_spent(command: Command, tmp_path: Path) -> None:
    program, trace, lost = tmp_path / "p.parte", tmp_path / "t.jsonl", tmp_path / "lost.jsonl"
    program.write_text(PAIR, encoding="utf-8")
    trace.write_text("{\n" + PAIR_TRACE, encoding="utf-8")
    done = command("run", program, trace, "--rejected", lost, "--budget", "1")
    assert done.code == 4
    assert [record["line"] for record in rejected_in(lost)] == [1]


def test_no_file_that_is_read_is_written(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "p.parte", tmp_path / "t.jsonl"
    program.write_text(PAIR, encoding="utf-8")
    trace.write_text(PAIR_TRACE, encoding="utf-8")
    for path in (program, trace):
        assert command("run", program, trace, "--rejected", path).code == 2
    assert (program.read_text(encoding="utf-8"), trace.read_text(encoding="utf-8")) == (PAIR, PAIR_TRACE)


# --- Logs in Parquet --------------------------------------------------------------------------------------------------

LOGIN = "level 2\ntemplate Login { tries : Integer } rule R where a : Login { tries >= 1 } when then"
BOTH = LOGIN + "\ntemplate Failure { tries : Float, kind : String } rule S where f : Failure { tries > 9.0 } when then"


def parquet(path: Path, rows: Sequence[tuple[object, ...]], attributes: Mapping[str, str]) -> Path:
    """Write a log whose rows are id, template, timestamp and attributes."""
    names = [*("id", "template", "timestamp"), *(f"a{number}" for number in range(len(attributes)))]
    packed = ", ".join(f'"{name}" := a{number}::{kind}' for number, (name, kind) in enumerate(attributes.items()))
    with duckdb.connect() as database:
        marks = ", ".join("?" * len(names))
        kinds = ["VARCHAR", "VARCHAR", "BIGINT", *attributes.values()]
        shape = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))
        database.execute(f"CREATE TABLE log ({shape})")
        database.executemany(f"INSERT INTO log VALUES ({marks})", rows)
        struct = f"struct_pack({packed}) AS attributes"
        database.execute(f"COPY (SELECT id, template, timestamp, {struct} FROM log) TO '{path}' (FORMAT parquet)")
    return path


MANY = [
    ("f1", "Failure", 0, None, 0.5, "x"),
    ("l1", "Login", 1, 3, None, None),
    ("v1", "View", 2, None, None, None),
    ("l2", "Login", 3, 0, None, None),
]
FIELDS = {"Login.tries": "BIGINT", "Failure.tries": "DOUBLE", "kind": "VARCHAR"}


@pytest.mark.parametrize("model", ["sound", "duckdb"])
@pytest.mark.parametrize(("text", "left"), [(LOGIN, ["Failure", "View"]), (BOTH, ["View"])])
def test_a_log_has_events_of_more_templates(
    command: Command, tmp_path: Path, model: str, text: str, left: Sequence[str]
) -> None:
    (tmp_path / "p.parte").write_text(text, encoding="utf-8")
    log = parquet(tmp_path / "log.parquet", MANY, FIELDS)
    for options in ([], ["--rejected", tmp_path / "lost.jsonl"]):
        done = command("run", tmp_path / "p.parte", log, "--model", model, *options)
        assert (done.code, done.out) == (0, '{"rule":"R","bindings":{"a":"l1"},"emits":[]}\n')
        assert done.err.splitlines() == [f"1  left out: {name}, which the program does not declare" for name in left]
    assert rejected_in(tmp_path / "lost.jsonl") == []


def test_a_log_of_fewer_templates_names_fields_otherwise(command: Command, tmp_path: Path) -> None:
    (tmp_path / "p.parte").write_text(BOTH, encoding="utf-8")
    log = parquet(tmp_path / "log.parquet", [("l1", "Login", 1, 3)], {"tries": "INTEGER"})
    for model in ("sound", "duckdb"):
        done = command("run", tmp_path / "p.parte", log, "--model", model)
        assert (done.code, done.out, done.err) == (0, '{"rule":"R","bindings":{"a":"l1"},"emits":[]}\n', "")


@pytest.mark.parametrize("model", ["sound", "duckdb"])
def test_rows_that_are_no_events(command: Command, tmp_path: Path, model: str) -> None:
    (tmp_path / "p.parte").write_text(LOGIN, encoding="utf-8")
    rows = [(None, "Login", 1, 3), ("l1", "Login", 1, 3), ("l2", "Login", None, 3), ("l3", "Login", 4, None)]
    log = parquet(tmp_path / "log.parquet", [*rows, ("l1", "Login", 5, 6)], {"tries": "BIGINT"})
    assert command("run", tmp_path / "p.parte", log, "--model", model).code == 2
    done = command("run", tmp_path / "p.parte", log, "--model", model, "--rejected", tmp_path / "lost.jsonl")
    assert (done.code, done.out) == (0, '{"rule":"R","bindings":{"a":"l1"},"emits":[]}\n')
    assert [(record["line"], record["reason"]) for record in rejected_in(tmp_path / "lost.jsonl")] == [
        (1, '"id": expected a string that is not empty, found the string ""'),
        (3, 'the key "timestamp" is missing'),
        (4, 'event "l3": the attribute "tries" is missing'),
        (5, 'its id is that of an earlier event, found "l1" of line 2'),
    ]


@pytest.mark.parametrize(
    "path", [("why",), ("compare",), ("explore",), ("step",), ("timeline",)], ids=lambda path: path[0]
)
def test_commands_that_explain_leave_the_same_lines_out(
    command: Command, tmp_path: Path, path: tuple[str, ...]
) -> None:
    program, trace, lost = tmp_path / "p.parte", tmp_path / "t.jsonl", tmp_path / "lost.jsonl"
    program.write_text(PAIR, encoding="utf-8")
    trace.write_text(PAIR_TRACE, encoding="utf-8")
    expected = command(*path, program, trace)
    assert (expected.code, expected.err) == (0, "")
    trace.write_bytes(b"\n".join([*PAIR_TRACE.encode().splitlines(), b'{"template": "Z", "timestamp": 9}']))
    refused = command(*path, program, trace)
    assert refused.code == 2
    assert "hint: declare it, or leave such events out, as `parte run --rejected FILE` does" in refused.err
    done = command(*path, program, trace, "--rejected", lost)
    assert (done.code, done.out) == (0, expected.out)
    assert "1  left out: Z, which the program does not declare\n" in done.err
