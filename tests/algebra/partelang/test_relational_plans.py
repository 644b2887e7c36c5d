"""How rules are joined on DuckDB: what follows from equalities and windows, the order, and what is too much."""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import audit
from parte.algebra.partelang import relational
from parte.algebra.partelang.effort import TooMuch
from parte.algebra.partelang.evaluators import EVALUATORS
from parte.algebra.partelang.relational import duckdb as duckdb_engine
from parte.algebra.partelang.relational import limits, skew, work
from parte.algebra.partelang.relational.closure import Classes, closed, closed_windows
from parte.algebra.partelang.relational.components import expanded
from parte.algebra.partelang.relational.dialects import DuckDB
from parte.algebra.partelang.relational.order import joins_of
from parte.algebra.partelang.relational.parquet import load_log
from parte.api import execute
from parte.faults import NO_MEMORY, report_fault
from parte.semantics.events.conformity import conform
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.source import scratch

# --- The audit log ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def audit_log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A log of the benchmark, dense enough that the hot user fills the windows."""
    path = tmp_path_factory.mktemp("audit") / "log.parquet"
    with mock.patch.multiple(audit, HOT=0.4, USERS=400, BETWEEN=30_000):
        pyarrow.parquet.write_table(audit.log(parse(audit.PROGRAM), 3_000), path)
    return str(path)


def test_a_hot_user_in_an_audit_log_is_found_as_the_machine_finds_it(audit_log: str) -> None:
    program = parse(audit.PROGRAM)
    with mock.patch.multiple(skew, EVENTS=50, PAIRS=1_000):
        outcome = execute(program, relational.Log(audit_log), model="duckdb")
    expected = execute(program, load_log(program, audit_log), model="sound")
    assert set(outcome.matches) == set(expected.matches)
    assert len(outcome.matches) > 100


@pytest.mark.parametrize("hot", [False, True])
def test_every_join_is_by_the_user_and_by_time(audit_log: str, hot: bool) -> None:
    """DuckDB's own order paired the patterns of the star by the user alone, and tested the windows last."""
    program = parse(audit.PROGRAM)
    events = conform(program, load_log(program, audit_log))
    with mock.patch.multiple(skew, EVENTS=50 if hot else 10**6, PAIRS=1_000):
        joins = [join for join in joins_on(program, events) if join["Join Type"] == "INNER"]
    assert len(joins) == 5  # with that of the negated pattern
    for join in joins:
        conditions = join["Conditions"]
        assert "a1 = a1" in conditions
        assert sum("$timestamp" in condition and "=" in condition for condition in conditions) >= 2
        # The slices of time of a hot key are part of what is hashed.
        assert any("$bucket" in condition for condition in conditions) is hot


