"""A test that is not finished in the time of `make quick` is skipped, whatever it was doing when it was cut."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import UNTIL
from tests.quick import ROOT
from tests.records import KEY, QUICK, Record

# Collecting may take long on a busy machine, so the time is counted from there.
BEGINNING = f"""
import os
import time

os.environ["{UNTIL}"] = str(time.time() + 4)
"""

# Hypothesis has seen the first boolean lead to a second one. When it does not, data are not drawn as they were before,
# which Hypothesis reports instead of what happened.
DRAWING = """
from hypothesis import given, strategies as st

seen = set()

def slow(first):
    deadline = time.monotonic() + 60
    while first in seen and time.monotonic() < deadline:
        time.sleep(0.01)
    seen.add(first)
    return st.booleans()

@given(st.booleans().flatmap(slow))
def test_draws(value):
    pass
"""

# Whatever a destructor raises is printed and forgotten.
DESTRUCTION = """
class Slow:
    def __del__(self):
        time.sleep(60)

def test_destroys():
    Slow()
    time.sleep(60)
"""

FAILING = """
def test_fails():
    assert False

def test_goes_on():
    time.sleep(60)
"""

FILES = {"drawing": DRAWING, "destruction": DESTRUCTION, "failing": FAILING}


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, Record]]:
    """The last line of pytest on each file of tests, and its record; all are begun at once."""
    options = ["-p", "tests.conftest", "-c", "pyproject.toml", "--rootdir", ".", "-m", QUICK, "-q"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    runs = {}
    for name, text in FILES.items():
        directory = tmp_path_factory.mktemp(name)
        file = directory / "test_written.py"
        file.write_text(BEGINNING + text, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            *options,
            f"--override-ini=cache_dir={directory}",
            "--hypothesis-profile=quick",
            str(file),
        ]
        runs[directory] = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    ends = {}
    for name, (directory, run) in zip(FILES, runs.items(), strict=True):
        ending = run.communicate(timeout=120)[0].splitlines()[-1]
        (record,) = json.loads((directory / "v" / KEY).read_text(encoding="utf-8")).values()
        ends[name] = ending, Record(**record)
    return ends


@pytest.mark.parametrize("name", ["drawing", "destruction"])
def test_a_cut_is_no_failure(name: str, endings: dict[str, tuple[str, Record]]) -> None:
    ending, record = endings[name]
    assert ending.startswith("1 skipped in ")
    assert (record.tests, record.finished, record.failed) == (1, 0, 0)
    assert 4 < record.seconds < 30


def test_a_failure_before_the_cut_remains_one(endings: dict[str, tuple[str, Record]]) -> None:
    ending, record = endings["failing"]
    assert ending.startswith("1 failed, 1 skipped in ")
    assert (record.tests, record.finished, record.failed) == (2, 1, 1)
