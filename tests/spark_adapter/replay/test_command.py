"""`parte spark replay`, `convert` and `generate`."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from parte.cli import app
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.installation import install_command
from parte.spark_adapter.replay.job import Job, Watcher, run_job
from parte.spark_adapter.traces.files import read_edition, write_edition
from parte.spark_adapter.traces.format import TRACES
from tests.spark_adapter.replay.test_rows import EVENTS, LOSING, PROGRAM

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from typer.testing import Result


def command(*arguments: object) -> Result:
    """Run the command in this process, with the session of the tests if there is one."""
    runner = CliRunner(env={"FORCE_COLOR": None, "NO_COLOR": "1", "COLUMNS": "100"})
    result = runner.invoke(app, ["spark", *map(str, arguments)], prog_name="parte")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def traces(directory: Path, *rows: dict[str, object]) -> Path:
    """An edition of traces alone."""
    (directory / "traces").mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(list(rows), TRACES), directory / "traces" / "some.parquet")
    return directory


FINE: dict[str, object] = {"trace_id": "fine", "program": PROGRAM, "events": EVENTS}
LOST: dict[str, object] = {"trace_id": "lost", "program": LOSING, "events": EVENTS}
BROKEN: dict[str, object] = {"trace_id": "broken", "program": "rule", "events": EVENTS}


@pytest.mark.usefixtures("spark")
def test_a_replay_ends_with_a_summary(tmp_path: Path) -> None:
    path = traces(tmp_path / "in", FINE, LOST, BROKEN)
    result = command("replay", path, "--out", tmp_path / "out", "--models", "sound,published")
    assert result.exit_code == 0, result.output
    table = [line.split() for line in result.stdout.splitlines()]
    assert ["model", "reference", "agree", "differ", "ms", "a", "trace"] in table
    assert [line[:2] for line in table if line[:1] == ["published"]] == [["published", "2"]]
    assert [line[:2] for line in table if line[:1] == ["sound"]] == [["sound", "2"]]
    assert ["2", "agree"] in table
    assert ["1", "error", "(rejected)"] in table
    assert ["3", "traces"] in table


@pytest.mark.usefixtures("spark")
def test_a_replay_that_disagrees_ends_in_exit_code_1_and_names_the_traces(tmp_path: Path) -> None:
    path = traces(tmp_path / "in", FINE, LOST)
    out = ("--out", tmp_path / "out", "--models", "sound,published", "--judge", "published")
    for _ in range(2):  # the second time nothing is computed, and the answer is the same
        result = command("replay", path, *out)
        assert result.exit_code == 1, result.output
        assert "lost: published under the schedule round-robin: 1 missing, compared with algebra" in result.stderr
    mismatched = command("replay", path, "--out", tmp_path / "out")
    assert mismatched.exit_code == 2
    assert "holds a replay with plan" in mismatched.stderr


@pytest.mark.usefixtures("spark")
def test_an_interrupted_replay_goes_on_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("replay", "--random", 30, "--slice", 10, "--models", "indexed", "--out", tmp_path / "out")

    def run(spark: SparkSession, job: Job, watch: Watcher) -> DataFrame:
        def interrupted(done: int, slices: int) -> None:
            if done == 1:
                signal.raise_signal(signal.SIGINT)
            watch(done, slices)

        return run_job(spark, job, interrupted)

    with monkeypatch.context() as patched:
        patched.setattr("parte.spark_adapter.replay.job.run_job", run)
        stopped = command(*arguments)
    assert stopped.exit_code == 130, stopped.output
    assert "the same command goes on where it was" in stopped.stderr
    assert [path.name for path in (tmp_path / "out" / "results").iterdir()] == ["slice=0"]
    assert "30 traces" in command(*arguments).stdout


@pytest.mark.usefixtures("spark")
def test_a_job_that_fails_is_an_error_in_few_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = command("replay", "--random", 1, "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert "not a directory" in result.stderr
    assert len(result.stderr.splitlines()) < 5


@pytest.mark.usefixtures("spark")
def test_a_random_trace_can_be_had_as_files(tmp_path: Path) -> None:
    assert command("generate", 1, "--first", 41, "--seed", 5, "--out", tmp_path / "one").stdout == "1 trace\n"
    assert command("convert", tmp_path / "one", "--out", tmp_path / "files").stdout == "1 trace\n"
    names = sorted(path.name for path in (tmp_path / "files").iterdir())
    assert names == ["random-5-41.jsonl", "random-5-41.parte"]
    runner = CliRunner()
    compared = runner.invoke(app, ["compare", *(str(tmp_path / "files" / name) for name in reversed(names))])
    assert compared.exit_code == 0, compared.output
    assert command("generate", 1, "--out", tmp_path / "one").exit_code == 2


def test_the_suite_comes_back_from_parquet_as_it_was(tmp_path: Path) -> None:
    suite = load_suite(PARTELANG)
    result = command("convert", "--out", tmp_path / "edition")
    assert result.stdout == f"{len(suite.cases)} traces\n"
    assert command("convert", tmp_path / "edition", "--out", tmp_path / "back").exit_code == 0
    assert load_suite(PARTELANG, tmp_path / "back") == suite, "the digest covers what every case asks and expects"


def test_some_cases_can_be_chosen(tmp_path: Path) -> None:
    name = next(iter(load_suite(PARTELANG).cases))
    assert command("convert", "--out", tmp_path / "edition", "--trace", name).stdout == "1 trace\n"
    assert [trace_id for trace_id, _ in read_edition(tmp_path / "edition")] == [name]
    assert command("convert", "--out", tmp_path / "none", "--trace", "no/such").exit_code == 2
    back = command("convert", tmp_path / "edition", "--out", tmp_path / "back", "--trace", "no/such")
    assert (back.exit_code, "there is no trace 'no/such'" in back.stderr) == (2, True)


@pytest.mark.parametrize("name", ["../escaped", "/etc/passwd", "a/../../b", "", ".hidden", None])
def test_an_id_that_is_no_name_of_a_file_writes_nothing(tmp_path: Path, name: str | None) -> None:
    source = traces(tmp_path / "in", FINE | {"trace_id": name})
    result = command("convert", source, "--out", tmp_path / "a" / "out")
    assert result.exit_code == 2
    assert "cannot be the name of a file" in result.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "in" / "traces" / "some.parquet"]


@pytest.mark.parametrize(
    "attributes", [pa.struct([("k", pa.int64()), ("other", pa.string())]), pa.map_("str", "int64")]
)
def test_attributes_that_are_columns_become_files(tmp_path: Path, attributes: pa.DataType) -> None:
    attribute_values = {"k": 1} if pa.types.is_struct(attributes) else [("k", 1)]
    item = pa.struct([("template", pa.string()), ("timestamp", pa.int64()), ("attributes", attributes)])
    schema = pa.schema([("trace_id", pa.string()), ("program", pa.string()), ("events", pa.list_(item))])
    rows = [
        {
            "trace_id": "t",
            "program": PROGRAM,
            "events": [{"template": "A", "timestamp": 0, "attributes": attribute_values}],
        }
    ]
    (tmp_path / "in" / "traces").mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "in" / "traces" / "some.parquet")
    result = command("convert", tmp_path / "in", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    assert json.loads((tmp_path / "out" / "t.jsonl").read_text(encoding="utf-8"))["attributes"] == {"k": 1}


@pytest.mark.parametrize(
    ("events", "said"), [(None, "expected a list of items, found null"), ([None], "item 1 is null")]
)
def test_a_trace_that_is_null_cannot_become_files(tmp_path: Path, events: object, said: str) -> None:
    result = command("convert", traces(tmp_path / "in", FINE | {"events": events}), "--out", tmp_path / "out")
    assert (result.exit_code, f"fine: events: {said}" in result.stderr) == (2, True), result.stderr


def test_what_cannot_be_read_or_written_is_named(tmp_path: Path) -> None:
    broken = traces(tmp_path / "in", FINE)
    (broken / "traces" / "some.parquet").write_text("no Parquet", encoding="utf-8")
    result = command("convert", broken, "--out", tmp_path / "out")
    assert (result.exit_code, "some.parquet cannot be read" in result.stderr) == (2, True)
    full = command("convert", "--out", broken)
    assert (full.exit_code, "is not an empty directory" in full.stderr) == (2, True)
    nothing = command("convert", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert (nothing.exit_code, "nowhere" in nothing.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("replay", "--out", "x"), "give either IN or --random N"),
        (("replay", "in", "--random", "5", "--out", "x"), "give either IN or --random N"),
        (("replay", "in"), "--out"),
        (("replay", "in", "--out", "x", "--models", "duckdb"), "models: expected one of algebra"),
        (("replay", "in", "--out", "x", "--judge", "indexed"), "judged: expected one of sound"),
        (("replay", "in", "--out", "x", "--conf", "nonsense"), "expected KEY=VALUE"),
    ],
)
def test_options_that_do_not_go_together(arguments: tuple[str, ...], said: str) -> None:
    result = command(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_edition_holds_what_fixtures_say(tmp_path: Path) -> None:
    cases = [case for case in load_suite(PARTELANG).cases.values() if case.domain][:3]
    write_edition(tmp_path / "edition", cases)
    rows = dict(read_edition(tmp_path / "edition"))
    for case in cases:
        assert rows[case.id]["text"] == case.text
        assert json.loads(rows[case.id]["document"]) == case.domain
        assert len(rows[case.id]["events"]) == len(case.trace)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("trace_id", [1]),
        ("disorder", "1"),
        ("events", "[]"),
        ("events", [["x"]]),
        ("events", [[{"id": 5, "template": "A"}]]),
        ("program", b"\xff"),
    ],
)
def test_an_edition_with_columns_of_other_types_is_refused(tmp_path: Path, column: str, value: object) -> None:
    cases = [case for case in load_suite(PARTELANG).cases.values() if case.domain][:2]
    write_edition(tmp_path / "edition", cases)
    file = tmp_path / "edition" / "traces" / "part-0.parquet"
    table = parquet.read_table(file)
    replaced = pa.array((value if column == "events" and isinstance(value, list) else [value]) * len(table))
    parquet.write_table(table.set_column(table.column_names.index(column), column, replaced), file)
    result = command("convert", tmp_path / "edition", "--out", tmp_path / "back")
    assert result.exit_code == 2
    assert f"part-0.parquet: the column {column}: expected" in "".join(result.stderr.split("\n"))


@pytest.mark.parametrize("type_", [pa.date32(), pa.timestamp("us")])
def test_an_edition_with_times_that_no_calendar_has_is_refused(tmp_path: Path, type_: pa.DataType) -> None:
    write_edition(tmp_path / "edition", list(load_suite(PARTELANG).cases.values())[:2])
    file = tmp_path / "edition" / "traces" / "part-0.parquet"
    far = pa.array([2**31 - 1 if type_ == pa.date32() else 2**62] * 2, type_)
    parquet.write_table(parquet.read_table(file).append_column("more", far), file)
    result = command("convert", tmp_path / "edition", "--out", tmp_path / "back")
    assert result.exit_code == 2
    assert "part-0.parquet cannot be read" in "".join(result.stderr.split("\n"))


def test_without_a_java_the_command_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from parte.spark_adapter import java, session

    monkeypatch.setattr(session, "active_session", lambda: None)
    monkeypatch.setattr(java, "PACKAGE", "no_such_package_of_a_java")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    result = command("replay", "--random", "1", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "no Java that Spark can use" in result.stderr
    assert f"hint: {install_command('spark')}" in result.stderr


@pytest.mark.parametrize(
    "lost", [ConnectionRefusedError(111, "Connection refused"), ConnectionResetError(104, "reset")]
)
def test_a_java_that_ends_while_it_starts_is_not_taken_for_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: ConnectionError
) -> None:
    def refused(**_: object) -> None:
        raise lost

    monkeypatch.setattr("parte.spark_adapter.session.session", refused)
    result = command("replay", traces(tmp_path / "in", FINE), "--out", tmp_path / "out")
    assert (result.exit_code, "Java has ended" in result.stderr) == (71, True), result.output


def test_a_directory_that_cannot_be_written_is_refused_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr("parte.commands.spark.replay.check_room", refused)
    monkeypatch.setattr("parte.spark_adapter.session.session", lambda **_: pytest.fail("Spark starts"))
    result = command("replay", traces(tmp_path / "in", FINE), "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr == f"error: cannot use {tmp_path}: Permission denied\n"
