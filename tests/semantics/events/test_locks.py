"""Two runs on one directory: the second is refused, and a lock does not outlive its holder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from parte.semantics.events.files import UnusableFile
from parte.semantics.events.locks import LOCK, InUse, held

HOLDER = """
import sys, time
from parte.semantics.events.files import UnusableFile
from parte.semantics.events.locks import held
with held(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(InUse, match=rf"new: another run uses it: process {process.pid} on ."), held(folder):
            pass
        process.kill()
    assert (folder / LOCK).exists()
    with held(folder):
        assert (folder / LOCK).read_text(encoding="utf-8").startswith(f"process {os.getpid()} ")
    assert list(folder.iterdir()) == []


def test_a_directory_can_be_waited_for(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(InUse), held(tmp_path, patience=0.1):
        pass
    with held(tmp_path, patience=0.1):
        pass


def test_what_is_far_away_is_not_locked() -> None:
    with held("hdfs://host/directory"), held("file:/nowhere"):
        pass


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnusableFile, match="file: it is not a directory"), held(tmp_path / "file"):
        pass
