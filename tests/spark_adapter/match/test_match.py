"""Match as people use it: what it takes, refuses, warns of, gives and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from typer.testing import CliRunner

from parte.algebra.partelang.effort import TooMuch
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import skew
from parte.algebra.partelang.relational.parquet import load_log, log_of, write_log
from parte.cli import app
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import bind_domain, load_domain
from parte.semantics.events.event import Event, Value
from parte.semantics.events.problems import TraceError
from parte.semantics.events.trace import load_trace
from parte.semantics.partelang.syntax import core, parse
from parte.spark_adapter.match import Unsupported, look, match
from parte.spark_adapter.match.output import write
from tests.spark_adapter.match.matching import small

FRAUD = Path(__file__).parents[3] / "examples" / "fraud"
SCENARIOS = parse((FRAUD / "scenarios.parte").read_text(encoding="utf-8"))
PROGRAM = """
template A { k: Integer, x: Float, s: String }
template B { k: Integer, x: Float, s: String }
template C { k: Integer, all: [Integer; 2] }
predicate p(Integer, Integer)
"""


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> Iterator[SparkSession]:
    spark_session = small(spark, ansi=True)
    yield spark_session
    assert spark_session.catalog.listTables() == []
    assert [name for name in spark_session.catalog.listFunctions() if name.name.startswith("parte_")] == []


def event(name: str, timestamp: int, template: str = "A", **replaced: Value) -> Event:
    return Event(name, template, timestamp, {"k": 0, "x": 0.0, "s": "", **replaced})


def frame(spark: SparkSession, program: core.Program, events: Iterable[Event]) -> DataFrame:
    return spark.createDataFrame(log_of(program, events))


def bindings(table: DataFrame) -> list[tuple[str, ...]]:
    return sorted(tuple(row) for row in table.collect())


# --- What it gives ---------------------------------------------------------------------------------------------------


def test_the_fraud_example_through_files(session: SparkSession, tmp_path: Path) -> None:
    trace = conform(SCENARIOS, load_trace(FRAUD / "trace.jsonl"))
    domain = load_domain(FRAUD / "domain.json")
    expected = run(SCENARIOS, trace, bind_domain(SCENARIOS, domain)).matches
    write_log(SCENARIOS, trace, tmp_path / "log.parquet")
    with match(session, SCENARIOS, session.read.parquet(str(tmp_path / "log.parquet")), domain) as matches:
        written = write(matches, str(tmp_path / "out"))
    assert dict(written.matches) == {"FraudPassThrough": 3, "FraudDiffusion": 6, "FraudRefundScam": 2}
    assert written.failures == 0
    rows = pyarrow.parquet.read_table(tmp_path / "out" / "matches").to_pylist()
    assert [(row["rule"], [(part["variable"], part["event"]) for part in row["bindings"]]) for row in rows] == sorted(
        (match.rule, list(match.bindings)) for match in expected
    )
    assert [row["emits"] for row in rows] == [[emit.id for emit in match.emits] for match in _by_rule(expected)]
    # What it emits is a log again.
    (events,) = (tmp_path / "out" / "events").glob("*.parquet")
    emitted = {
        row["id"]: {k: v for k, v in row["attributes"].items() if v is not None}
        for row in pyarrow.parquet.read_table(events).to_pylist()
    }
    assert emitted == {
        emit.id: {name: list(value) if isinstance(value, tuple) else value for name, value in emit.attributes.items()}
        for match in expected
        for emit in match.emits
    }


def test_matches_for_which_the_disk_has_no_room_are_refused(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = parse("template A { } template B { } rule Pairs where a : A, b : B when b in a [0 ms, 1 days]")
    log = frame(session, program, [Event(f"{name}{n}", name, n, {}) for name in ("A", "B") for n in range(600)])
    room = 2**20
    monkeypatch.setattr(look, "spill", lambda _: room)
    with pytest.raises(TooMuch, match=r"rule Pairs has more than .* and there is room for 0.0 GiB on the disk"):
        match(session, program, log)
    room = 2**30
    with match(session, program, log) as matches:
        assert matches.all.count() == 600 * 601 // 2


def _by_rule(matches: Iterable) -> list:  # type: ignore[type-arg]
    return sorted(matches, key=lambda match: (match.rule, match.bindings))


def test_the_plan_is_shown_by_rule(session: SparkSession) -> None:
    program = parse(PROGRAM.replace("predicate p(Integer, Integer)", "") + "rule R where a: A { k > 3 } then")
    plan = match(session, program, frame(session, program, [])).explain()
    assert "-- matches1: rule R; p1 is a\n-- events1: template A; a1 is k, a2 is x, a3 is s\n" in plan
    assert "`$event`.`a1` > CAST(3 AS BIGINT)" in plan
    assert "== Physical Plan ==" in plan


def test_rules_that_are_alike_are_one_query(session: SparkSession, tmp_path: Path) -> None:
    source = PROGRAM.replace("predicate p(Integer, Integer)", "") + "".join(
        f"""rule {name} where a: A {{ k = {k} }}, b: B {{ k = a.k, s = "{s}" }}, no n: A {{ x > {k}.5 }}
        when b in a [0 ms, {length} ms], no n in b [1 ms, {length} ms]
        then emit C at b.timestamp with {{ k = {k}, all = list(b.k) }} """
        for name, k, s, length in (("R", 0, "", 9), ("Other", 1, "it's", 9), ("Third", 0, "", 20))
    )
    program = parse(source)
    trace = [event("a1", 0), event("b1", 8, "B"), event("a2", 2, k=1), event("b2", 11, "B", k=1, s="it's")]
    trace += [event("b3", 20, "B"), event("n", 25, x=1.5)]
    with match(session, program, frame(session, program, trace)) as matches:
        assert list(matches.queries) == ["matches1"]
        assert "-- constants1: rule Third, upper1 is the integer 20, " in matches.queries["matches1"]
        assert matches.explain().count("== Physical Plan ==") == 1
        assert list(matches.rules) == ["R", "Other", "Third"]
        assert {name: bindings(rows.select("a", "b")) for name, rows in matches.rules.items()} == {
            "R": [("a1", "b1")],
            "Other": [("a2", "b2")],
            "Third": [],
        }
        assert matches.rules["R"].columns == ["a", "b", "1$id", "1$timestamp", "1$k", "1$all"]
        written = write(matches, str(tmp_path / "out"))
    assert dict(written.matches) == {"R": 1, "Other": 1, "Third": 0}
    emitted = pyarrow.parquet.read_table(tmp_path / "out" / "events").to_pylist()
    assert [(row["id"], row["source"]) for row in emitted] == [
        ("Other(a=a2,b=b2)", "rule:Other#1"),
        ("R(a=a1,b=b1)", "rule:R#1"),
    ]


def test_templates_that_give_a_name_to_different_types(session: SparkSession, tmp_path: Path) -> None:
    program = parse(
        """template A { k: Integer, X: Integer, same: Boolean }
        template B { k: String, x: Integer, same: Boolean }
        rule R where a: A { X = 1 }, b: B { k = "one", x = a.k } when b in a [0 ms, 9 ms] then
        rule S where b: B { x = 3 } then emit A at b.timestamp with { k = b.x, X = 1, same = b.same }"""
    )
    trace = (
        Event("e1", "A", 0, {"k": 7, "X": 1, "same": True}),
        Event("e2", "B", 5, {"k": "one", "x": 7, "same": False}),
        Event("e3", "B", 6, {"k": "three", "x": 3, "same": True}),
    )
    write_log(program, trace, tmp_path / "log.parquet")
    assert conform(program, load_log(program, tmp_path / "log.parquet")) == trace
    with match(session, program, session.read.parquet(str(tmp_path / "log.parquet"))) as matches:
        assert bindings(matches.rules["R"]) == [("e1", "e2")]
        (emitted,) = (
            matches.all.where("rule = 'S'").select(F.get("emissions", F.lit(0))["attributes"].alias("a")).collect()
        )
    assert emitted.a.asDict() == {"A.k": 3, "A.X": 1, "same": True}


# --- Predicates ------------------------------------------------------------------------------------------------------


def test_callables_are_asked_where_spark_can_ask_them(session: SparkSession) -> None:
    rule = (
        "rule R where a: A, b: B {{ p(k, {}) }}, no n: B {{ p(k, {}) }} "
        "when b in a [0 ms, 5 ms], no n in a [6 ms, 9 ms] then"
    )
    trace = [event("a", 0, k=2), event("b", 1, "B", k=1), event("c", 1, "B", k=3), event("n", 7, "B", k=3)]
    predicates = {"p": lambda left, right: left < right}
    program = parse(PROGRAM + rule.format("a.k", "k + 0"))
    with match(session, program, frame(session, program, trace), predicates) as matches:
        assert bindings(matches.rules["R"]) == [("a", "b")]
    program = parse(PROGRAM + rule.format("1", "a.k"))
    with pytest.raises(Unsupported, match="predicate p is a Python function"):
        match(session, program, frame(session, program, trace), predicates)


# --- Hot keys --------------------------------------------------------------------------------------------------------


def test_hot_keys_are_reported_and_joined_by_slices_of_time(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skew, "EVENTS", 10)
    monkeypatch.setattr(skew, "PAIRS", 100)
    source = PROGRAM.replace("predicate p(Integer, Integer)", "") + (
        "rule R where a: A, b: B { s = a.s, k = a.k }, no n: A { s = b.s } "
        "when b in a [-3 ms, 3 ms], no n in b [1 ms, 2 ms] then"
    )
    program = parse(source)
    trace = [event(f"{t}{i}", 2 * i - 40, t, s="hot" if i % 4 else f"cold{i % 8}") for i in range(40) for t in "AB"]
    with match(session, program, frame(session, program, trace)) as matches:
        assert [(hot.variable, hot.reference, hot.values, hot.events, hot.others) for hot in matches.hot] == [
            ("b", "a", ("hot", 0), 30, 30),
            ("n", "b", ("hot",), 30, 30),
        ]
        assert "rule R: about 30 events" in str(matches.hot[0])
        assert "rule R and 2 like it: about" in str(replace(matches.hot[0], like_it=2))
        assert not matches.hot[0].is_large
        assert matches.explain().count("explode(CASE WHEN") >= 2
        expected = run(program, trace).matches
        assert bindings(matches.rules["R"].select("a", "b")) == sorted(
            tuple(identity for _, identity in match.bindings) for match in expected
        )
        assert expected
    # The order of joins is that of the fewest events: what is sliced is then `a`.
    few = [event for event in trace if event.template == "A" or event.timestamp < 0]
    with match(session, program, frame(session, program, few)) as matches:
        assert [(hot.variable, hot.reference) for hot in matches.hot] == [("a", "b"), ("n", "b")]
        assert matches.explain().count("explode(CASE WHEN") >= 2
        expected = run(program, few).matches
        assert bindings(matches.rules["R"].select("a", "b")) == sorted(
            tuple(identity for _, identity in match.bindings) for match in expected
        )
        assert expected


def test_hot_keys_of_rules_that_are_alike(session: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew, "EVENTS", 10)
    monkeypatch.setattr(skew, "PAIRS", 100)
    source = PROGRAM.replace("predicate p(Integer, Integer)", "") + "".join(
        f"""rule R{k} where a: A {{ k = {k} }}, b: B {{ s = a.s, k = {1 - k} }}, no n: A {{ s = b.s, k = {k} }}
        when b in a [-3 ms, {3 + k} ms], no n in b [1 ms, {2 + k} ms] then """
        for k in (0, 1)
    )
    program = parse(source)
    trace = [
        event(f"{t}{i}", 2 * i - 40, t, s="hot" if i % 4 else f"cold{i % 8}", k=i // 3 % 2)
        for i in range(40)
        for t in "AB"
    ]
    with match(session, program, frame(session, program, trace)) as matches:
        assert [(hot.variable, hot.events, hot.others, hot.like_it) for hot in matches.hot] == [
            ("b", 30, 30, 1),
            ("n", 30, 30, 1),
        ]
        assert matches.explain().count("explode(CASE WHEN") >= 2
        expected = run(program, trace).matches
        assert len({match.rule for match in expected}) == 2
        assert {name: bindings(rows) for name, rows in matches.rules.items()} == {
            name: sorted(tuple(e for _, e in match.bindings) for match in expected if match.rule == name)
            for name in ("R0", "R1")
        }


def test_timestamps_of_spark_are_taken(session: SparkSession) -> None:
    """As `stream` and `replay` take them: what is below a millisecond is cut off."""
    log = frame(session, SMALL, [event("a", -2), event("b", -1, "B"), event("late", 0, "B")])
    moments = log.withColumn("timestamp", F.timestamp_micros(F.col("timestamp") * 1000 + F.lit(999)))
    assert dict(moments.dtypes)["timestamp"] == "timestamp"
    with match(session, SMALL, moments) as matches:
        assert bindings(matches.rules["R"]) == [("a", "b")]


# --- What it refuses -------------------------------------------------------------------------------------------------

SMALL = parse(
    PROGRAM.replace("predicate p(Integer, Integer)", "") + "rule R where a: A, b: B when b in a [0 ms, 1 ms] then"
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.drop("timestamp"), 'the column "timestamp" is missing'),
        (lambda log: log.withColumnRenamed("template", "Template"), "did you mean template"),
        (
            lambda log: log.withColumn("timestamp", F.col("timestamp").cast("double")),
            "expected BIGINT or TIMESTAMP, found DOUBLE",
        ),
        (
            lambda log: log.withColumn("timestamp", F.expr("TIMESTAMP_NTZ '2024-01-01 00:00:00'")),
            "found TIMESTAMP_NTZ\n  hint: a timestamp without a zone is another moment in each zone",
        ),
        (lambda log: log.withColumn("id", F.lit(1)), "the column id: expected STRING, found INT"),
        (lambda log: log.withColumn("attributes", F.lit("{}")), "attributes: expected STRUCT, found STRING"),
        (
            lambda log: log.withColumn("attributes", F.col("attributes").dropFields("x")),
            "attributes.x: the field is missing",
        ),
        (
            lambda log: log.withColumn("attributes", F.col("attributes").withField("kk", F.lit(1))),
            'the attribute "kk" belongs to no template, so not to A\n  hint: did you mean k?',
        ),
        (
            lambda log: log.withColumn("attributes", F.col("attributes").withField("s", F.lit(1))),
            "attributes.s: expected STRING, found INT",
        ),
    ],
)
def test_columns_are_checked(session: SparkSession, change: object, message: str) -> None:
    assert callable(change)
    with pytest.raises(TraceError) as raised:
        match(session, SMALL, change(frame(session, SMALL, [event("a", 0)])))
    assert message in str(raised.value)


def test_rows_are_checked_all_of_them(session: SparkSession) -> None:
    rows = [
        ("a", "A", 0, None, {"k": 1, "x": float("inf"), "s": ""}),
        ("a", "A", 0, "rule:R#1", {"k": 1, "x": 1.0, "s": ""}),
        ("R(a=b)", "A", None, "", {"k": None, "x": 1.0, "s": "", "all": [1]}),
        ("c", "C", 0, "s", {"k": 1, "all": [1, 2, 3]}),
        ("d", "Bb", 0, "s", {}),
        ("", "B", 0, "s", {"k": 1, "x": float("nan"), "s": ""}),
    ]
    log = session.createDataFrame(rows, frame(session, SMALL, []).schema)
    with pytest.raises(TraceError) as raised:
        match(session, SMALL, log, name="log")
    assert [problem.message for problem in raised.value.problems] == [
        'event "": the id is empty or not text',
        'event "R(a=b)": the id has the form of the ids of events that rule R emits',
        'event "R(a=b)": the source ""; and so for 1 more event',
        'event "R(a=b)": the timestamp is missing',
        'event "R(a=b)": the attribute "k" is missing',
        'event "a": attribute "x": expected a finite Float, found Infinity',
        'event "": attribute "x": expected a finite Float, found NaN',
        'event "c": attribute "all": expected [Integer; 2], found [1, 2, 3]',
        'event "R(a=b)": the attribute "all" belongs to C, not to A',
        'event "a": the id is used 2 times',
    ]


# --- The command -----------------------------------------------------------------------------------------------------


def test_the_commands(spark: SparkSession, tmp_path: Path) -> None:
    assert spark is not None  # which the commands use, so that none is started
    program, log, out = str(FRAUD / "scenarios.parte"), str(tmp_path / "log.parquet"), str(tmp_path / "out")
    runner = CliRunner()
    logged = runner.invoke(app, ["spark", "log", program, str(FRAUD / "trace.jsonl"), "--out", log])
    assert logged.exit_code == 0, logged.output
    arguments = ["spark", "match", program, log, "--domain", str(FRAUD / "domain.json")]
    result = runner.invoke(app, [*arguments, "--out", out])
    assert result.output == "FraudPassThrough: 3 matches\nFraudDiffusion: 6 matches\nFraudRefundScam: 2 matches\n"
    assert {path.name for path in Path(out).iterdir()} == {"matches", "events", "failures"}
    again = runner.invoke(app, [*arguments, "--out", out])
    assert again.exit_code == 2
    assert "not an empty directory" in again.output
    lost = runner.invoke(app, [*arguments[:3], "nowhere.parquet", *arguments[4:], "--out", f"{out}2"])
    assert (lost.exit_code, "cannot read nowhere.parquet" in lost.output) == (2, True)
    same = runner.invoke(app, ["run", program, log, "--domain", str(FRAUD / "domain.json"), "--model", "duckdb"])
    assert len(same.output.splitlines()) == 11


def test_a_java_that_is_killed_is_not_taken_for_an_unreadable_log(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert spark is not None
    (tmp_path / "p.parte").write_text("template A {}\nrule R where a : A when then\n")
    pyarrow.parquet.write_table(pyarrow.table({"id": ["a"]}), tmp_path / "log.parquet")

    def killed(*_: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("parte.commands.spark.match.read_log", killed)
    arguments = [str(tmp_path / "p.parte"), str(tmp_path / "log.parquet"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, ["spark", "match", *arguments])
    assert (result.exit_code, "Java has ended while it was needed" in result.stderr) == (71, True), result.output


@pytest.mark.parametrize("left", [0.5, 0.99])
def test_a_damaged_file_of_a_log_is_named(spark: SparkSession, tmp_path: Path, left: float) -> None:
    assert spark is not None
    program = str(FRAUD / "scenarios.parte")
    (tmp_path / "log").mkdir()
    write_log(SCENARIOS, conform(SCENARIOS, load_trace(FRAUD / "trace.jsonl")), tmp_path / "log" / "a.parquet")
    whole = (tmp_path / "log" / "a.parquet").read_bytes()
    (tmp_path / "log" / "b.parquet").write_bytes(whole[: int(len(whole) * left)])
    arguments = ["spark", "match", program, str(tmp_path / "log"), "--domain", str(FRAUD / "domain.json")]
    result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2, result.output
    assert "log/b.parquet: the file is damaged or no Parquet: write it again" in " ".join(result.output.split())
    (tmp_path / "none").mkdir()
    empty = CliRunner().invoke(
        app, [*arguments[:3], str(tmp_path / "none"), *arguments[4:], "--out", str(tmp_path / "out")]
    )
    assert (empty.exit_code, "no file in Parquet is in this directory" in empty.output) == (2, True)


def test_a_trace_is_refused_before_spark_is_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("parte.commands.spark.match.spark_session", lambda *_: pytest.fail("Spark is started"))
    files = [str(FRAUD / name) for name in ("scenarios.parte", "trace.jsonl")]
    options = ["--domain", str(FRAUD / "domain.json"), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, ["spark", "match", *files, *options])
    assert result.exit_code == 2
    assert "trace.jsonl: not a log in Parquet" in result.output
    assert "parte spark log PROGRAM TRACE --out FILE" in result.output
