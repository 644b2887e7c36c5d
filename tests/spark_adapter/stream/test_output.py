"""What a stream writes: the columns that `match` writes too, and how other tools read it exactly once."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from parte.algebra.partelang.relational.parquet import log_of
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import parse
from parte.spark_adapter.match import match
from parte.spark_adapter.match.output import write
from parte.spark_adapter.results import FAILURE, MATCH
from parte.spark_adapter.stream import SETTINGS, Stream, job_of, lines_of, results
from parte.spark_adapter.stream.detection import ENGINES
from tests.spark_adapter.stream.test_stream import put, ran

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[3]
PROGRAM = parse("""
template A { k: Integer }
template B { k: Integer, s: String }
rule R where a: A, b: A { k > a.k } when b in a [0 ms, 5 ms]
then emit B at b.timestamp with { k = 9223372036854775806 + a.k, s = "x" } emit B at a.timestamp with { k = 1, s = "" }
rule Alone where only: A { k = 2 } then
""")
EVENTS = [Event(f"a{k}", "A", k, {"k": k}) for k in range(4)]


def streamed(
    spark: SparkSession, directory: Path, events: Sequence[Event], engine: str = "queries", files: int = 2
) -> Path:
    """The output of a stream that reads so many files, one a batch."""
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    directory.mkdir(exist_ok=True)
    size = len(events) // files
    for number in range(files):
        records: list[Any] = []
        for event in events[number * size : (number + 1) * size]:
            fields = {"id": event.id, "template": event.template, "timestamp": event.timestamp}
            records += [{**fields, "attributes": dict(event.attributes)}, f"no event: {event.id}"]
        put(directory / "in", number + 1, *records)
    lines = lines_of(spark, str(directory / "in"), options={"maxFilesPerTrigger": "1"})
    stream = Stream(lines, {"": job_of(PROGRAM)}, str(directory / "out"), str(directory / "checkpoint"), 5, engine)
    ran(stream)
    ran(stream, end=True)
    return directory / "out"


@pytest.mark.parametrize("engine", ENGINES)
def test_match_and_stream_give_the_same_columns_and_rows(spark: SparkSession, tmp_path: Path, engine: str) -> None:
    with match(spark, PROGRAM, spark.createDataFrame(log_of(PROGRAM, EVENTS))) as matches:
        write(matches, str(tmp_path / "match"))
    live = results(spark, str(streamed(spark, tmp_path, EVENTS, engine)))
    for kind, name, columns in (("match", "matches", MATCH), ("failure", "failures", FAILURE)):
        of_match = spark.read.parquet(str(tmp_path / "match" / name))
        of_stream = live.where(f"kind = '{kind}'").select(*columns)
        assert of_match.dtypes == of_stream.dtypes
        if engine == "machine":  # which does not say what lacks a value
            of_match, of_stream = of_match.drop("without_value"), of_stream.drop("without_value")
        rows = sorted(map(repr, of_match.collect()))
        assert rows == sorted(map(repr, of_stream.collect()))
        assert rows
    assert live.where("kind = 'rejected' AND bindings IS NULL AND record IS NOT NULL").count() == len(EVENTS)


def recipe() -> Callable[[str], tuple[Any, Any]]:
    """The code that the documentation gives."""
    page = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- recipe: exactly once -->\n```python\n(.*?)```", page, re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {}
    exec(block[1], names)
    return lambda out: (names["in_pandas"](out), names["in_duckdb"](out))


def test_pandas_and_duckdb_read_the_output_exactly_once(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patched:
        # So that the log of the sink is compacted.
        patched.setitem(SETTINGS, "spark.sql.streaming.fileSink.log.compactInterval", "3")
        out = streamed(spark, tmp_path / "a stream", EVENTS, files=len(EVENTS))
    spark.conf.unset("spark.sql.streaming.fileSink.log.compactInterval")
    assert list((out / "_spark_metadata").glob("*.compact"))
    expected = sorted((row.kind, row.record) for row in results(spark, str(out)).collect())
    # What a driver that is killed leaves of a batch that is then done again.
    for file in (out / "kind=match").glob("*.parquet"):
        shutil.copy(file, file.with_name(f"part-again-{file.name}"))
    assert spark.read.parquet(str(out / "kind=match")).count() > len([kind for kind, _ in expected if kind == "match"])
    moved = tmp_path / "elsewhere"
    shutil.move(out, moved)
    frame, table = recipe()(str(moved))
    assert sorted(zip(frame["kind"], frame["record"], strict=True)) == expected
    assert sorted(table.select("kind", "record").fetchall()) == expected
