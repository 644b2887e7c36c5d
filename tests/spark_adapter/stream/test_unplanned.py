"""What a driver leaves that is killed after Spark noted the files of a batch, and before it planned the batch."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parte.semantics.partelang.syntax.elaborate import parse
from parte.spark_adapter.stream import SETTINGS, Stream, job_of, lines_of, results
from parte.spark_adapter.stream.unplanned import take_back_unplanned

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PROGRAM = "template Tick {} rule Seen where t: Tick then"
TIMES = ((1000,), (1100,), (1200,), (1150, 1300))
"""The events of each file. That of 1150 is late after 1200, and would not be if both came in one batch."""
DISORDER = 20


def put(directory: Path, *numbers: int) -> None:
    """Files of events, to be read in the order of their numbers."""
    directory.mkdir(exist_ok=True)
    for number in numbers:
        path = directory / f"{number}.json"
        lines = [{"id": f"t{time}", "template": "Tick", "timestamp": time, "attributes": {}} for time in TIMES[number]]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        os.utime(path, (number, number))


def stream_in(spark: SparkSession, directory: Path) -> Stream:
    """A stream that takes a file a batch."""
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    lines = lines_of(spark, str(directory / "in"), options={"maxFilesPerTrigger": "1"})
    jobs = {"": job_of(parse(PROGRAM))}
    return Stream(lines, jobs, str(directory / "out"), str(directory / "checkpoint"), DISORDER)


def records_of(spark: SparkSession, directory: Path) -> list[tuple[str, str]]:
    return sorted((row.kind, row.record) for row in results(spark, str(directory / "out")).collect())


@pytest.mark.exhaustive
def test_batches_after_a_kill_are_those_of_a_run_that_nobody_disturbed(spark: SparkSession, tmp_path: Path) -> None:
    calm, killed = tmp_path / "calm", tmp_path / "killed"
    for directory in (calm, killed):
        directory.mkdir()
    put(calm / "in", 0, 1, 2, 3)
    stream_in(spark, calm).start(once=True).awaitTermination()
    late = [json.loads(record)["event"]["id"] for kind, record in records_of(spark, calm) if kind == "late"]
    assert late == ["t1150"]

    put(killed / "in", 0, 1)
    stream_in(spark, killed).start(once=True).awaitTermination()
    notes = killed / "checkpoint" / "spark" / "sources" / "0"
    assert sorted(path.name for path in notes.iterdir() if path.name.isdigit()) == ["0", "1"]
    put(killed / "in", 2, 3)
    written = {"path": (killed / "in" / "2.json").as_uri(), "timestamp": 2000, "batchId": 2}
    assert json.loads((notes / "1").read_text().splitlines()[1]).keys() == written.keys()
    (notes / "2").write_text(f"v1\n{json.dumps(written, separators=(',', ':'))}")
    stream_in(spark, killed).start(once=True).awaitTermination()
    assert records_of(spark, killed) == records_of(spark, calm)


def test_only_notes_of_files_beyond_the_last_plan_are_taken_back(spark: SparkSession, tmp_path: Path) -> None:
    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    files = 'v1\n{"path":"file:///in/0.json","timestamp":0,"batchId":0}'
    write("fresh/sources/0/0", 'v1\n{"topic":{"0":7}}')  # where a source of another kind began
    assert take_back_unplanned(spark, str(tmp_path / "fresh")) == ()
    first = write("fresh/sources/0/1", files)
    assert take_back_unplanned(spark, str(tmp_path / "fresh")) == (first,)
    assert take_back_unplanned(spark, str(tmp_path / "missing")) == ()

    write("query/offsets/8", 'v1\n{}\n{"logOffset":7}\n-\n{"topic":{"0":7}}')
    write("query/offsets/10", 'v1\n{}\n{"logOffset":8}\n-\n{"topic":{"0":9}}')
    write("query/sources/0/8", files)
    beyond = write("query/sources/0/9.compact", files)
    write("query/sources/0/draft.tmp", files)
    unread = write("query/sources/1/0", files)
    write("query/sources/2/11", files)
    assert take_back_unplanned(spark, str(tmp_path / "query")) == (beyond, unread)
    left = sorted(str(path.relative_to(tmp_path / "query")) for path in (tmp_path / "query/sources").rglob("*[0-9p]"))
    assert [name for name in left if Path(name).name[0].isdigit() and name.count("/") == 2] == [
        "sources/0/8",
        "sources/2/11",
    ]
