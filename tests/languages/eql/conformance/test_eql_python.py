"""Python EQL behind the protocol: a program that stands for it, and itself (needs the package `eql` in PARTE_EQL)."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from parte.conformance.engines.foreign import EngineFailure
from parte.conformance.protocol import Accepted, Failed, Found, Load, Reply, Unsupported
from parte.languages.eql.conformance.engines.python import adapter, queries
from parte.languages.eql.conformance.engines.python.adapter import VARIABLE
from parte.languages.eql.semantics.text import parsed
from parte.semantics.source.packages import Unavailable
from tests.campaigns.running import run
from tests.languages.eql.campaigns.python_eql import PythonEql

STAND_IN = """\
#!%s
import json, os, sys
if "importlib.metadata" in sys.argv[-1]:
    print("9.9")
    sys.exit()
for line in sys.stdin:
    request = json.loads(line)
    query, events = request["query"], request["events"]
    if "stops" in query:
        os._exit(1)
    if "sleeps" in query:
        import time
        time.sleep(60)
    if "rejected" in query:
        reply = {"rejected": "no such thing"}
    elif "fails" in query:
        reply = {"failed": "ValueError: x"}
    else:
        assert all(set(attributes) <= {"k", "process"} for _, _, attributes in events), events
        reply = {"results": [[0, len(events) - 1]] if events else [], "seconds": events[-1][1] if events else 0}
    print(json.dumps(reply), flush=True)
"""
PAIR = "sequence by k [A where true] [B where true]"
TRACE = [
    {"id": "a", "template": "A", "timestamp": 1, "attributes": {"k": 1, "process.name": "x", "process.pid": 2}},
    {"id": "b", "template": "B", "timestamp": 2, "attributes": {"k": 1}},
]


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the place of the user's Python."""
    program = tmp_path / "python"
    program.write_text(STAND_IN % sys.executable, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(program))


def answer(text: str, trace: list[dict[str, object]] = TRACE, options: Mapping[str, str] | None = None) -> Reply:
    """Return the reply to a query and a trace: that to the query, if it is not accepted."""
    engine = adapter.engine()
    loaded = engine.load(Load(text, None, language="EQL", options=options or {}))
    return engine.run(trace) if isinstance(loaded, Accepted) else loaded


def test_where_it_is_not_installed_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for place in ("", str(tmp_path / "none"), "false"):
        monkeypatch.setenv(VARIABLE, place)
        with pytest.raises(Unavailable, match="needs the package eql"):
            adapter.engine()


@pytest.mark.usefixtures("stand_in")
def test_events_and_results_are_translated() -> None:
    assert adapter.installation() == "9.9"
    reply = answer(PAIR)
    assert isinstance(reply, Found)
    assert reply.matches == ({"keys": [1], "events": ["a", "b"]},)
    event = adapter._events((parsed(PAIR).query, {}, 0), TRACE)
    assert adapter.Harness().ask(parsed(PAIR).query, event)["seconds"] == 20_000


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("A where rejected == 1", {}, "it rejects the query: no such thing"),
        (PAIR, {"tiebreaker": "k"}, "no tiebreaker"),
        (PAIR, {"until": "inclusive"}, "no reading until=inclusive"),
        (PAIR, {"missing": "pending"}, "no reading missing=pending"),
        ("A where", {}, "read and rejected by PARTE"),
    ],
)
def test_what_it_is_not_asked(text: str, options: Mapping[str, str], reason: str) -> None:
    reply = answer(text, options=options)
    assert isinstance(reply, Unsupported)
    assert reason in reply.reason


@pytest.mark.usefixtures("stand_in")
def test_what_it_is_asked_of_readings() -> None:
    for options in ({}, {"dialect": "python"}, {"keys": "null"}, {"until": "before", "order": "time"}):
        assert isinstance(answer(PAIR, options=options), Found)


