"""Raw logs become events: as a reader in plain Python has it, in each format, and nothing is lost without a word."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parte.logs import records
from parte.logs.conversion import Conversion
from parte.logs.mapping import Mapping, read_mapping
from parte.semantics.events.rejection import Rejected
from tests.logs.reading import events_of
from tests.parte.examples import Command

MAPPING = """
id = "id"
source = "host"
[timestamp]
path = "at.time"
forms = ["iso", "epoch", "%d/%m/%Y %H:%M:%S"]
zone = "Europe/Berlin"
[[template]]
name = "Login"
when = { kind = ["login", "logon"], ok = "true" }
attributes.user = { path = 'user."full.name"', type = "String" }
attributes.tries = { type = "Integer", default = 1 }
attributes.score = { type = "Float", optional = true }
[[template]]
name = "Failure"
when = { kind = "login" }
attributes.user = { path = 'user."full.name"', type = "String", optional = true }
attributes.final = { type = "Boolean", optional = true }
attributes.tries = { type = "Float", default = 0.5 }
attributes.kind = { constant = "failure", type = "String" }
"""


def converted(mapping: Mapping, path: Path, form: str | None = None) -> tuple[list[dict[str, Any]], list[Rejected]]:
    """The events of the trace, and the records that were rejected."""
    rejected: list[Rejected] = []
    with Conversion(mapping, rejected.append) as conversion:
        conversion.add(str(path), form)
        conversion.finish()
        text = "".join(conversion.traced())
        done = conversion.converted
        assert done.events.total() == text.count("\n")
        assert done.rejected.total() == len(rejected)
        assert done.records == done.events.total() + done.unmapped + done.doubled + len(rejected)
    return [json.loads(line) for line in text.split("\n") if line], rejected


good_times = st.datetimes().map(lambda moment: moment.isoformat()) | st.integers(0, 10**18)
times = st.one_of(
    good_times,
    good_times,
    good_times,
    st.sampled_from(["2026-03-29T02:30:00", "2026-10-25 02:30:00", "1969-12-31T23:59:59.9999Z", "24/11/2026 08:00:00"]),
    st.sampled_from(["2026-02-30T00:00:00Z", "2026-11-24", "2026-11-24T25:00Z", "2026-11-24T10:00+0130", "soon", ""]),
    st.sampled_from(["2026-11-24T10:00:00.123456789-05", "2026-11-24 10:00:00.5", "10:00", "2026-11-24T10Z", "1e3"]),
    st.sampled_from(["2026-11-24T10:00:00,123456789-05", "2026-11-24 10:00:00,5", "2026-11-24T10:00,5Z", "2026,5"]),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.integers(-(10**19), 10**19),
    st.sampled_from([0, 10**11, 10**11 - 1, 10**14, 10**17, 10**17 - 1, -1, 1772438400, 1772438400000, 1.5, -0.0005]),
    st.none() | st.booleans(),
)
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**64), 2**64),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(max_size=3),
    st.sampled_from(["", "7", "-7", "+7", "0x7", "7.0", "1e400", "inf", "nan", "TRUE", "False", " 7", "٣"]),
    st.just([1, "x"]) | st.just({"a": 1}),
)
raw = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["login", "login", "logon", "logout", "", None]),
        "at": st.fixed_dictionaries({"time": times}),
        "id": st.integers(0, 10**9) | st.sampled_from(["a", "b", "", 7, None]),
    },
    optional={
        "host": st.sampled_from(["h1", "h2", None]),
        "ok": st.booleans(),
        "user": st.fixed_dictionaries({}, optional={"full.name": values}) | values,
        "tries": st.integers(-5, 5) | values,
        "score": st.floats(allow_nan=False, allow_infinity=False) | values,
        "final": values,
        "more": values,
    },
)
lines = st.one_of(
    raw.map(lambda record: json.dumps(record).encode()),
    raw.map(lambda record: json.dumps(record).encode()),
    raw.map(lambda record: json.dumps(record).encode()),
    raw.map(lambda record: json.dumps(record, ensure_ascii=False).encode()),
    raw.map(lambda record: json.dumps(record).encode()[: len(json.dumps(record)) // 2]),
    st.sampled_from([b"", b"  ", b"[]", b'"x"', b"7", b"null", b"{}", b'{"kind": "\xff"}', b"\x00", b"{'a': 1}"]),
)


@settings(max_examples=60)
@given(raw_lines=st.lists(lines, max_size=12), again=st.booleans())
def test_events_are_those_that_python_reads(raw_lines: list[bytes], again: bool, tmp_path_factory: Any) -> None:
    content = [*raw_lines, *raw_lines[:3]] if again else raw_lines
    path = tmp_path_factory.mktemp("raw") / "raw.jsonl"
    path.write_bytes(b"\n".join(content))
    mapping = read_mapping(MAPPING)
    events, rejected = converted(mapping, path)
    expected, numbers = events_of(mapping, content)
    assert events == expected
    assert {record.line for record in rejected} == numbers
    # Streams are read in another way.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Conversion, "_add_quickly", lambda *_: False)
        assert converted(mapping, path) == (events, rejected)


RECORDS: list[dict[str, Any]] = [
    {"id": "a", "at": {"time": "2026-11-24T08:00:00Z"}, "kind": "login", "ok": True, "user": {"full.name": "Ada, B."}},
    {"id": "b", "at": {"time": 1795507200}, "kind": "login", "tries": 3, "user": {"full.name": 'say "x"\n'}},
    {"id": "c", "at": {"time": None}, "kind": "login"},
    {"id": "d", "at": {"time": "2026-11-24T07:59:59.5Z"}, "kind": "logout"},
    {"id": "a", "at": {"time": "2026-11-24T08:00:00Z"}, "kind": "login", "ok": True, "user": {"full.name": "Ada, B."}},
    {"id": "b", "at": {"time": "2026-11-24T08:00:00Z"}, "kind": "login", "ok": False, "final": True},
    {"id": "e", "at": {"time": "2026-11-24T07:00:00Z"}, "kind": "login", "ok": False, "final": True},
]


def as_lines(path: Path) -> None:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS), encoding="utf-8")


def as_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress("".join(f"{json.dumps(record)}\n" for record in RECORDS).encode()))


def as_parquet(path: Path) -> None:
    as_lines(path.with_suffix(".jsonl"))
    lines_as_table(path, "*", "parquet")


def as_csv(path: Path) -> None:
    as_lines(path.with_suffix(".jsonl"))
    named = 'id, "at".time AS "at.time", kind, ok, "user"."full.name" AS "user.""full.name""", tries, final'
    lines_as_table(path, named, "csv")


