"""Mistakes in a mapping that leave records out without an error are reported, with what the records have."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.parte.examples import Command

MAPPING = """
[timestamp]
path = "at"
[[template]]
name = "Failed"
when = { action = "session.failed" }
attributes.actor = { path = "actor.email", type = "String" }
attributes.note = { path = "actor.note", type = "String", optional = true }
[[template]]
name = "Started"
when = { action = "session.started" }
attributes.tries = { path = "count.tries", type = "Integer", default = 0 }
"""
RECORDS: Sequence[dict[str, object]] = [
    {"at": "2026-03-01T00:00:00Z", "action": "session.failed", "actor": {"email": "a", "note": "n"}},
    {"at": "2026-03-01T00:00:01Z", "action": "session.failed", "actor": {"email": "b"}},
    {"at": "2026-03-01T00:00:02.5Z", "action": "session.started", "count": {"tries": 1}},
    {"at": "2026-03-01T00:00:01Z", "action": "issue.commented"},
]
Report = Callable[..., list[str]]


@pytest.fixture
def report(command: Command, tmp_path: Path) -> Report:
    """Convert the records by the mapping with a text replaced; return the lines of the report, and what is hinted."""

    def run(old: str = "", new: str = "", records: Sequence[dict[str, object]] = RECORDS, code: int = 0) -> list[str]:
        assert old in MAPPING
        (tmp_path / "m.toml").write_text(MAPPING.replace(old, new, 1) if old else MAPPING, encoding="utf-8")
        text = "".join(f"{json.dumps(record)}\n" for record in records)
        (tmp_path / "raw.jsonl").write_text(text, encoding="utf-8")
        done = command("log", tmp_path / "m.toml", tmp_path / "raw.jsonl", "-o", tmp_path / "log.jsonl")
        assert done.code == code
        return [line.strip() for line in done.err.splitlines()]

    return run


def test_a_mapping_without_mistakes(report: Report) -> None:
    assert report() == [
        "2  Failed",
        "1  Started",
        "1  left out: of no template",
        "4  records",
        "from 2026-03-01T00:00:00Z to 2026-03-01T00:00:02.500Z",
        "the events of each source and template are in order",
    ]


def test_a_template_without_records(report: Report) -> None:
    assert report('"session.failed"', '["session.fail", "session.failure"]')[:2] == [
        '0  Failed: no record has action = "session.fail" or "session.failure"',
        'hint: records of no template have action = "session.failed" (2), "issue.commented" (1); '
        "did you mean session.failed?",
    ]
    assert report("{ action", "{ acton")[:2] == [
        '0  Failed: no record has acton = "session.failed"',
        "hint: no record has the path acton; did you mean action?",
    ]


def test_a_template_whose_records_another_takes(report: Report) -> None:
    wide = 'name = "All"\n[[template]]\nname = "Failed"'
    rows = report('name = "Failed"', wide)
    assert rows[0] == '0  Failed: no record that the templates before it leave has action = "session.failed"'


def test_a_path_that_no_record_has(report: Report) -> None:
    warning = "warning: Failed.note: no record of the template has the path actor.nte"
    assert report('"actor.note"', '"actor.nte"')[4:6] == [warning, "hint: did you mean actor.note?"]
    # All events have the default: of their records, one may have it too.
    warning = "warning: Started.tries: no record of the template has the path tries"
    assert report('"count.tries"', '"tries"')[4:6] == [warning, "hint: did you mean count.tries?"]
    zero = [*RECORDS[:2], {**RECORDS[2], "count": {"tries": 0}}]
    assert not [line for line in report(records=zero) if "warning" in line]
    assert "warning: no record of its template has the path of Failed.note" in report('"actor.note"', '"x"')


def test_records_that_are_rejected(report: Report) -> None:
    rows = report('"actor.email"', '"actor.mail"')
    assert rows[0] == "0  Failed: all its records are rejected (2)"
    assert (
        rows[5:]
        == [
            "hint: --rejected FILE writes the rejected records, each with its reason",
            "warning: no record of a template has the path actor.mail",
            "hint: did you mean actor.email?",
            "from 2026-03-01T00:00:02.500Z to 2026-03-01T00:00:02.500Z",
            "the events of each source and template are in order",
        ]
        or rows[4] == "4  records"
    )
    rows = report('path = "at"', 'path = "time"', code=2)
    assert "hint: they have at, action, actor.email, actor.note, count.tries" in rows
    assert rows[-1] == "error: no record is an event"  # and nothing about their order


def test_the_sample_is_not_read_without_need(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("parte.logs.sample.sample", refuse)
    assert len(report()) == 6
    with pytest.raises(AssertionError):
        report('"session.failed"', '"session.fail"')


def test_numbers_where_times_are_texts(report: Report) -> None:
    rows = report(records=[*RECORDS, {"at": 1772323276.5, "action": "session.started"}])
    assert '1  rejected: at: expected iso, not a number: add "epoch" to timestamp.forms' in rows
    rows = report(records=[*RECORDS, {"at": "soon", "action": "session.started"}])
    assert "1  rejected: at: expected a time, iso with an offset (the mapping names no zone)" in rows


def test_times_in_a_wrong_unit(report: Report) -> None:
    forms = 'path = "at"\nforms = ["iso", "milliseconds"]'
    rows = report('path = "at"', forms, [*RECORDS, {"at": 1772323276, "action": "session.started"}])
    assert "from 1970-01-21T12:18:43.276Z to 2026-03-01T00:00:02.500Z" in rows
    place = rows.index("warning: 1 event is more than 20 years from the others")
    assert rows[place + 1] == 'hint: "epoch" in place of "milliseconds" tells the unit by the size of a number'


def test_files_in_a_wrong_place(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.toml").write_text(MAPPING, encoding="utf-8")
    Path("raw.jsonl").write_text(json.dumps(RECORDS[0]), encoding="utf-8")
    for arguments, message in (
        (("raw.jsonl", "m.toml"), "MAPPING comes first, then RAW"),
        (("m.toml", "."), "cannot read .: it is a directory\n  hint: give the files in it, as '*.jsonl'"),
        (("m.toml", "raw.jsonl", "-o", "no/x.jsonl"), "cannot write no/x.jsonl: there is no directory no\n"),
        (("m.toml", "raw.jsonl", "-o", "."), "cannot write .: Is a directory\n  hint: name a file in it"),
    ):
        done = command("log", *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
    Path("p.parte").write_text("template A {}\n", encoding="utf-8")
    assert "hint: is it a raw log?" in command("run", "p.parte", "raw.jsonl").err
