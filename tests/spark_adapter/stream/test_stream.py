"""Streams on Spark: promises and what breaks them, sources, sizes, and checkpoints."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from parte.checker.environment.deployment import read_deployment
from parte.cli import app
from parte.semantics.events.domain import read_domain
from parte.semantics.events.locks import held
from parte.semantics.partelang.syntax.elaborate import parse
from parte.spark_adapter.errors import SparkUnavailable, Unusable, cause_of
from parte.spark_adapter.stream import (
    SETTINGS,
    CheckpointError,
    Stream,
    checkpoint,
    detected,
    job_of,
    lines_of,
    results,
)
from parte.spark_adapter.stream.detection import ENGINES
from parte.spark_adapter.stream.progress import BatchMetrics, batches_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

Json = Any

DOORS = """
template Opened { door: String }
template Badge { door: String }
rule Forced where o: Opened, no b: Badge { door = o.door } when no b in o [-10 ms, 5 ms] then
"""


def event(id_: str, template: str, timestamp: int, door: str = "north") -> Mapping[str, Json]:
    return {"id": id_, "template": template, "timestamp": timestamp, "attributes": {"door": door}}


def put(directory: Path, number: int, *lines: Mapping[str, Json] | str) -> None:
    """A file of lines, the `number`th to be read."""
    directory.mkdir(exist_ok=True)
    path = directory / f"{number}.json"
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(text) + "\n", encoding="utf-8", errors="surrogateescape")
    os.utime(path, (number, number))


@pytest.fixture
def store(spark: SparkSession) -> SparkSession:
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    return spark


def ran(stream: Stream, *, end: bool = False) -> list[BatchMetrics]:
    return list(batches_of(stream.end() if end else stream.start(once=True)))


def records_of(spark: SparkSession, out: Path) -> list[tuple[str, Json]]:
    """The kinds and records of the output."""
    return sorted(((row.kind, json.loads(row.record)) for row in results(spark, str(out)).collect()), key=str)


@pytest.mark.parametrize(("engine", "held"), [("machine", 1), ("queries", 3)])
def test_nothing_that_comes_is_lost_without_a_word(store: SparkSession, tmp_path: Path, engine: str, held: int) -> None:
    """The machine holds one opening, which nothing has defeated; queries what may matter to it and to others."""
    source, out = tmp_path / "in", tmp_path / "out"
    put(
        source,
        1,
        event("o1", "Opened", 1000),
        event("o2", "Opened", 1100, "south"),
        event("b1", "Badge", 1100, "south"),
    )
    put(
        source,
        2,
        event("b2", "Badge", 1079),  # the promise is 1100 less 20
        event("o3", "Opened", 1080),
        "no event at all",
        '{"id":"\udcff"}',
        event("x", "Window", 1100),
        {"template": "Badge", "timestamp": 1100, "attributes": {"door": "north"}},
        {"source": "default", "template": "Badge", "progress": 1100},
        event("far", "Badge", 2**62),
    )
    # The promise becomes 1086, and the window of o3 ends with 1085: it closes without the end of the stream.
    put(source, 3, event("o4", "Opened", 1106, "west"))
    lines = lines_of(store, str(source), options={"maxFilesPerTrigger": "1"})
    stream = Stream(lines, {"": job_of(parse(DOORS))}, str(out), str(tmp_path / "checkpoint"), 20, engine)
    batches = ran(stream)
    counts = [(batch.late, batch.rejected, batch.matches) for batch in batches]
    assert counts == [(0, 0, 0), (1, 6, 1), (0, 0, 0), (0, 0, 1)]
    assert batches[0].entries == held
    assert batches[0].bound is None
    kinds: dict[str, list[Json]] = {}
    for kind, record in records_of(store, out):
        kinds.setdefault(kind, []).append(record)
    assert [record["bindings"] for record in kinds["match"]] == [{"o": "o1"}, {"o": "o3"}]
    (late,) = kinds["late"]
    assert (late["event"]["id"], late["promised"]) == ("b2", 1080)
    problems = " / ".join(sorted(record["problem"] for record in kinds["rejected"]))
    for part in (
        'event "x": event of the template "Window", which the program does not declare',
        "the event has no id",
        "not JSON",
        "not UTF-8",
        "the timestamp 4611686018427387904 is not from",
        "this is a promise of progress",
    ):
        assert problems.count(part) == 1

    assert sum(batch.matches for batch in ran(stream, end=True)) == 1
    assert ("match", {"rule": "Forced", "bindings": {"o": "o4"}, "emits": []}) in records_of(store, out)

    changed = replace(stream, jobs={"": job_of(parse(DOORS.replace("5 ms", "6 ms")))})
    with pytest.raises(CheckpointError, match="made for another program;"):
        changed.start(once=True)
    # Spark would take the batches of the new checkpoint for those that are there, and drop them without a word.
    again = replace(stream, checkpoint=str(tmp_path / "checkpoint-2"))
    with pytest.raises(CheckpointError, match="holds the output of another checkpoint"):
        again.start(once=True)
    # The log of the sink begins with the batches of the checkpoint: half of it cannot be read elsewhere.
    elsewhere = replace(stream, out=str(tmp_path / "out-2"))
    with pytest.raises(CheckpointError, match="made for another output directory;"):
        elsewhere.start(once=True)
    (otherwise,) = set(ENGINES) - {engine}
    with pytest.raises(CheckpointError, match="made for another engine;"):
        replace(stream, engine=otherwise).start(once=True)


ROUTES = """
template Sent { origin: String, target: String }
predicate allowed(String, String)
rule Odd where s: Sent { allowed(origin, target) } when then
"""


def test_a_checkpoint_belongs_to_one_domain(spark: SparkSession, tmp_path: Path) -> None:
    lines = spark.readStream.schema("job string, line binary").parquet(str(tmp_path))
    store_settings = {key: spark.conf.get(key, None) for key in SETTINGS}

    def stream(name: str, allowed: object) -> Stream:
        domain = read_domain({"allowed": allowed}) if isinstance(allowed, dict) else {"allowed": allowed}
        places = str(tmp_path / "out"), str(tmp_path / name)
        return Stream(lines, {"": job_of(parse(ROUTES), domain)}, *places)  # type: ignore[arg-type] # a table or a function

    def claim(claimed: Stream) -> None:
        checkpoint.claim(spark, claimed.checkpoint, claimed.out, claimed.jobs, claimed.disorder, "queries")

    claim(stream("one", {"true_for": [["E", "F"], ["G", "H"]]}))
    claim(stream("one", {"true_for": [["G", "H"], ["E", "F"], ["G", "H"]]}))
    for changed_domain in ({"true_for": [["E", "F"]]}, {"false_for": [["E", "F"], ["G", "H"]]}, lambda _o, _t: True):
        with pytest.raises(CheckpointError, match="made for another domain;"):
            stream("one", changed_domain).start()
        with pytest.raises(CheckpointError, match="made for another domain;"):
            stream("one", changed_domain).end()
    assert not (tmp_path / "one" / "end").exists()  # one that is refused must not end the stream of another
    claim(stream("two", lambda _o, _t: True))
    claim(stream("two", lambda _o, _t: False))  # what cannot be compared is not compared
    assert {key: spark.conf.get(key, None) for key in SETTINGS} == store_settings


def test_equal_tables_have_equal_digests() -> None:
    program = parse("predicate near(Float)")

    def digest(rows: list[list[float]]) -> dict[str, str]:
        return job_of(program, read_domain({"near": {"true_for": rows}})).domain()

    assert digest([[0.0], [1]]) == digest([[1.0], [-0.0]]) != digest([[0.5], [1.0]])


DEPLOYMENT = """
[[source]]
name = "default"
late = "100 ms"
every = "100 ms"
[[source.emits]]
template = "Opened"
[[source.emits]]
template = "Badge"
"""


@pytest.mark.exhaustive
def test_the_state_of_a_key_stays_within_the_bound_of_the_checker(store: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "in"
    for number in range(4):
        times = range(1000 + 300 * number, 1300 + 300 * number, 100)
        opened = [event(f"o{time}", "Opened", time, door) for time in times for door in ("north",)]
        put(source, number, *opened, *[event(f"b{time}", "Badge", time, "south") for time in times])
    job = job_of(parse(DOORS), deployment=read_deployment(DEPLOYMENT))
    (limits,) = job.limits
    assert limits is not None
    assert limits.entries is not None
    lines = lines_of(store, str(source), options={"maxFilesPerTrigger": "1"})
    stream = Stream(lines, {"": job}, str(tmp_path / "out"), str(tmp_path / "checkpoint"))
    batches = ran(stream) + ran(stream, end=True)
    assert all(batch.beyond_bound == 0 for batch in batches)
    assert {batch.bound for batch in batches if batch.keys} == {limits.entries}
    assert 0 < max(batch.entries for batch in batches) <= limits.entries
    assert max(batch.waiting for batch in batches) > 0
    assert sum(batch.matches for batch in batches) == 12

    # What breaks the rates is told, not stored: the north door opens ten times in ten milliseconds.
    put(source, 9, *[event(f"p{time}", "Opened", time) for time in range(1000, 1010)], event("p", "Opened", 1100))
    bursting = Stream(lines_of(store, str(source)), {"": job}, str(tmp_path / "out-2"), str(tmp_path / "checkpoint-2"))
    with pytest.raises(Exception, match="BoundExceeded") as raised:
        ran(bursting)
    assert 'key "north": the left history of not:Forced.b holds' in cause_of(raised.value)


def test_tables_and_data_frames(store: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql import Row
    from pyspark.sql import functions as f

    rows = [
        Row(id="o1", template="Opened", timestamp=1000, source="s", attributes=Row(door="north", n=None)),
        Row(id="n1", template="Number", timestamp=1001, source="s", attributes=Row(door=None, n=2**62)),
        Row(id="n2", template="Number", timestamp=1002, source="s", attributes=Row(door=None, n=1)),
    ]
    table = store.createDataFrame(
        rows, "id string, template string, timestamp long, source string, attributes struct<door:string,n:long>"
    )
    flat = table.select("id", "template", f.timestamp_millis("timestamp").alias("timestamp"), "source", "attributes.*")
    text = table.withColumn("attributes", f.to_json("attributes"))
    program = parse(
        "template Opened { door: String } template Number { n: Integer }"
        "rule R where a: Number, b: Number { n < a.n } when b in a [0 ms, 5 ms] then"
    )
    # Two templates that give one name to different types, as `match` has it; what is another's is no attribute.
    twin_program = parse(
        "template Number { n: Integer } template Word { n: String, door: String }"
        'rule R where a: Number, b: Word { n = "one", door = "x" } when b in a [0 ms, 5 ms] then'
    )
    twins = store.createDataFrame(
        [
            ("n1", "Number", 1001, 1, None, None),
            ("n2", "Word", 1002, None, "one", "x"),
            ("n3", "Word", 1003, 2, "one", "x"),
        ],
        "id string, template string, timestamp long, `Number.n` long, `Word.n` string, door string",
    )
    twin = f.struct(*[f.col(f"`{name}`") for name in ("Number.n", "Word.n", "door")]).alias("attributes")
    tables = {"struct": table, "flat": flat, "text": text}
    dotted = {"flat twins": twins, "twins in a struct": twins.select("id", "template", "timestamp", twin)}
    jobs = {}
    raw = store.createDataFrame([("text", None), ("nobody", b"a line")], "job string, line binary")
    raw.write.parquet(str(tmp_path / "raw"))
    lines = store.readStream.schema("job string, line binary").parquet(str(tmp_path / "raw"))
    for name, frame in {**tables, **dotted}.items():
        frame.write.parquet(str(tmp_path / name))
        jobs[name] = job_of(program if name in tables else twin_program)
        read = lines_of(store, str(tmp_path / name), "parquet", job=name)
        lines = lines.union(read)
    out = detected(lines.withColumn("line", f.col("line").cast("string")), jobs)
    query = (
        out.writeStream.format("memory")
        .queryName("tables")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    results_ = store.table("tables").collect()
    matches = [(row.job, row.record) for row in results_ if row.kind == "match"]
    assert sorted(matches) == sorted((name, '{"rule":"R","bindings":{"a":"n1","b":"n2"},"emits":[]}') for name in jobs)
    rejected = {(row.job, json.loads(row.record)["problem"]) for row in results_ if row.kind == "rejected"}
    assert rejected == {
        ("text", "the line is null: expected an event"),
        ("nobody", f"no job is called 'nobody'; there are: {', '.join(map(repr, jobs))}"),
        *((name, 'event "n3": Word has no attribute "Number.n"') for name in dotted),
    }
    assert len(matches) + len(rejected) == len(results_)


def test_what_cannot_be_read_is_said(store: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="no format of sources is called 'csv'; there are: json, parquet, kafka"):
        lines_of(store, str(tmp_path), "csv")
    store.createDataFrame([(1,)], "number long").write.parquet(str(tmp_path / "table"))
    with pytest.raises(Unusable, match="id, template, timestamp not found among number"):
        lines_of(store, str(tmp_path / "table"), "parquet")
    store.sql("SELECT 'a' id, 'A' template, TIMESTAMP_NTZ '2024-01-01 00:00:00' timestamp").write.parquet(
        str(tmp_path / "zone")
    )
    with pytest.raises(Unusable, match="a TIMESTAMP_NTZ: a timestamp without a zone is another moment in each zone"):
        lines_of(store, str(tmp_path / "zone"), "parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(Unusable, match="no Parquet file to take the columns from: put one there first"):
        lines_of(store, str(tmp_path / "empty"), "parquet")
    (tmp_path / "empty" / "x.parquet").write_text("no table", encoding="utf-8")
    with pytest.raises(Unusable, match=r"the columns cannot be read: .*x\.parquet"):
        lines_of(store, str(tmp_path / "empty"), "parquet")
    jobs = {"": job_of(parse(DOORS))}
    with pytest.raises(Unusable, match="expected the columns job and line, found number"):
        detected(store.createDataFrame([(1,)], "number long"), jobs)
    with pytest.raises(Unusable, match="expected a streaming DataFrame"):
        detected(store.createDataFrame([("", b"")], "job string, line binary"), jobs)
    lines = lines_of(store, str(tmp_path))
    for disorder in (-1, 1.5, 10**15):
        with pytest.raises(Unusable, match="expected a whole number of milliseconds from 0 to"):
            detected(lines, jobs, disorder=disorder)  # type: ignore[arg-type] # not all are integers
    # The connector is no part of Spark; that this reads from a broker has not been tried.
    with pytest.raises(Unusable, match="spark-sql-kafka"):
        lines_of(store, "localhost:9092", "kafka", {"subscribe": "events"})
    store.conf.unset("spark.sql.streaming.stateStore.providerClass")
    with pytest.raises(SparkUnavailable, match="kept in RocksDB"):
        detected(lines, jobs)


def test_the_command(store: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "in", 1, event("o1", "Opened", 1000), "no event")
    (tmp_path / "doors.parte").write_text(DOORS, encoding="utf-8")
    metrics = tmp_path / "metrics.jsonl"
    arguments = ["spark", "stream", str(tmp_path / "doors.parte"), str(tmp_path / "in"), "--end"]
    places = ["--out", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint"), "--metrics", str(metrics)]
    lost = tmp_path / "lost.jsonl"
    places += ["--rejected", str(lost)]

    def interrupted(query: StreamingQuery) -> Iterator[BatchMetrics]:
        signal.raise_signal(signal.SIGINT)
        return batches_of(query)

    with monkeypatch.context() as patched:
        patched.setattr("parte.spark_adapter.stream.progress.batches_of", interrupted)
        stopped = CliRunner().invoke(app, [*arguments, *places])
    assert stopped.exit_code == 130, stopped.output
    assert "the same command goes on where it was" in stopped.stderr
    assert not list((tmp_path / "checkpoint" / "end").iterdir())  # --end, but not of what has not been read
    done = CliRunner().invoke(app, [*arguments, *places])
    assert done.exit_code == 0, done.output
    assert "Forced: by o.door, b.door" in done.stderr
    assert "2 lines in " in done.stderr  # and not what ends the stream
    assert "1 matches, 0 emissions without a value, 0 late events, 1 lines rejected" in done.stderr
    assert [kind for kind, _ in records_of(store, tmp_path / "out")] == ["match", "rejected"]
    (record,) = map(json.loads, lost.read_text(encoding="utf-8").splitlines())
    assert (record["text"], record["reason"][:9]) == ("no event", "not JSON:")
    batches = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    assert sum(batch["matches"] for batch in batches) == 1
    assert sum(batch["rows"] for batch in batches) == 2
    wrong = CliRunner().invoke(app, [*arguments, *places, "--disorder", "1 ms"])
    assert wrong.exit_code == 2
    assert "made for another disorder" in " ".join(wrong.stderr.split())
    (tmp_path / "file").touch()
    nowhere = ["--out", str(tmp_path / "file"), "--checkpoint", str(tmp_path / "checkpoint-2")]
    wrong = CliRunner().invoke(app, [*arguments, *nowhere])
    assert (wrong.exit_code, "not a directory" in wrong.stderr) == (2, True), wrong.stderr


def test_a_failure_in_one_line() -> None:
    python = "[STREAM_FAILED] Query x terminated with exception: from the worker: Traceback (most recent call last):\n"
    frames = '  File "x.py", line 1, in f\n    1/0\n    ~^~\nZeroDivisionError: division by zero\n\n\tat org.x.Y(Z)\n'
    assert cause_of(RuntimeError(python + frames)) == "ZeroDivisionError: division by zero"
    java = (
        "An error occurred while calling o1.parquet.\n: org.apache.spark.SparkException: no such thing\n\tat x.Y(Z)\n"
    )
    assert cause_of(RuntimeError(java)) == "no such thing"
    assert cause_of(RuntimeError("\nfirst\nsecond")) == "first"
    for ending in (".  SQLSTATE: KD001", ". Could not read footer. Please", ""):
        file = "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///a/b.parquet" + ending
        assert cause_of(RuntimeError(f"{file}\n{python}")).startswith(
            "file:///a/b.parquet: the file is damaged or no Parq"
        )
    assert cause_of(RuntimeError()) == "RuntimeError"


@pytest.mark.parametrize("place", ["out", "checkpoint"])
def test_two_streams_do_not_share_a_directory(place: str, tmp_path: Path) -> None:
    (tmp_path / "doors.parte").write_text(DOORS, encoding="utf-8")
    arguments = ["spark", "stream", str(tmp_path / "doors.parte"), str(tmp_path / "in"), "--once"]
    places = ["--out", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint")]
    with held(tmp_path / place):
        refused = CliRunner().invoke(app, [*arguments, *places])
    assert refused.exit_code == 2
    assert f"{place}: another run uses it: process {os.getpid()}" in " ".join(refused.stderr.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "hands"], "no engine of streams is called 'hands'; there are: queries, machine"),
        (["--engine", "queries", "--deployment", "deployment.toml"], "leave out the deployment, or take the engine"),
    ],
)
def test_an_engine_that_will_not_do_is_refused_before_spark_starts(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delattr("parte.commands.spark.stream.spark_session")
    Path("doors.parte").write_text(DOORS, encoding="utf-8")
    Path("deployment.toml").write_text(DEPLOYMENT, encoding="utf-8")
    places = ["--out", "out", "--checkpoint", "checkpoint"]
    done = CliRunner().invoke(app, ["spark", "stream", "doors.parte", "in", *places, *options])
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize("option", ["--out", "--checkpoint"])
def test_what_is_written_must_not_be_read_as_events(tmp_path: Path, option: str) -> None:
    places = {"--out": "out", "--checkpoint": "checkpoint", option: "in/new"}
    arguments = [word for name, place in places.items() for word in (name, str(tmp_path / place))]
    done = CliRunner().invoke(app, ["spark", "stream", "x.parte", str(tmp_path / "in"), *arguments])
    assert done.exit_code == 2
    assert "and would be read as events" in " ".join(done.stderr.split())
