"""Suggested mappings: what tells events apart, which forms times have, and what a file without records gets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.logs.mapping import Mapping, read_mapping
from parte.logs.sample import SAMPLE
from parte.logs.suggesting import suggested
from parte.semantics.events.files import UnusableFile
from tests.logs.reading import events_of
from tests.logs.test_conversion import converted, times
from tests.parte.examples import Command

AT = "2026-03-01T00:00:0{}Z"


def suggestion(folder: Path, records: Sequence[dict[str, Any]]) -> tuple[str, Mapping]:
    """The text that is suggested for records, and its mapping."""
    path = folder / "raw.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    text = suggested(str(path))
    return text, read_mapping(text)


def kinds(mapping: Mapping) -> set[str]:
    """The paths that tell the templates apart."""
    return {path for template in mapping.templates for path in template.when}


@pytest.mark.parametrize(
    ("records", "chosen"),
    [
        # One value tells nothing apart, however good its name is.
        ([{"event": "x", "operation": name} for name in "ab"], "operation"),
        # A path in some records leaves the others out.
        ([{"event": "x", "level": "a"}, {"event": "y", "level": "b"}, {"level": "b"}], "level"),
        # A part of an object is of the object rather than of the event.
        ([{"actor": {"event": name}, "level": name} for name in "ab"], "level"),
        ([{"level": name, "event": name} for name in "ab"], "event"),
        ([{"level": "x", "event": "x"}], "event"),
    ],
)
def test_what_tells_events_apart(tmp_path: Path, records: list[dict[str, Any]], chosen: str) -> None:
    _, mapping = suggestion(tmp_path, [{"at": AT.format(place), **record} for place, record in enumerate(records)])
    assert kinds(mapping) == {chosen}


def test_others_that_tell_events_apart_are_named(tmp_path: Path) -> None:
    records = [
        {"at": AT.format(n), "action": f"a{n}", "actor": {"kind": f"k{n % 2}", "type\n[x]": {"type": f"{n}"}}}
        for n in range(4)
    ]
    text, mapping = suggestion(tmp_path, [*records, {**records[0], "level": "x"}])
    comment = next(line for line in text.splitlines() if line.startswith("# by"))
    assert comment == '# by action (4 values), or by actor.kind (2 values), "actor.\\"type\\n[x]\\".type" (4 values)'
    assert kinds(mapping) == {"action"}


@settings(max_examples=40)
@given(drawn=st.lists(times, min_size=1, max_size=8))
def test_a_suggestion_reads_all_times_that_it_saw(drawn: list[object], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("raw")
    try:
        text, _ = suggestion(folder, [{"ts": time} for time in drawn])
    except UnusableFile as error:
        assert "no path of its records has times" in str(error)  # noqa: PT017 - the only error that is right here
        return
    path, zoned = folder / "raw.jsonl", text.replace('# zone = "UTC"', 'zone = "UTC"')
    every = read_mapping('[timestamp]\npath = "ts"\nforms = ["iso", "epoch"]\nzone = "UTC"\n[[template]]\nname = "A"\n')
    _, unreadable = events_of(every, path.read_bytes().split(b"\n"))
    assert {record.line for record in converted(read_mapping(zoned), path)[1]} == unreadable


def test_fractional_seconds_since_1970(tmp_path: Path) -> None:
    text, mapping = suggestion(tmp_path, [{"ts": 1772323276.631 + n, "ratio": n + 0.5} for n in range(3)])
    assert mapping.timestamp.path == "ts"
    assert mapping.timestamp.forms == ("epoch",)
    assert len(converted(mapping, tmp_path / "raw.jsonl")[0]) == 3
    assert "zone" not in text


def test_a_comment_says_that_there_are_more_records(tmp_path: Path) -> None:
    records = [{"ts": AT.format(0)}] * SAMPLE
    assert "guessed" not in suggestion(tmp_path, records)[0]
    text, _ = suggestion(tmp_path, [*records, *records])
    assert text.endswith("\n# guessed from the first 2,000 of more records\n")


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ('[{"at": 1}]', "jq -c '.[]' FILE"),
        ('\ufeff [\n{"at": 1},\n{"at": 2\n}\n]', "jq -c '.[]' FILE"),
        ('{\n  "Records": [{"at": 1}\n]}', "jq -c '.Records[]' FILE"),
        ("at=1", "a record is a JSON object, or a row"),
    ],
)
def test_a_file_without_records(command: Command, tmp_path: Path, content: str, hint: str) -> None:
    raw, mapping = tmp_path / "raw.json", tmp_path / "m.toml"
    raw.write_text(content, encoding="utf-8")
    mapping.write_text('[timestamp]\npath = "at"\n[[template]]\nname = "A"\nwhen = { k = "x" }\n', encoding="utf-8")
    for arguments in (("--suggest", raw), (mapping, raw)):
        done = command("log", *arguments)
        assert (done.code, done.out) == (2, "")
        assert hint in done.err


def test_a_suggestion_needs_one_raw_log(command: Command) -> None:
    done = command("log", "--suggest")
    assert (done.code, "give one raw log, found none" in done.err) == (2, True)
    assert command("log").code == 2
