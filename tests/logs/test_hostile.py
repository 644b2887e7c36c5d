"""Raw logs, names and mappings that are not what one expects: nothing is dropped, taken for another, or a fault."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from parte.logs.conversion import Conversion
from parte.logs.mapping import KNOWN_DIRECTIVES, MappingError, read_mapping
from parte.logs.records import MAX_LINE
from parte.logs.suggesting import suggested
from tests.logs.test_conversion import converted
from tests.parte.examples import Command

MAPPING = """
[timestamp]
path = "t"
forms = ["seconds", "iso", "%H:%M %z"]
[[template]]
name = "A"
attributes.k = { type = "String", optional = true }
"""
LINE = b'{"t": 1, "k": "x"}'


def taken(path: Path, content: bytes) -> tuple[list[object], list[int | None]]:
    """The values of the attribute in the events, and the numbers of rejected records."""
    path.write_bytes(content)
    events, rejected = converted(read_mapping(MAPPING), path)
    return [event["attributes"].get("k") for event in events], [record.line for record in rejected]


def test_a_name_with_a_pattern_is_of_one_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(MAPPING, encoding="utf-8")
    for name in ("a1", "a[1]", "a*"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"t": 1, "k": name}), encoding="utf-8")
    for name in ("a[1]", "a*"):
        done = command("log", tmp_path / "m.toml", tmp_path / f"{name}.jsonl")
        assert [json.loads(line)["attributes"]["k"] for line in done.out.splitlines()] == [name]


@pytest.mark.parametrize(
    ("content", "values", "lines"),
    [
        (b"t,k\n1,x\n2\n3,z\n", ["x", None, "z"], []),
        (b"t,k\n1,x\n#2,y\n3,z\n", ["x", "z"], [2]),
        (b"t,k\n" + b"1,x\n" * 30_000 + b'2,"a,b"\n3,"c\nd"\n', ["x"] * 30_000 + ["a,b", "c\nd"], []),
        (b"t;k\n1;x,y\n", ["x,y"], []),
        (b"t,k\n1,x\n2,y,z\n3,z,,\n", ["x", "z"], [2]),
        (b"t,k,l\n1,x,\n2,y,\xff\n3,z,\n", ["x", "z"], [2]),
        (b'\xef\xbb\xbft,k\r\n\r\n1,"x\r\ny"\r\n2,z\r\n', ["x\r\ny", "z"], []),
        (b't,k\n1,x\n2,"y\n3,z\n4,w', ["x", "z", "w"], [2]),
        (b't,k\n1,x\n2,"y" z\n3,z\n', ["x", "z"], [2]),
        (b't,k\n1,x\n2,"y', ["x"], [2]),
        (b"t,k,k\n1,x,y\n2,,z\n", ["x", None], []),
    ],
    ids=[
        "short",
        "comment",
        "late-quotes",
        "semicolon",
        "long",
        "no-text",
        "windows",
        "cut-off",
        "behind-quotes",
        "end",
        "names",
    ],
)
def test_rows_of_csv_are_not_guessed(tmp_path: Path, content: bytes, values: list[object], lines: list[int]) -> None:
    assert taken(tmp_path / "r.csv", content) == (values, lines)


def test_fields_of_parquet_are_json_or_missing(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    with duckdb.connect() as database:
        database.execute(f"COPY (SELECT 1 AS t, {{'a': ['x']}} AS k) TO '{path}'")
    text = MAPPING + 'attributes.m = { path = "k.b.c", type = "String", optional = true }\n'
    events, _ = converted(read_mapping(text), path)
    assert [event["attributes"] for event in events] == [{"k": '{"a":["x"]}'}]


def test_a_row_that_is_too_long_is_rejected(tmp_path: Path) -> None:
    content = b't,k\n1,x\n2,"' + b"y" * MAX_LINE + b'"\n3,z\n4,' + b"y" * (5 * MAX_LINE) + b"\n5,w\n"
    assert taken(tmp_path / "r.csv", content) == (["x", "z", "w"], [2, 4])


def test_a_line_that_ends_in_the_last_character_of_unicode(tmp_path: Path) -> None:
    content = LINE + b"\n" + LINE + "\U0010ffff\n".encode() + b'{"t": 1, "k": "\xf4\x8f\xbf\xbf"}\n'
    assert taken(tmp_path / "r.jsonl", content) == (["x", "\U0010ffff"], [2])
    assert taken(tmp_path / "r.jsonl", content.replace(LINE, b"\n" + LINE, 1)) == (["x", "\U0010ffff"], [3])


@pytest.mark.parametrize("word", ["a", "\\u0061", "E1", "1e3", "[1]", "true", "\x7f"])
def test_records_are_found_however_their_kind_is_written(tmp_path: Path, word: str) -> None:
    value = json.loads(f'"{word}"') if word[0] in "a\\E\x7f" else word
    raw = f'"{word}"' if value != word or word[0] in "aE\x7f" else word
    wanted = {"1e3": "1000.0"}.get(word, value)
    text = MAPPING + f"when = {{ w = {json.dumps([wanted, 'unused'])} }}\n"
    path = tmp_path / "r.jsonl"
    path.write_text(f'{{"t": 1, "k": "x", "w": {raw}}}\n{{"t": 1, "w": "other"}}\n', encoding="utf-8")
    events, rejected = converted(read_mapping(text), path)
    assert ([event["attributes"] for event in events], rejected) == ([{"k": "x"}], [])


@pytest.mark.parametrize("blank", ["\x0b", "\u00a0", "\x1c"])
def test_streams_and_files_have_the_same_blank_lines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, blank: str
) -> None:
    content = LINE + b"\n" + blank.encode() + b"\n"
    assert taken(tmp_path / "r.jsonl", content) == (["x"], [2])
    monkeypatch.setattr(Conversion, "_add_quickly", lambda *_: False)
    assert taken(tmp_path / "r.jsonl", content) == (["x"], [2])


def test_times_out_of_range_are_rejected(tmp_path: Path) -> None:
    times = ["9" * 29, '"2026-11-24T08:00:00+25:00"', '"infinity"', "1"]
    assert taken(tmp_path / "r.jsonl", "".join(f'{{"t": {time}}}\n' for time in times).encode()) == ([None], [1, 2, 3])
    times = ["9000000000000000", "-9000000000000000"]  # whose distance is beyond 64 bit
    assert taken(tmp_path / "r.jsonl", "".join(f'{{"t": {time}}}\n' for time in times).encode())[1] == []


def test_no_file_is_written_over_another(command: Command, tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(MAPPING, encoding="utf-8")
    (tmp_path / "r.jsonl").write_bytes(LINE)
    out = tmp_path / "o.jsonl"
    for option in (["-o", tmp_path / "r.jsonl"], ["--rejected", tmp_path / "m.toml"], ["-o", out, "--rejected", out]):
        done = command("log", tmp_path / "m.toml", tmp_path / "r.jsonl", *option)
        assert done.code == 2
    assert ((tmp_path / "r.jsonl").read_bytes(), out.exists()) == (LINE, False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('attributes.n = { type = "Integer", constant = 99999999999999999999 }', "expected Integer"),
        ('attributes.n = { type = "Float", constant = inf }', "expected Float"),
        ('attributes.n = { type = "Float", default = nan }', "expected Float"),
        ("when = { k = [] }", "has no value"),
    ],
)
def test_values_of_mappings_that_no_event_has(line: str, message: str) -> None:
    with pytest.raises(MappingError, match=message):
        read_mapping(f"{MAPPING}{line}\n")


def test_directives_of_formats_are_known() -> None:
    with pytest.raises(MappingError, match="%Q of"):
        read_mapping(MAPPING.replace("%H", "%Q"))
    page = (Path(__file__).parents[2] / "docs" / "logs.md").read_text(encoding="utf-8")
    assert not [directive for directive in KNOWN_DIRECTIVES if f"`{directive}`" not in page]


def test_suggested_names_are_different(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    records = [{"event": name, "time": "2026-11-24T08:00:00Z", "😀": "\x7f"} for name in ("a", "a!", "a2", "a")]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    assert [template.name for template in read_mapping(suggested(str(path))).templates] == ["A", "A2", "A22"]
