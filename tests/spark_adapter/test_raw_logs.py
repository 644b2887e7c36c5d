"""Raw logs on Spark: the events, the counts and the rejected records are those of `parte log`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from parte.cli import app
from parte.logs.conversion import Conversion
from parte.logs.mapping import read_mapping
from parte.semantics.events.rejection import Rejected
from parte.spark_adapter.raw_logs import RawLogs
from tests.drawn import drawn
from tests.logs.test_conversion import MAPPING, PROGRAM, as_lines, lines
from tests.logs.test_rows import MAPPING as OF_ROWS
from tests.logs.test_rows import pieces

READ = "SELECT id, template, timestamp, source, to_json(attributes) FROM read_parquet('{}') ORDER BY id"


def agree(spark: SparkSession, mapping: str, files: Sequence[Path], folder: Path) -> int:
    """The number of rejected records of raw files, when both ways have the same result."""
    described = read_mapping(mapping)
    expected: list[Rejected] = []
    with Conversion(described, expected.append) as conversion:
        for path in files:
            conversion.add(str(path))
        conversion.finish()
        conversion.write(str(folder / "log.parquet"))
    rejected: list[Rejected] = []
    with closing(RawLogs(spark, described, [*map(str, files)])) as logs:
        logs.finish(rejected.append)
        logs.write(str(folder / "log"))
    assert rejected == expected
    assert logs.converted == conversion.converted
    with duckdb.connect() as database:
        written = [database.execute(READ.format(folder / name)).fetchall() for name in ("log.parquet", "log/*.parquet")]
    assert written[0] == written[1]
    return len(rejected)


@pytest.mark.parametrize("numbered", [False, True])
def test_lines(spark: SparkSession, tmp_path: Path, numbered: bool) -> None:
    # Blocks of few bytes: the lines of a file are divided among tasks, and numbered through all of them.
    setting = "spark.sql.files.maxPartitionBytes"
    session = spark.newSession()
    session.conf.set(setting, "700")
    session.conf.set("spark.sql.files.openCostInBytes", "0")
    files = []
    for number, content in enumerate(drawn(st.lists(lines, min_size=30, max_size=60), 3, 5)):
        files.append(tmp_path / f"raw [{number}].jsonl")
        files[-1].write_bytes(b"\n".join([*content, *content[:3], b'{"kind": "login", "at": {"time": 7}, "id": "x"}']))
    mapping = MAPPING.replace('id = "id"', "", 1) if numbered else MAPPING
    assert agree(session, mapping, files, tmp_path) > 20
    assert session.conf.get(setting) == "700"


def test_rows_of_csv(spark: SparkSession, tmp_path: Path) -> None:
    files = []
    for number, content in enumerate(drawn(pieces, 4, 3)):
        files.append(tmp_path / f"r{number}.csv")
        rows = "".join(content) + '\n3,"a\nb"\n4,"x\n5,y\n'
        files[-1].write_bytes(b"t,k,l\n1,x,y\n" + rows.encode("latin-1"))
    assert agree(spark, OF_ROWS, files, tmp_path) >= 4


def test_rows_of_parquet(spark: SparkSession, tmp_path: Path) -> None:
    files = []
    for number, content in enumerate(drawn(st.lists(lines, min_size=30, max_size=40), 2, 9)):
        raw = tmp_path / f"raw{number}.jsonl"
        raw.write_bytes(
            b"\n".join(line for line in content if line.startswith(b'{"') and line.endswith(b"}") and line.isascii())
        )
        files.append(tmp_path / f"r{number}.parquet")
        types = "'at': 'STRUCT(time VARCHAR)', kind: 'VARCHAR', id: 'VARCHAR', host: 'VARCHAR', ok: 'BOOLEAN', "
        types += "'user': 'STRUCT(\"full.name\" VARCHAR)', tries: 'BIGINT', score: 'DOUBLE'"
        options = "format = 'newline_delimited', ignore_errors = true"
        query = f"SELECT * FROM read_json('{raw}', columns = {{{types}}}, {options})"
        with duckdb.connect() as database:
            database.execute(f"COPY ({query}) TO '{files[-1]}' (FORMAT parquet)")
    assert agree(spark, MAPPING, files, tmp_path) > 3


def test_the_command(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert spark is not None  # which the command uses
    monkeypatch.chdir(tmp_path)
    as_lines(tmp_path / "raw.jsonl")
    Path("m.toml").write_text(MAPPING, encoding="utf-8")
    Path("p.parte").write_text(PROGRAM, encoding="utf-8")
    local = CliRunner().invoke(app, ["log", "m.toml", "raw.jsonl", "-o", "l.parquet", "--rejected", "lost1.jsonl"])
    arguments = ["spark", "log", "m.toml", "raw.jsonl"]
    done = CliRunner().invoke(app, [*arguments, "-o", "log", "--rejected", "lost2.jsonl"])
    assert (done.exit_code, done.stderr) == (0, local.stderr)
    assert Path("lost2.jsonl").read_bytes() == Path("lost1.jsonl").read_bytes()
    matched = CliRunner().invoke(
        app, ["spark", "match", "p.parte", str(tmp_path / "log"), "--out", str(tmp_path / "out")]
    )
    assert (matched.exit_code, matched.stdout) == (0, "R: 1 match\n"), matched.output
    again = CliRunner().invoke(app, [*arguments, "-o", "log"])
    assert (again.exit_code, "not an empty directory" in again.output) == (2, True)
    for wrong in (["p.parte", "raw.jsonl", "raw.jsonl"], ["p.parte", "raw.jsonl", "--rejected", "x"]):
        assert CliRunner().invoke(app, ["spark", "log", *wrong, "-o", "log2"]).exit_code == 2
