"""Streams on Spark: promises and what breaks them, sources, sizes, and checkpoints."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from checker.deployment import read_deployment
from parte.cli import app
from semantics.syntax.elaborate import parse
from spark_adapter.errors import SparkUnavailable, Unusable
from spark_adapter.stream import SETTINGS, CheckpointError, Stream, detected, job_of, lines_of, results
from spark_adapter.stream.progress import BatchMetrics, batches_of, cause_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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


def found(spark: SparkSession, out: Path) -> list[tuple[str, Json]]:
    """The kinds and records of the output."""
    return sorted(((row.kind, json.loads(row.record)) for row in results(spark, str(out)).collect()), key=str)


def test_nothing_that_comes_is_lost_without_a_word(store: SparkSession, tmp_path: Path) -> None:
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
    stream = Stream(lines, {"": job_of(parse(DOORS))}, str(out), str(tmp_path / "checkpoint"), 20)
    batches = ran(stream)
    told = [(batch.late, batch.rejected, batch.matches) for batch in batches]
    assert told == [(0, 0, 0), (1, 6, 1), (0, 0, 0), (0, 0, 1)]
    assert batches[0].entries == 1
    assert batches[0].bound is None
    kinds: dict[str, list[Json]] = {}
    for kind, record in found(store, out):
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
    assert ("match", {"rule": "Forced", "bindings": {"o": "o4"}, "emits": []}) in found(store, out)

    other = Stream(
        lines, {"": job_of(parse(DOORS.replace("5 ms", "6 ms")))}, str(out), str(tmp_path / "checkpoint"), 20
    )
    with pytest.raises(CheckpointError, match="made for another programs"):
        other.start(once=True)


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
    jobs = {}
    lines = None
    for name, given in {"struct": table, "flat": flat, "text": text}.items():
        given.write.parquet(str(tmp_path / name))
        jobs[name] = job_of(program)
        read = lines_of(store, str(tmp_path / name), "parquet", job=name)
        lines = read if lines is None else lines.union(read)
    assert lines is not None
    out = detected(lines, jobs)
    query = (
        out.writeStream.format("memory")
        .queryName("tables")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    results_ = store.table("tables").collect()
    assert {row.job for row in results_} == set(jobs), results_
    assert {(row.kind, row.record) for row in results_} == {
        ("match", '{"rule":"R","bindings":{"a":"n1","b":"n2"},"emits":[]}')
    }


def test_what_cannot_be_read_is_said(store: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="no format of sources is called 'csv'; there are: json, parquet, kafka"):
        lines_of(store, str(tmp_path), "csv")
    store.createDataFrame([(1,)], "number long").write.parquet(str(tmp_path / "table"))
    with pytest.raises(Unusable, match="id, template, timestamp not found among number"):
        lines_of(store, str(tmp_path / "table"), "parquet")
    # The connector is no part of Spark; that this reads from a broker has not been tried.
    with pytest.raises(Unusable, match="spark-sql-kafka"):
        lines_of(store, "localhost:9092", "kafka", {"subscribe": "events"})
    store.conf.unset("spark.sql.streaming.stateStore.providerClass")
    lines = lines_of(store, str(tmp_path))
    with pytest.raises(SparkUnavailable, match="kept in RocksDB"):
        detected(lines, {"": job_of(parse(DOORS))})


def test_the_command(store: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "in", 1, event("o1", "Opened", 1000), "no event")
    (tmp_path / "doors.parte").write_text(DOORS, encoding="utf-8")
    metrics = tmp_path / "metrics.jsonl"
    arguments = ["spark", "stream", str(tmp_path / "doors.parte"), str(tmp_path / "in"), "--end"]
    places = ["--out", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint"), "--metrics", str(metrics)]
    done = CliRunner().invoke(app, [*arguments, *places])
    assert done.exit_code == 0, done.output
    assert "Forced: by o.door, b.door" in done.stderr
    assert "1 matches, 0 emissions without a value, 0 late events, 1 lines rejected" in done.stderr
    assert [kind for kind, _ in found(store, tmp_path / "out")] == ["match", "rejected"]
    batches = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    assert sum(batch["matches"] for batch in batches) == 1
    wrong = CliRunner().invoke(app, [*arguments, *places, "--disorder", "1 ms"])
    assert wrong.exit_code == 2
    assert "made for another disorder" in " ".join(wrong.stderr.split())