def joins_on(program: core.Program, events: Any) -> list[dict[str, Any]]:
    """What DuckDB says of each hash join that it makes for the only rule of a program."""
    with duckdb_engine.Connection(1) as connection:
        plan = duckdb_engine.planned(program, {})
        connection.load(plan, events)
        (stage,) = connection.prepared(plan).stages
        query = expanded(stage.query, DuckDB(), plain=True).sql("duckdb")
        ((_, text),) = connection._database.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()

    def within(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if "JOIN" in node["name"]:
            conditions = node["extra_info"].get("Conditions", [])
            listed = [conditions] if isinstance(conditions, str) else conditions
            yield node["extra_info"] | {"Conditions": listed}
        for child in node["children"]:
            yield from within(child)

    (root,) = json.loads(text)
    return list(within(root))


# --- What follows -----------------------------------------------------------------------------------------------------

TEMPLATES = """
template A { u: String, k: Integer, x: Float }
template B { u: String, k: Integer, x: Float }
template C { u: String, k: Integer, x: Float }
"""


def rule_of(text: str) -> core.Rule:
    return parse(TEMPLATES + text).rules[0]


def conditions_of(rule: core.Rule, variable: str) -> list[str]:
    (pattern,) = (pattern for pattern in rule.patterns if pattern.variable == variable)
    return [text_of(condition) for condition in pattern.conditions]


def text_of(expression: core.Expression) -> str:
    match expression:
        case core.Comparison(operator=operator, left=left, right=right):
            return f"{text_of(left)} {operator} {text_of(right)}"
        case core.AttributeOf(variable=variable, attribute=attribute):
            return f"{variable}.{attribute}"
        case core.ToFloat(operand=inner):
            return f"float {text_of(inner)}"
        case _:
            return type(expression).__name__


def test_a_star_of_equalities_becomes_one_to_the_variable_of_each_window() -> None:
    rule = rule_of(
        """rule R where a: A, b: A { u = a.u }, c: B { u = a.u, x > a.x }, no n: C { u = a.u, x > a.x }
        when b in a [0 ms, 9 ms], c in b [0 ms, 5 ms], no n in c [0 ms, 3 ms] then"""
    )
    closed_rule = closed(rule, rule.positive)
    assert conditions_of(closed_rule, "b") == ["b.u = a.u"]
    assert conditions_of(closed_rule, "c") == ["c.u = b.u", "c.x > a.x"]
    # The user of the negated pattern is that of the event that its window is about; its worth is not.
    assert conditions_of(closed_rule, "n") == ["n.u = c.u", "n.x > a.x"]
    backwards = closed(rule, rule.positive[::-1])
    assert conditions_of(backwards, "c") == ["c.x > a.x"]
    assert conditions_of(backwards, "b") == ["b.u = c.u"]
    assert conditions_of(backwards, "a") == ["a.u = b.u"]


def test_equalities_that_are_no_keys_are_left_as_they_are() -> None:
    rule = rule_of(
        """rule R where a: A, b: A { k + a.k = 3, x = a.k, u != a.u }, c: A { k = b.k, x = b.x }
        when b in a [0 ms, 9 ms], c in b [0 ms, 5 ms] then"""
    )
    classes = Classes.of(rule)
    assert [[text_of(side) for side in equal] for equal in classes.classes] == [
        ["c.k", "b.k"],
        ["b.x", "float a.k", "c.x"],
    ]
    assert len(classes.others) == 2


def test_windows_that_follow() -> None:
    rule = rule_of(
        "rule R where a: A, b: A, c: A when b in a [1 ms, 9 ms], c in b [2 ms, 5 ms] then",
    )
    following = [(w.subject, w.reference, w.lower, w.upper) for w in closed_windows(rule)]
    assert following == [("b", "a", 1, 9), ("c", "b", 2, 5), ("c", "a", 3, 14)]
    never = rule_of(
        "rule R where a: A, b: A, c: A when b in a [1 ms, 9 ms], c in b [2 ms, 5 ms], a in c [1 ms, 2 ms] then"
    )
    assert len(closed_windows(never)) == 3


def test_the_side_with_fewer_rows_is_kept_in_memory() -> None:
    rule = rule_of(
        """rule R where a: A, b: B { u = a.u }, c: C { u = a.u }
        when b in a [0 ms, 9 ms], c in b [0 ms, 5 ms] then"""
    )
    few = joins_of(rule, {"a": 9_000, "b": 9_000, "c": 10})
    assert [pattern.variable for pattern in few.order] == ["c", "b", "a"]
    assert few.into == {"a", "b"}
    assert joins_of(rule, {"a": 1_000, "b": 1_000, "c": 1_000}).into == frozenset()
    (sql,) = relational.explain(
        parse(TEMPLATES + "rule R where a: A, b: B { u = a.u } when b in a [0 ms, 9 ms]")
    ).values()
    assert 'FROM "events1" AS "p1"\nINNER JOIN "events2" AS "p2"' in sql


# --- Any program ------------------------------------------------------------------------------------------------------


@st.composite
def wild_cases(draw: st.DrawFn) -> tuple[core.Program, list[Event]]:
    """Rules of five to ten patterns in several strata, over events of which most have one key."""
    rules = []
    for number in range(draw(st.integers(1, 3))):
        names = [f"v{place}" for place in range(draw(st.integers(5, 10) if not number else st.integers(2, 5)))]
        # Emitted events are of C; only later rules read them.
        templates = "AB" if not number else "ABC"
        patterns, windows = [], []
        star = draw(st.booleans())
        for place, name in enumerate(names):
            conditions = []
            if place:
                partner = names[0] if star else names[draw(st.integers(0, place - 1))]
                conditions += draw(
                    st.lists(
                        st.sampled_from(
                            [
                                f"u = {partner}.u",
                                f"u = {partner}.u, k = {partner}.k",
                                f"k = {partner}.k",
                                f"x = {partner}.k",
                                f"k + 1 = {partner}.k",
                                f"x >= {partner}.x",
                                f"id != {partner}.id",
                            ]
                        ),
                        min_size=1,
                        max_size=2,
                        unique=True,
                    )
                )
                related = names[draw(st.integers(0, place - 1))] if draw(st.booleans()) else names[place - 1]
                lower = draw(st.integers(-2, 2))
                windows.append(f"{name} in {related} [{lower} ms, {lower + draw(st.integers(0, 3))} ms]")
            if draw(st.integers(0, 3)) == 0:
                conditions.append(draw(st.sampled_from(["k >= 1", "x < 2.0", 'u != "b"'])))
            patterns.append(f"{name}: {draw(st.sampled_from(templates))} {{ {', '.join(conditions)} }}")
        for extra in range(draw(st.integers(0, 2))):
            about, partner = draw(st.sampled_from(names)), draw(st.sampled_from(names))
            condition = draw(
                st.sampled_from([f"u = {partner}.u", f"k = {partner}.k, u = {about}.u", f"x > {partner}.x"])
            )
            patterns.append(f"no n{extra}: {draw(st.sampled_from(templates))} {{ {condition} }}")
            windows.append(f"no n{extra} in {about} [-1 ms, {draw(st.integers(0, 2))} ms]")
        emits = f"then emit C at {names[-1]}.timestamp with {{ id = {names[0]}.id, u = {names[1]}.u, k = 1, x = 1.0 }}"
        rules.append(
            f"rule R{number} where {', '.join(patterns)} when {', '.join(windows)} {emits if not number else ''}"
        )
    attributes = "{ id: Integer, u: String, k: Integer, x: Float }"
    program = parse(f"template A {attributes} template B {attributes} template C {attributes}\n" + "\n".join(rules))
    seed = random.Random(draw(st.integers(0, 2**32)))
    events = [
        Event(
            f"e{number}",
            seed.choice("AAB"),
            seed.randrange(12),
            {
                "id": number,
                "u": seed.choice("aaaaab"),
                "k": seed.choice([0, 1, 1, 1, 2]),
                "x": seed.choice([0.0, -0.0, 1.0, 1.0, 2.0]),
            },
        )
        for number in range(draw(st.integers(6, 16)))
    ]
    return program, events


@pytest.mark.parametrize("apart", [False, True])
@settings(max_examples=20)
@given(wild_cases())
def test_many_patterns_chains_stars_strata_and_hot_keys(apart: bool, case: tuple[core.Program, list[Event]]) -> None:
    # `apart` is how Spark joins and slices.
    program, events = case
    spark = mock.patch.multiple(DuckDB, distributed=apart, tells_hot_keys=apart)
    with spark, mock.patch.multiple(skew, EVENTS=1, PAIRS=2):
        outcome = relational.run(program, events)
    expected = EVALUATORS["indexed"](program, events, {})
    assert repr(outcome.matches) == repr(expected.matches)
    assert repr(outcome.failures) == repr(expected.failures)


def test_the_wild_cases_have_matches() -> None:
    """Else they would show nothing: of a hundred, at least ten have some."""
    counts: list[int] = []

    @settings(max_examples=50, database=None, derandomize=True)
    @given(wild_cases())
    def look(case: tuple[core.Program, list[Event]]) -> None:
        counts.append(len(EVALUATORS["indexed"](*case, {}).matches))

    look()
    assert sum(map(bool, counts)) >= 10


# --- What is too much -------------------------------------------------------------------------------------------------


def hot_events(count: int) -> list[Event]:
    return [Event(f"e{n}", "A", n, {"u": "hot" if n % 10 else f"u{n}", "k": n, "x": 0.0}) for n in range(count)]


TEN = "rule Ten where a0: A, {} when {} then".format(
    ", ".join(f"a{n}: A {{ u = a0.u }}" for n in range(1, 10)),
    ", ".join(f"a{n} in a{n - 1} [0 ms, 1 hour]" for n in range(1, 10)),
)
SELF = "rule Self where a: A, b: A, c: A when b in a [-1 hours, 1 hour], c in a [-1 hours, 1 hour] then"
ALIKE = "".join(
    f"rule S{k} where a: A {{ k > {k} }}, b: A, c: A when b in a [0 ms, 1 hour], c in a [0 ms, 1 hour] then "
    for k in (1, 2)
)


@pytest.mark.parametrize(("rules", "name"), [(TEN, "Ten"), (SELF, "Self"), (ALIKE, "S1 and 1 like it")])
@pytest.mark.parametrize("count", [400, 3_000])
def test_matches_that_no_memory_holds_are_refused_before_the_run(
    rules: str, name: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_engine, "process_memory", lambda _: 64 * 2**20)
    monkeypatch.setattr(duckdb_engine, "_PATIENCE", 2.0)
    monkeypatch.setattr(duckdb_engine.Connection, "outcome", None)  # nothing is run
    if name.startswith("S1") and count > 400:
        name = "S1"  # so many events are too many for one query of both
    with pytest.raises(TooMuch, match=f"rule {name}") as refused:
        relational.run(parse(TEMPLATES + rules), hot_events(count))
    assert report_fault(refused.value) == NO_MEMORY


def test_a_trial_over_scans_of_one_relation_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    # On so many rows DuckDB 2.0.0 waited for ever for a query with a LIMIT.
    monkeypatch.setattr(duckdb_engine, "process_memory", lambda _: 2**20)
    monkeypatch.setattr(duckdb_engine, "_PATIENCE", 20.0)
    rule = "rule R where a: A { k > 0 }, b: A { k = a.k, k > 0 }, c: A { k = a.k, k > 0 } when b in a [0 ms, 1 hour],"
    program = parse(TEMPLATES + rule + " c in a [0 ms, 1 hour] then")
    events = [Event(f"e{n}", "A", n, {"k": n % 3_000, "u": ""}) for n in range(150_000)]
    with pytest.raises(TooMuch, match="rule R has more than"):
        relational.run(program, events)


def test_a_refusal_names_the_model_that_can(capsys: pytest.CaptureFixture[str]) -> None:
    assert report_fault(TooMuch("rule R has more than 9 matches")) == NO_MEMORY
    said = capsys.readouterr().err
    assert said.startswith("error: memory does not suffice: rule R has more than 9 matches\n")
    assert "--model sound" in said


def test_conditions_that_the_estimate_does_not_know_refuse_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_engine, "process_memory", lambda _: 2**20)
    rule = SELF.replace("b: A,", "b: A { k > a.k, k < a.k },")
    trials: list[work.Trial] = []
    counted = duckdb_engine.Connection._counted

    def watched(connection: duckdb_engine.Connection, trial: work.Trial) -> int | None:
        trials.append(trial)
        return counted(connection, trial)

    monkeypatch.setattr(duckdb_engine.Connection, "_counted", watched)
    assert relational.run(parse(TEMPLATES + rule), hot_events(400)).matches == ()
    (trial,) = trials
    assert trial.expected > 10**6


