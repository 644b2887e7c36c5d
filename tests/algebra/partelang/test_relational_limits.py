"""The numbers up to which DuckDB is given, asked and shown something: beyond them the matches are the same."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from parte.algebra.partelang import relational
from parte.algebra.partelang.effort import TooMuch
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import Log, limits, parquet, skew, work
from parte.algebra.partelang.relational import duckdb as duckdb_engine
from parte.algebra.partelang.relational.closure import closed_windows
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.semantics.events.event import Event
from parte.semantics.events.files import UnusableFile
from parte.semantics.partelang.syntax import parse

TEMPLATES = "template A { k : Integer, s : String }\ntemplate B { k : Integer, s : String }\n"
PROGRAM = parse(
    TEMPLATES
    + """
rule First where a : A { k > 0 }, b : B { s = a.s, k > 0 } when b in a [0 ms, 6 ms] then
rule Second where a : A { k > 1 }, b : B { k = a.k } when b in a [-4 ms, 4 ms] then
"""
)
TRACE = [Event(f"{name}{n}", name, n // 2, {"k": n % 3, "s": f"s{n % 4}"}) for n in range(40) for name in "AB"]
SMALL_KEYS = {"EVENTS": 2, "PAIRS": 4}
"""With these numbers of `skew`, every key of the trace is hot."""


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (duckdb_engine, "_BATCH", 7),
        (duckdb_engine, "_FETCHED", 7),
        (duckdb_engine, "_SMALL", 10),
        (duckdb_engine, "_SPARSEST", 2),
        (skew, "LARGEST", 2),
        (skew, "ASKED", 1),
        (work, "_COUNTED", 1),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_beyond_a_number_the_matches_are_the_same(
    module: ModuleType, name: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for constant, small in SMALL_KEYS.items():
        monkeypatch.setattr(skew, constant, small)
    monkeypatch.setattr(duckdb_engine, "_LOOKED_AT", 10)
    monkeypatch.setattr(module, name, value)
    outcome = relational.run(PROGRAM, TRACE)
    assert outcome.matches
    assert outcome == run(PROGRAM, TRACE)


def test_of_many_keys_and_joins_the_first_are_sliced(monkeypatch: pytest.MonkeyPatch) -> None:
    for constant, small in SMALL_KEYS.items():
        monkeypatch.setattr(skew, constant, small)
    with duckdb_engine.Connection(1) as connection:
        plan = duckdb_engine.planned(PROGRAM, {})
        connection.load(plan, TRACE)
        probes = skew.large_probes(plan, {"A": 40, "B": 40})

        def hot() -> list[tuple[str, object]]:
            return [(key.rule, key.values) for key in skew.hot_keys(probes, DuckDB(), connection.answers)]

        every = hot()
        assert {rule for rule, _ in every} == {"First", "Second"}
        assert len([rule for rule, _ in every if rule == "First"]) == 4
        monkeypatch.setattr(skew, "ASKED", 1)
        assert {rule for rule, _ in hot()} == {"First"}
        monkeypatch.setattr(skew, "LARGEST", 2)
        assert len(hot()) == 2


@pytest.mark.parametrize(("events", "large"), [(9_999, False), (10_000, True), (10_001, True)])
def test_a_key_of_many_pairs_is_reported(events: int, large: bool) -> None:
    assert skew.TOLD == 10_000**2
    assert skew.Hot("R", 1, "b", "a", (), ("s",), events, 10_000).is_large is large


def test_a_trial_looks_at_one_event_in_so_many_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_engine, "process_memory", lambda _: 64 * 2**20)
    monkeypatch.setattr(duckdb_engine.Connection, "outcome", None)  # nothing is run
    program = parse(
        TEMPLATES + "rule R where a : A, b : A, c : A when b in a [-1 hours, 1 hour], c in a [-1 hours, 1 hour] then"
    )
    trace = [Event(f"e{n}", "A", n, {"k": n, "s": ""}) for n in range(4 * work._ENOUGH)]
    with pytest.raises(TooMuch, match="one in 4 of the events that may be"):
        relational.run(program, trace)
    monkeypatch.setattr(work, "_SPARSEST", 2)
    with pytest.raises(TooMuch, match="one in 2 of the events that may be"):
        relational.run(program, trace)


def test_a_log_of_several_batches(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    parquet.write_log(PROGRAM, TRACE, path)
    monkeypatch.setattr(parquet, "_BATCH", 7)
    assert list(parquet.load_log(PROGRAM, path)) == TRACE
    assert relational.run_log(PROGRAM, Log(path)) == run(PROGRAM, TRACE)


@pytest.mark.parametrize(("name", "kind"), [("MAX_VALUES", "values"), ("MAX_LOG_BYTES", "bytes")])
def test_a_log_that_is_too_large_is_not_read(
    name: str, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "log.parquet"
    parquet.write_log(PROGRAM, TRACE, path)
    monkeypatch.setattr(parquet, name, 50)
    with pytest.raises(UnusableFile, match=f"{kind}; at most 50 are read"):
        parquet.load_log(PROGRAM, path)


def test_a_window_that_is_derived_from_the_longest_ones() -> None:
    """The sums of their bounds do not fit 64 bit, so no window follows from them."""
    greatest = 2**63 - 1
    program = parse(
        TEMPLATES + f"rule R where a : A, b : B, c : A when b in a [0 ms, {greatest} ms], c in b [0 ms, {greatest} ms]"
    )
    assert len(closed_windows(program.rules[0])) == 2
    times = {"A": (-greatest, 0, greatest), "B": (-1, 0, 1)}
    trace = [Event(f"{name}{time}", name, time, {"k": 0, "s": ""}) for name in "AB" for time in times[name]]
    outcome = relational.run(program, trace)
    farthest = (("a", f"A{-greatest}"), ("b", "B0"), ("c", f"A{greatest}"))
    assert farthest in [match.bindings for match in outcome.matches]
    assert outcome == run(program, trace)


def test_a_database_gets_some_memory_however_little_is_free(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for share in (limits.database_memory, limits.process_memory):
        assert share(0) == share(2**20) == 64 * 2**20
        assert share(2**30) > 64 * 2**20

    def unknown(_: str) -> int:
        raise ValueError

    monkeypatch.setattr("os.sysconf", unknown)
    monkeypatch.setattr(limits, "resource", None)
    assert limits.free_memory(tmp_path, tmp_path) == 4 * 2**30
