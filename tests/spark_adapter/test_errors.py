"""What Spark cannot write is reported in plain words: which place, why, and what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parte.spark_adapter import session
from parte.spark_adapter.errors import cause_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASK = (
    "An error occurred while calling o48.parquet.\n"
    ": org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/disk/out/matches."
    " SQLSTATE: 58030\n\tat org.apache.spark.sql.X.y(X.scala:1)\n"
    "Caused by: org.apache.hadoop.fs.FSError: java.io.IOException: {}\n\tat x.Y(Z)\n"
    "Caused by: java.io.IOException: {}\n"
)
MKDIRS = (
    "An error occurred while calling o57.parquet.\n: org.apache.spark.SparkException: Job aborted due to stage "
    "failure: Task 0 in stage 1.0 failed 1 times, most recent failure: Lost task 0.0 in stage 1.0 (TID 1) "
    "(localhost executor driver): "
    "java.io.IOException: Mkdirs failed to create file:/disk/out/matches/_temporary/0/_temporary/attempt_1 "
    "(exists=false, cwd=file:/home)\n\tat x.Y(Z)\n\nDriver stacktrace:\n\tat x.Y(Z)\n"
)
SPILL = "java.io.FileNotFoundException: /tmp/blockmgr-1/2/temp_shuffle (No space left on device)\n\tat x.Y(Z)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            TASK.format(*["No space left on device"] * 2),
            "cannot write /disk/out/matches: the disk is full: make room, or name a directory on another disk",
        ),
        (
            TASK.format(*["Read-only file system"] * 2),
            "cannot write /disk/out/matches: the disk is read-only: name a directory that can be written to",
        ),
        (
            TASK.format(*["File too large"] * 2),
            "cannot write /disk/out/matches: a file would be larger than is allowed: raise the limit (`ulimit -f`), or "
            "name another disk",
        ),
        (
            MKDIRS,
            "cannot write /disk/out/matches: the directory cannot be made: the disk may be full or read-only, or you "
            "may not write there: name a directory that can be written to",
        ),
        (
            SPILL,
            "cannot write /tmp/blockmgr-1/2/temp_shuffle: the disk is full: make room, or name a directory on another "
            "disk",
        ),
        (
            "java.io.IOException: No space left on device\n",
            "cannot write a disk that Spark writes to (the output, or the directory of spark.local.dir): the disk is "
            "full: make room, or name a directory on another disk",
        ),
        ("StateError: no event says No space left on device\n", "no event says No space left on device"),
    ],
)
def test_what_cannot_be_written_is_reported_in_plain_words(text: str, expected: str) -> None:
    assert cause_of(RuntimeError(text)) == expected


def test_spark_cannot_write_below_a_file(spark: SparkSession, tmp_path: Path) -> None:
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]  # py4j has no stubs

    (tmp_path / "file").touch()
    with pytest.raises(Py4JJavaError) as raised:
        spark.range(1).write.parquet(str(tmp_path / "file" / "out"))
    expected = (
        f"cannot write {tmp_path / 'file'}: it is not a directory: name a directory, or a place where one can be made"
    )
    assert cause_of(raised.value) == expected


def test_the_log_shows_no_stack_of_java() -> None:
    """The message of a failed job holds the stacks of the task and of the driver."""
    pattern = re.search(r"%replace\{%ex\{1\}\}\{(.+)\}\{\}", json.loads(f'"{session._WORDS}"'), re.DOTALL)
    assert pattern is not None
    first, second = MKDIRS.split("\n")[:2]
    assert re.sub(pattern[1], "", MKDIRS) == f"{first}\n{second}\n"
