"""`parte fuzz`, as people type it."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.parte.examples import Command

HOSTILE = Path(__file__).resolve().parents[1] / "conformance" / "hostile.py"


def test_an_engine_that_errs_nowhere(command: Command, tmp_path: Path) -> None:
    result = command("fuzz", "model:indexed", "--max-cases", 60, "--seed", 4, "--out", tmp_path / "out")
    assert result.code == 0, result.err
    assert re.search(
        r"indexed \(parte indexed [\d.]+\), seed 4: 60 cases, .* 0 divergent; ended after 60 cases", result.out
    )
    assert not (tmp_path / "out").exists()


def test_a_finding_is_shown_written_and_run_again(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "found"
    arguments = ("fuzz", "paper=model:published", "--seed", 1, "--findings", 1, "--out", out)
    result = command(*arguments, "--max-cases", 400)
    assert result.code == 1
    assert "paper: finding 1" in result.out
    assert "behaves like sound with all rules as published" in result.out
    assert re.search(r"contradicts the effect of PARTE/[A-Z-]+ \(D §5\.4", result.out)
    (path,) = (out / "fuzz").glob("*.cases")
    assert f"written: {path}" in result.out
    assert command("suite", "lint", "--suite", out).code == 0
    (again,) = re.findall(r"rerun: parte (.*)", result.out)
    rerun = command(*shlex.split(again))
    assert rerun.code == 1
    # The command that the report of that run gives leads to the same case, not to one of the project's suite.
    (once_more,) = re.findall(r"rerun: parte (.*)", rerun.out)
    assert once_more == again
    assert command(*shlex.split(again.replace("model:published", "model:sound"))).code == 0


def test_an_engine_that_does_not_start(command: Command, tmp_path: Path) -> None:
    result = command("fuzz", f"{sys.executable} {HOSTILE} crash-at-start", "--out", tmp_path)
    assert result.code == 2
    assert "exit code 1" in result.err
    assert "cannot find my configuration" in result.err


def test_findings_that_cannot_be_written(command: Command, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    engine = f"{sys.executable} {HOSTILE} crash"
    result = command("fuzz", engine, "--max-cases", 3, "--findings", 1, "--out", tmp_path / "taken")
    assert result.code == 2
    assert "cannot write" in result.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("model:sond",), "did you mean model:sound?"),
        (("model:sound", "--time", "0"), "--time"),
        (("model:sound", "--max-cases", "0"), "--max-cases"),
    ],
)
def test_what_cannot_be_tried(command: Command, arguments: tuple[str, ...], words: str) -> None:
    result = command("fuzz", *arguments, COLUMNS="200")
    assert result.code == 2
    assert words in result.err
