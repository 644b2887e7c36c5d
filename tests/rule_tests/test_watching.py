"""`parte test --watch`: what is watched, and a change runs the tests again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parte.rule_tests.discovery import Reader, files_below
from parte.rule_tests.watching import Stamps, changed, watched
from tests.parte.examples import Command

PROGRAM = "template A { k : Integer }\nrule R where a : A\n"
TESTS = (
    "program rules/r.parte\ncase one\n  trace a1@0(k=0)\n  expect 1 match\ncase two\n  log a.jsonl\n  expect no match\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules").mkdir()
    Path("rules/r.parte").write_text(PROGRAM, encoding="utf-8")
    Path("r.cases").write_text(TESTS, encoding="utf-8")
    Path("a.jsonl").write_text("", encoding="utf-8")
    Path("other.txt").write_text("", encoding="utf-8")
    return tmp_path


def stamps() -> Stamps:
    reader = Reader()
    return watched(["."], [reader.read(path) for path in files_below(["."])], [])


def test_what_is_watched() -> None:
    before = stamps()
    assert {path for path, stamp in before.items() if stamp != (0, 0)} == {"r.cases", "a.jsonl", "rules/r.parte"}
    assert changed(before, stamps()) == []
    Path("a.jsonl").write_text(" ", encoding="utf-8")
    Path("rules/imported.parte").write_text("level 2\n", encoding="utf-8")
    Path("more.cases").write_text("", encoding="utf-8")
    Path("other.txt").write_text("x", encoding="utf-8")
    assert changed(before, stamps()) == ["a.jsonl", "more.cases", "rules/imported.parte"]
    os.utime("rules/r.parte", (1, 1))
    Path("a.jsonl").unlink()
    assert "rules/r.parte" in changed(before, stamps())
    assert "a.jsonl" in changed(before, stamps())


def test_a_change_runs_the_tests_again() -> None:
    command = [sys.executable, "-u", "-m", "parte", "test", "--watch", "."]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None

            def lines_until(part: str) -> str:
                lines: list[str] = []
                while part not in (line := run.stdout.readline()):  # type: ignore[union-attr]  # it is there
                    assert line, lines
                    lines.append(line)
                return "".join(lines)

            assert "2 tests: 2 pass" in lines_until("Ctrl-C ends")
            Path("rules/r.parte").write_text(PROGRAM + "rule S where a : A\n", encoding="utf-8")
            lines_until("changed: rules/r.parte")
            assert "2 tests: 1 pass, 1 fail" in lines_until("Ctrl-C ends")
            Path("r.cases").rename("r.txt")
            lines_until("changed: r.cases")
            lines_until("Ctrl-C ends")
            Path("r.txt").rename("r.cases")
            lines_until("changed: r.cases")
            assert "2 tests: 1 pass, 1 fail" in lines_until("Ctrl-C ends")
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=60)
        finally:
            run.kill()
    assert run.returncode == 130
    assert "there are no tests in ." in errors
    assert "Traceback" not in errors


def test_what_is_wrong_at_first_ends_it(command: Command) -> None:
    assert command("test", "--watch", "nowhere").code == 2
    assert command("test", "--watch", "--json").code == 2
    assert command("test", "--watch", "--case", "no").code == 2
