"""Damaged files of a checkpoint: the command says which file it is, and what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from parte.cli import app
from parte.spark_adapter.stream import SETTINGS
from parte.spark_adapter.stream.damage import check_logs, explained
from tests.spark_adapter.stream.test_stream import DOORS, event, put

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGS = (
    "checkpoint/spark/metadata",
    "checkpoint/spark/offsets/*",
    "checkpoint/spark/commits/*",
    "checkpoint/spark/sources/0/*",
    "out/_spark_metadata/*",
)
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda content: content[: len(content) // 2],
    "zeros": lambda content: bytes(len(content)),
    "other text": lambda _: b"no log",
}


@pytest.fixture(scope="module")
def place(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stream of two batches that goes on with a third."""
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    directory = tmp_path_factory.mktemp("damage")
    for number in (1, 2):
        put(directory / "in", number, *(event(f"o{number}{door}", "Opened", 1000, door) for door in "abcdefgh"))
        assert stream(directory) == (0, "")
    put(directory / "in", 3, event("o3", "Opened", 1003))
    return directory


def stream(directory: Path) -> tuple[int, str]:
    """Exit code of the command, and its error on one line."""
    program = directory / "doors.parte"
    program.write_text(DOORS, encoding="utf-8")
    places = ["--out", str(directory / "out"), "--checkpoint", str(directory / "checkpoint")]
    done = CliRunner().invoke(app, ["spark", "stream", str(program), str(directory / "in"), "--once", *places])
    said = " ".join(done.stderr.split())
    return done.exit_code, said if done.exit_code else ""


def last(directory: Path, pattern: str) -> Path:
    """The last of the numbered files that fit."""
    return max(directory.glob(pattern), key=lambda path: (path.parent, int(path.stem) if path.stem.isdigit() else 0))


@pytest.mark.parametrize("checksum", [True, False], ids=["with its checksum", "without"])
@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_log_is_named(spark: SparkSession, place: Path, tmp_path: Path, how: str, checksum: bool) -> None:
    for pattern in LOGS:
        directory = tmp_path / pattern.replace("/", "-").replace("*", "n")
        shutil.copytree(place, directory)
        path = last(directory, pattern)
        path.write_bytes(DAMAGES[how](path.read_bytes()))
        if not checksum:
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        with pytest.raises(ValueError, match="put the file back from a copy") as raised:
            check_logs(spark, str(directory / "checkpoint" / "spark"), str(directory / "out"))
        assert str(path) in str(raised.value)


@pytest.mark.parametrize("checksum", [True, False], ids=["with its checksum", "without"])
@pytest.mark.parametrize(
    "pattern", [LOGS[1], "checkpoint/spark/state/0/*/*.changelog", "checkpoint/spark/state/0/*/*.zip"]
)
def test_the_command_names_what_is_damaged(place: Path, tmp_path: Path, pattern: str, checksum: bool) -> None:
    copy = tmp_path / "kept"
    shutil.copytree(place, copy)
    damaged = [path for path in place.glob(pattern) if not path.name.endswith(".crc")]
    for path in damaged:
        path.write_bytes(b"xx" if checksum else b"")
        if not checksum:
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    code, said = stream(place)
    for name in ("checkpoint", "out"):
        shutil.rmtree(place / name)
        shutil.copytree(copy / name, place / name)
    assert damaged
    assert code == 2, said
    assert any(str(path) in said for path in damaged), said
    assert "put the file back from a copy" in said


def test_what_fails_elsewhere_is_no_damage(spark: SparkSession, tmp_path: Path) -> None:
    assert explained(spark, ValueError("in/1.json: no such file"), str(tmp_path)) == "in/1.json: no such file"
    said = explained(spark, ValueError("[CANNOT_LOAD_STATE_STORE.X] no"), str(tmp_path))
    assert said.startswith(f"{tmp_path}/state: the state of the stream is damaged: [CANNOT_LOAD_STATE_STORE.X] no; put")