def lines_as_table(path: Path, columns: str, form: str) -> None:
    types = "'at': 'STRUCT(time VARCHAR)', 'user': 'STRUCT(\"full.name\" VARCHAR)', tries: 'BIGINT', "
    types += "id: 'VARCHAR', kind: 'VARCHAR', ok: 'BOOLEAN', final: 'BOOLEAN'"
    read = f"read_json('{path.with_suffix('.jsonl')}', columns = {{{types}}})"
    with duckdb.connect() as database:
        database.execute(f"COPY (SELECT {columns} FROM {read}) TO '{path}' (FORMAT {form})")


@pytest.mark.parametrize(
    ("name", "write"),
    [("r.jsonl", as_lines), ("r.ndjson.gz", as_gzip), ("r.parquet", as_parquet), ("r.csv", as_csv)],
)
def test_all_formats_say_the_same(name: str, write: Any, tmp_path: Path) -> None:
    write(tmp_path / name)
    events, rejected = converted(read_mapping(MAPPING), tmp_path / name)
    assert [(event["id"], event["template"], event["timestamp"], event["attributes"]) for event in events] == [
        ("a", "Login", 1795507200000, {"user": "Ada, B.", "tries": 1}),
        ("b", "Failure", 1795507200000, {"user": 'say "x"\n', "tries": 3.0, "kind": "failure"}),
        ("e", "Failure", 1795503600000, {"final": True, "tries": 0.5, "kind": "failure"}),
    ]
    assert [(record.line, record.reason) for record in rejected] == [
        (3, "at.time is missing"),
        (6, 'its id is that of another record, found "b" of line 2'),
    ]


def test_lines_that_cross_chunks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    as_lines(tmp_path / "r.jsonl")
    whole = converted(read_mapping(MAPPING), tmp_path / "r.jsonl")
    monkeypatch.setattr(Conversion, "_add_quickly", lambda *_: False)
    for size in (1, 7, 100, 101):
        monkeypatch.setattr(records, "_CHUNK", size)
        assert converted(read_mapping(MAPPING), tmp_path / "r.jsonl") == whole


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.bz2"])
def test_a_line_that_is_too_long_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    monkeypatch.setattr(records, "_CHUNK", 2**20)
    long = json.dumps(RECORDS[0] | {"more": "x" * records.MAX_LINE, "id": "z"})
    content = f"{long}\n{json.dumps(RECORDS[0])}\n{long}".encode()
    (tmp_path / name).write_bytes(bz2.compress(content) if name.endswith("bz2") else content)
    events, rejected = converted(read_mapping(MAPPING), tmp_path / name)
    assert [event["id"] for event in events] == ["a"]
    assert [(record.line, record.reason) for record in rejected] == [
        (1, "it has more than 4,194,304 characters"),
        (3, "it has more than 4,194,304 characters"),
    ]


# --- The command ------------------------------------------------------------------------------------------------------

PROGRAM = """\
level 2
template Login { user : String, tries : Integer, score : Float? }
template Failure { user : String?, final : Boolean?, tries : Float, kind : String }
rule R where f : Failure { final = true }, a : Login when a in f [0 ms, 2 hours]
"""


