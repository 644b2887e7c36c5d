"""A test that is not finished in the time of `make quick` is skipped, whatever it was doing when it was cut."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import UNTIL
from tests.quick import ROOT

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
def endings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The last line of pytest on each file of tests, all begun at once."""
    options = ["-p", "tests.conftest", "-c", "pyproject.toml", "--rootdir", ".", "-p", "no:cacheprovider", "-q"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    runs = {}
    for name, text in FILES.items():
        file = tmp_path_factory.mktemp(name) / "test_written.py"
        file.write_text(BEGINNING + text, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", *options, "--hypothesis-profile=ci", str(file)]
        runs[name] = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    return {name: run.communicate(timeout=120)[0].splitlines()[-1] for name, run in runs.items()}


@pytest.mark.parametrize("name", ["drawing", "destruction"])
def test_a_cut_is_no_failure(name: str, endings: dict[str, str]) -> None:
    assert endings[name].startswith("1 skipped in ")


def test_a_failure_before_the_cut_remains_one(endings: dict[str, str]) -> None:
    assert endings["failing"].startswith("1 failed, 1 skipped in ")
