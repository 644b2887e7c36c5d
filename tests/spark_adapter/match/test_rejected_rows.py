"""Rows of a log that are no events of the program: Spark rejects those that the check of a whole log finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from typer.testing import CliRunner

from parte.cli import app
from parte.semantics.events.rejection import Rejected, Rejections
from parte.spark_adapter.match.rejecting import without_rejected
from tests.algebra.partelang.test_logs import FAULTS, KINDS, row, with_fields, write
from tests.parte.test_rejected import BOTH, FIELDS, LOGIN, MANY, parquet, rejected_in
from tests.spark_adapter.match.matching import small


def test_each_fault_is_the_reason_of_its_row(spark: SparkSession, tmp_path: Path) -> None:
    # An id for each row, unless the id is the fault; the messages end alike with those of a whole log.
    faulty: list[tuple[dict[str, Any], str]] = []
    for number, (fault, message) in enumerate(FAULTS):
        own = f"e{number}" if fault["id"] == "e" else fault["id"]
        # DuckDB writes the same values in another way.
        faulty.append(({**fault, "id": own}, message.partition(": ")[2].lower().replace("inf", "infinity")))
    good = [row("x"), row("y", "B"), row("z", "C")]
    others = [row("u", "Z", attributes={}), row("v", "Zz", attributes={}), row("x", "Z", attributes={})]
    twice = [row("x", timestamp=5), with_fields("z", "C")]
    rows = [*others, *good, *(fault for fault, _ in faulty), *twice]
    path = write(tmp_path / "log.parquet", rows)
    rejected: list[Rejected] = []
    rejections = Rejections("log", rejected.append)
    session = small(spark, ansi=True)
    log = without_rejected(KINDS, session.read.parquet(str(path)), rejections, "log")
    assert sorted((row["id"], row["timestamp"]) for row in log.collect()) == [("x", 0), ("y", 0), ("z", 0)]
    expected = [(fault["id"] or "", message) for fault, message in faulty]
    expected += [(name, f'its id is that of another event, found "{name}"') for name in "xz"]
    reasons = sorted((record.id or "", record.reason.lower()) for record in rejected)
    assert reasons == sorted(expected)
    assert rejections.undeclared == {"Z": 2, "Zz": 1}


def test_the_command_leaves_out_and_rejects(spark: SparkSession, tmp_path: Path) -> None:
    assert spark is not None  # which the command uses
    for number, text in enumerate((LOGIN, BOTH)):
        (tmp_path / "p.parte").write_text(text, encoding="utf-8")
        rows = [*MANY, ("l3", "Login", 9, None, None, None)] if number else MANY
        log, lost = parquet(tmp_path / "log.parquet", rows, FIELDS), tmp_path / "lost.jsonl"
        arguments = ["spark", "match", str(tmp_path / "p.parte"), str(log), "--out", str(tmp_path / f"out{number}")]
        done = CliRunner().invoke(app, [*arguments, "--rejected", str(lost)] if number else arguments)
        assert done.exit_code == 0, done.output
        assert done.stdout.startswith("R: 1 match\n")
        assert "1  left out: View, which the program does not declare\n" in done.stderr
    assert rejected_in(lost) == [{"file": str(log), "id": "l3", "reason": 'the attribute "tries" is missing'}]