def test_from_a_raw_log_to_matches(command: Command, tmp_path: Path) -> None:
    as_lines(tmp_path / "raw.jsonl")
    (tmp_path / "m.toml").write_text(MAPPING, encoding="utf-8")
    (tmp_path / "p.parte").write_text(PROGRAM, encoding="utf-8")
    for ending in ("jsonl", "parquet"):
        output = tmp_path / f"log.{ending}"
        done = command(
            "log", tmp_path / "m.toml", tmp_path / "raw.jsonl", "-o", output, "--rejected", tmp_path / "lost.jsonl"
        )
        assert done.code == 0
        rows = [" ".join(line.split()) for line in done.err.splitlines()]
        assert rows == [
            "2 Failure",
            "1 Login",
            "1 left out: of no template",
            "1 left out: there twice",
            "1 rejected: at.time is missing",
            "1 rejected: its id is that of another record",
            "7 records",
            "warning: no record of its template has the path of Login.score, Login.tries",
            "from 2026-11-24T07:00:00Z to 2026-11-24T08:00:00Z",
            "the events are out of order by 1 hour, which `parte run --disorder '1 hour'` allows for",
        ]
        result = command("run", tmp_path / "p.parte", output, "--model", "indexed", "--disorder", "1 hour")
        assert [json.loads(line)["bindings"] for line in result.out.splitlines()] == [{"f": "e", "a": "a"}]
    lost = [json.loads(line) for line in (tmp_path / "lost.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(record["line"], record["file"]) for record in lost] == [
        (line, str(tmp_path / "raw.jsonl")) for line in (3, 6)
    ]


def test_several_files_and_patterns(command: Command, tmp_path: Path) -> None:
    mapping = '[timestamp]\npath = "t"\nforms = ["seconds"]\n[[template]]\nname = "A"\n'
    (tmp_path / "m.toml").write_text(mapping, encoding="utf-8")
    for name in ("b", "a"):
        (tmp_path / f"{name}.jsonl").write_text('{"t": 1}\n{"t": 0.0015}\n', encoding="utf-8")
    done = command("log", tmp_path / "m.toml", tmp_path / "*.jsonl")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [(event["id"], event["timestamp"]) for event in events] == [
        ("record-1-1", 1000),
        ("record-1-2", 1),
        ("record-2-1", 1000),
        ("record-2-2", 1),
    ]
    sent = command("log", tmp_path / "m.toml", "-", stdin='{"t": 1}\n{"t": 0.0015}')
    assert sent.out.splitlines() == done.out.splitlines()[:2]


def test_nothing_is_written_where_nothing_is_an_event(command: Command, tmp_path: Path) -> None:
    as_lines(tmp_path / "raw.jsonl")
    (tmp_path / "m.toml").write_text(MAPPING.replace("log", "lag"), encoding="utf-8")
    done = command("log", tmp_path / "m.toml", tmp_path / "raw.jsonl", "-o", tmp_path / "out.jsonl")
    assert (done.code, (tmp_path / "out.jsonl").exists()) == (2, False)
    assert "no record is an event" in done.err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.txt", b"{}", "its ending tells no format"),
        ("r.parquet", b"PAR1", "r.parquet"),
        ("r.jsonl.gz", b"no gzip", "r.jsonl.gz"),
        ("absent.jsonl", None, "No such file"),
    ],
)
def test_files_that_cannot_be_used(command: Command, tmp_path: Path, name: str, content: bytes, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    (tmp_path / "m.toml").write_text(MAPPING, encoding="utf-8")
    done = command("log", tmp_path / "m.toml", tmp_path / name)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


# --- Suggestions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "write"), [("r.jsonl", as_lines), ("r.parquet", as_parquet), ("r.csv", as_csv)])
def test_a_suggestion_reads_the_log(command: Command, tmp_path: Path, name: str, write: Any) -> None:
    write(tmp_path / name)
    done = command("log", "--suggest", tmp_path / name)
    assert done.code == 0
    events, rejected = converted(read_mapping(done.out), tmp_path / name)
    assert [event["template"] for event in events] == ["Login", "Login", "Logout", "Login"]
    assert [record.line for record in rejected] == [3, 6]


@settings(max_examples=40)
@given(drawn=st.lists(raw, min_size=1, max_size=8))
def test_a_suggestion_is_a_mapping(drawn: list[dict[str, Any]], tmp_path_factory: Any) -> None:
    from parte.logs.suggesting import suggested
    from parte.semantics.events.files import UnusableFile

    path = tmp_path_factory.mktemp("raw") / "raw.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in drawn), encoding="utf-8")
    try:
        text = suggested(str(path))
    except UnusableFile as error:
        if "no path of its records has times" in str(error):
            return
        raise
    _, rejected = converted(read_mapping(text), path)
    # What it saw of types and of what is missing holds for the records that it saw.
    assert all("id" in record.reason or "time" in record.reason for record in rejected)
