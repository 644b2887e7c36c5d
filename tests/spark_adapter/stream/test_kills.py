"""Exactly once: a stream whose driver is killed, again and again, writes what one writes that nobody disturbs."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parte.semantics.partelang.syntax.elaborate import parse
from parte.spark_adapter.stream import SETTINGS, Stream, job_of, lines_of, results
from parte.spark_adapter.stream.detection import ENGINES
from tests.sampling import EXHAUSTIVE, WHOLE
from tests.spark_adapter.conftest import SETTINGS as SETTINGS_OF_TESTS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("PARTE_KILLS", "2"))
FILES = 2 * KILLS  # enough that the stream has not ended before the last
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
PATIENCE = 300  # seconds for a driver to get on; more means that it hangs
TRIES = 3  # Spark gives a worker ten seconds to start: a busy machine may take longer, which is one more crash

PROGRAM = """
template Opened { door: String }
template Badge { door: String }
template Forced { door: String }
rule Force where o: Opened, no b: Badge { door = o.door } when no b in o [-10 ms, 5 ms]
then emit Forced at o.timestamp with { door = o.door }
rule Twice where f: Forced, g: Forced { door = f.door } when g in f [1 ms, 200 ms] then
"""


def write_events(directory: Path) -> None:
    """Files of events, of which some are late and some are none, one after the other in time."""
    draw = random.Random(6)
    directory.mkdir()
    for number in range(FILES):
        lines = []
        for position in range(20):
            late = number > 1 and position == 7
            timestamp = 1_000_000 + 100 * number + draw.randrange(100) - 150 * late
            template, door = draw.choice(("Opened", "Opened", "Badge")), draw.choice("nsew")
            event = {"id": f"{number}-{position}", "template": template, "timestamp": timestamp}
            lines.append(json.dumps(event | {"attributes": {"door": door}}))
        lines.append(f"this is no event: {number}")
        path = directory / f"{number}.json"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.utime(path, (number, number))


def command(directory: Path, engine: str) -> list[str]:
    arguments = [
        "--out",
        "out",
        "--checkpoint",
        "checkpoint",
        "--disorder",
        "20 ms",
        "--files",
        "1",
        "--end",
        "--engine",
        engine,
    ]
    spark = ["--cores", "2", "--memory", "512m", "--conf", f"{JAVA_OPTIONS}={SETTINGS_OF_TESTS[JAVA_OPTIONS]}"]
    program, source = str(directory / "doors.parte"), str(directory / "in")
    return [sys.executable, "-m", "parte", "spark", "stream", program, source, *arguments, *spark]


def logged(directory: Path) -> int:
    """How many steps the logs of the query have recorded: batches planned and batches done."""
    logs = [directory / "checkpoint" / "spark" / name for name in ("offsets", "commits")]
    return sum(name.isdigit() for log in logs if log.is_dir() for name in os.listdir(log))


def kill_somewhere(directory: Path, engine: str, draw: random.Random) -> bool:
    """Start the stream and kill its driver a random while after one of its next steps; False if it ended before."""
    before, steps, pause = logged(directory), draw.randrange(1, 4), draw.random()
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (directory / "output.txt").open("a") as output:
        driver = subprocess.Popen(
            command(directory, engine),
            cwd=directory,
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,
        )
    deadline = time.monotonic() + PATIENCE
    while driver.poll() is None and logged(directory) < before + steps and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(pause)
    killed = driver.poll() is None
    if killed:
        os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    return killed


@pytest.mark.parametrize(
    "engine", [pytest.param(name, marks=WHOLE if name == "machine" else EXHAUSTIVE) for name in ENGINES]
)
def test_killed_drivers_change_nothing(spark: SparkSession, tmp_path: Path, engine: str) -> None:
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    (tmp_path / "doors.parte").write_text(PROGRAM, encoding="utf-8")
    write_events(tmp_path / "in")
    lines = lines_of(spark, str(tmp_path / "in"), options={"maxFilesPerTrigger": "1"})
    calm = Stream(
        lines, {"": job_of(parse(PROGRAM))}, str(tmp_path / "calm"), str(tmp_path / "calm-checkpoint"), 20, engine
    )
    calm.start(once=True).awaitTermination()
    calm.end().awaitTermination()
    expected = sorted(map(tuple, results(spark, str(tmp_path / "calm")).collect()), key=str)

    draw = random.Random(1)
    kills, tries = 0, 0
    while kills < KILLS and tries < 2 * KILLS:
        kills += kill_somewhere(tmp_path, engine, draw)
        tries += 1
    for _ in range(TRIES):
        ended = subprocess.run(
            command(tmp_path, engine), cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if ended.returncode == 0:
            break
    assert ended.returncode == 0, ended.stderr
    actual = sorted(map(tuple, results(spark, str(tmp_path / "out")).collect()), key=str)

    assert kills == KILLS, "the stream ended before it could be killed so often"
    assert actual == expected
    kinds = [row[-1] for row in expected]
    assert kinds.count("rejected") == FILES
    assert kinds.count("late") > 0
    assert {row[1] for row in expected if row[-1] == "match"} == {"Force", "Twice"}
