"""After a kill -9 of this side nothing is left of the other: engines that hang, and what began a session of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at processes in /proc")

ENGINE = """
import subprocess, sys, time
more = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print(more.pid, file=open(sys.argv[1], "w"), flush=True)
time.sleep(600)
"""
RUNNER = """
import os, sys, time
from pathlib import Path
from parte.conformance.runner.processes import ProcessSession
session = ProcessSession([sys.executable, "-c", sys.argv[1], sys.argv[2]])
while not Path(sys.argv[2]).exists() or not Path(sys.argv[2]).read_text().strip():
    time.sleep(0.01)
print(session._process.pid, Path(sys.argv[2]).read_text().strip(), flush=True)
{then}
"""


def lives(pid: int) -> bool:
    """Whether a process runs; one that has ended, and that nobody asked for its exit code, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 10
    while any(map(lives, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(map(lives, pids))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_engines_end_with_a_runner_that_was_killed(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUNNER.format(then="time.sleep(600)"), ENGINE, str(tmp_path / "pid")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as runner:
        assert runner.stdout is not None
        pids = [int(word) for word in runner.stdout.readline().split()]
        assert len(pids) == 2
        assert all(map(lives, pids))
        runner.send_signal(number)
    assert gone(pids)


def test_an_end_without_a_farewell_leaves_no_engine_either(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUNNER.format(then="os._exit(3)"), ENGINE, str(tmp_path / "pid")]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # it ends only if no one holds its output open
    assert done.returncode == 3
    assert gone([int(word) for word in done.stdout.split()])