@pytest.mark.usefixtures("stand_in")
def test_traces_that_it_is_not_given() -> None:
    late = [{"id": "c", "template": "A", "timestamp": 0, "attributes": {}}]
    beside = [{"id": "c", "template": "A", "timestamp": 0, "attributes": {"k": 1, "k.l": 2}}]
    before = [{"id": "c", "template": "A", "timestamp": 0, "attributes": {"k.l": 2, "k": 1}}]
    for trace in ([*TRACE, *late], beside, before):
        assert isinstance(answer(PAIR, trace), Unsupported)


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("word", ["fails", "stops", "sleeps"])
def test_a_failure_is_one_of_the_engine(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter.Harness.ask, "__defaults__", (1.0,))
    harness = adapter.Harness()
    with pytest.raises(EngineFailure, match="Python EQL stopped"):
        harness.ask(parsed(f"A where {word} == 1").query, ())
    assert harness.ask(parsed(PAIR).query, ())["results"] == []
    assert isinstance(answer(f"A where {word} == 1"), Failed)


# --- Its own tests ----------------------------------------------------------------------------------------------------

OWN = """\
[[queries]]
query = "process where true"
expected_event_ids = [1]

[[queries]]
query = "sequence [process where name = 'A*' and x != '='] [file where true]"
expected_event_ids = [1, 3]

[[queries]]
query = "sequence with maxspan=5s [process where true] [file where true]"
expected_event_ids = [1, 3]

[[queries]]
query = "sequence [process where true] [file where true] fork=true"
expected_event_ids = [1, 3]
"""
RECORDS = [
    {"serial_event_id": 1, "event_type": "process", "timestamp": 50_000, "name": "ab", "x": "y", "tags": ["t"]},
    {"serial_event_id": 2, "event_type_full": "file_event", "timestamp": 40_000},
    {"serial_event_id": 3, "event_type_full": "file_event", "timestamp": 60_000},
]


def test_its_sequences_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = tmp_path / "queries.toml", tmp_path / "events.json"
    files[0].write_text(OWN, encoding="utf-8")
    files[1].write_text(json.dumps(RECORDS), encoding="utf-8")
    assert queries.main(list(map(str, files))) == 1
    assert capsys.readouterr().out.splitlines() == [
        "query 2: differs: define has [1, 2], expected [1, 3]",
        "query 4: refused: `fork` is not supported [unsupported]",
        "1 differs, 1 equal, 1 refused",
    ]
    assert queries.main([]) == 2


# --- Itself -----------------------------------------------------------------------------------------------------------


def _missing() -> str:
    try:
        adapter.installation()
    except Unavailable as error:
        return str(error)
    return ""


installed = pytest.mark.skipif(bool(_missing()), reason=_missing() or "installed")


@installed
@pytest.mark.parametrize(
    ("text", "trace", "expected"),
    [
        ("sequence [A where true] [B where true]", "A@0 A@1 B@2", ["12"]),
        ("sequence [A where true] with runs=2", "A@0 A@1 A@2", ["01", "12"]),
        ("sequence [A where true] [B where true] until [C where true]", "A@0 C@1 B@2", []),
        # Where it differs from the specification.
        ("sequence with maxspan=500ms [A where true] [B where true]", "A@0 B@300", []),
        ("sequence by k [A where true] [B where true]", "A@0 B@1", ["01"]),
        ("sequence with maxspan=5s [A where true] ![C where true] [B where true]", "A@0 B@1", []),
        ("sample by k [A where true] [B where true]", "A@0 A@1", ["01"]),
    ],
)
def test_what_it_finds(text: str, trace: str, expected: list[str]) -> None:
    items: list[dict[str, object]] = [
        {"id": str(number), "template": name, "timestamp": int(time), "attributes": {}}
        for number, (name, time) in enumerate(word.split("@") for word in trace.split())
    ]
    reply = answer(text, items, {"dialect": "python"})
    assert isinstance(reply, Found)
    assert ["".join(result["events"]) for result in reply.matches] == expected


@installed
@pytest.mark.exhaustive
def test_every_difference_has_a_class() -> None:
    said: list[str] = []
    failures, counts = run(PythonEql(), seed=1, seconds=300, cases=500, say=said.append)
    assert not failures, said
    assert counts["compared"] > 400