def test_a_trial_that_does_not_end_leaves_it_to_the_estimate() -> None:
    stage = mock.Mock()
    stage.rule.rules = (rule_of(SELF),)
    stage.rule.joins.order = rule_of(SELF).positive
    hopeless = work.Trial(stage, mock.Mock(), 4, 25, 1e12)
    assert "takes too long" in str(hopeless.too_many(None))
    assert work.Trial(stage, mock.Mock(), 4, 25, 1e4).too_many(None) is None
    assert hopeless.too_many(24) is None
    assert "rule Self has more than 100 matches" in str(hopeless.too_many(25))


def test_matches_that_the_estimate_did_not_foresee_end_in_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_engine, "_look", lambda *_: None)
    monkeypatch.setattr(duckdb_engine, "process_memory", lambda _: 2**20)
    monkeypatch.setattr(duckdb_engine, "_FETCHED", 2**10)
    with pytest.raises(TooMuch, match=r"rule Self has more"):
        relational.run(parse(TEMPLATES + SELF), hot_events(100))


# --- Memory and disk --------------------------------------------------------------------------------------------------


def test_what_memory_does_not_hold_is_written_to_a_directory_that_is_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(duckdb_engine, "database_memory", lambda _: 64 * 2**20)
    database = duckdb_engine._database(2, spills=True)
    database.execute("CREATE TABLE t AS SELECT range AS n, hash(range)::VARCHAR AS s FROM range(6000000)")
    (written,) = tmp_path.rglob("spilled")
    assert sum(file.stat().st_size for file in written.iterdir()) > 2**20
    database.close()
    del database
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_ends_at_once_leaves_no_directory(tmp_path: Path) -> None:
    ending = """
import tempfile, time, sys
tempfile.tempdir = sys.argv[1]
from parte.interruptions import end_within
from parte.semantics.source.scratch import scratch_directory
print(scratch_directory("parte-"))
end_within(0.05, 9)
time.sleep(60)
"""
    finished = subprocess.run(
        [sys.executable, "-c", ending, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 9
    assert finished.stdout.startswith(str(tmp_path / "parte-")), finished.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_fork_leaves_the_directories_of_its_parent_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    directory = scratch.scratch_directory("parte-")
    assert directory is not None
    with mock.patch.object(os, "getpid", return_value=-1):
        scratch.remove(directory)
    assert Path(directory).is_dir()
    scratch.remove(directory)
    assert not Path(directory).exists()


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("0::/job/step", {"memory.max": "900000", "memory.current": "500000", "memory.stat": "inactive_file 100000\n"}),
        (
            "5:cpu,memory:/job/step",
            {
                "memory.limit_in_bytes": "900000",
                "memory.usage_in_bytes": "500000",
                "memory.stat": "total_inactive_file 100000\n",
            },
        ),
    ],
)
@pytest.mark.parametrize("place", ["", "job", "job/step"])
def test_the_memory_of_a_container_is_what_its_groups_leave(
    tmp_path: Path, line: str, files: dict[str, str], place: str
) -> None:
    proc, groups = tmp_path / "proc", tmp_path / "cgroup"
    (proc / "self").mkdir(parents=True)
    (proc / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable: 2000 kB\n")
    assert limits.free_memory(proc, groups) == 2_000 * 2**10
    (proc / "self" / "cgroup").write_text(f"{line}\n")
    assert limits.free_memory(proc, groups) == 2_000 * 2**10
    group = groups / ("" if line.startswith("0::") else "memory") / place
    group.mkdir(parents=True)
    for name, text in files.items():
        (group / name).write_text(text)
    assert limits.free_memory(proc, groups) == 500_000
    first = next(iter(files))
    (group / first).write_text("max\n")
    assert limits.free_memory(proc, groups) == 2_000 * 2**10


def test_a_limit_on_the_address_space_counts() -> None:
    asking = """
import resource
from parte.algebra.partelang.relational.limits import free_memory
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
print(free_memory())
"""
    finished = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=True)
    assert 0 < int(finished.stdout) < 2**30
