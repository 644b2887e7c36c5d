"""Units that are measured side by side: an interruption ends them at once and loses none that is finished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parte.experiments.workers import in_processes

QUICK, SLOW = (1, 2), (3, 4)
LONG = 60
"""Seconds that nobody waits for: there would be a file `waited` if anybody did."""


def work(item: tuple[str, int]) -> int:
    folder, number = item
    if number in SLOW:
        begun = Path(folder) / f"begun-{number}"
        begun.with_suffix(".part").write_text(str(os.getpid()), encoding="utf-8")
        begun.with_suffix(".part").rename(begun)
        time.sleep(LONG)
        (Path(folder) / "waited").touch()
    return number


def begun(folder: Path) -> list[int]:
    """The processes that do the slow ones; waits until both have begun, so that the quick ones are done."""
    files = [folder / f"begun-{number}" for number in SLOW]
    while not all(file.exists() for file in files):
        time.sleep(0.01)
    return [int(file.read_text(encoding="utf-8")) for file in files]


def run(folder: Path, numbers: list[int], *, interrupt: bool) -> None:
    def keep(_: object, number: int) -> None:
        if interrupt and not interrupted:
            interrupted.extend(begun(folder))
            raise KeyboardInterrupt
        numbers.append(number)

    interrupted: list[int] = []
    in_processes(2, work, [(str(folder), number) for number in (*QUICK, *SLOW)], keep)


def test_an_interruption_ends_the_processes_and_keeps_what_is_done(tmp_path: Path) -> None:
    numbers: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, numbers, interrupt=True)
    assert sorted(numbers) == list(QUICK)
    assert not (tmp_path / "waited").exists()
    for process in begun(tmp_path):
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_the_processes_of_a_run_that_is_killed_end_too(tmp_path: Path) -> None:
    code = f"""
import pathlib
from tests.parte.experiments.test_workers import run
if __name__ == "__main__":
    run(pathlib.Path({str(tmp_path)!r}), [], interrupt=False)
"""
    script = tmp_path / "script.py"
    script.write_text(code, encoding="utf-8")
    root = str(Path(__file__).parents[3])
    # What the processes have open shows when the last of them has ended.
    with subprocess.Popen([sys.executable, script], env={**os.environ, "PYTHONPATH": root}, stdout=-1) as killed:
        begun(tmp_path)
        killed.send_signal(signal.SIGKILL)
        assert killed.stdout is not None
        assert killed.stdout.read() == b""
        assert not (tmp_path / "waited").exists()
    assert killed.returncode == -signal.SIGKILL
