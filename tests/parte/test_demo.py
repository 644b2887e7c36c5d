"""`parte demo`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from parte.commands import demo as module
from tests.parte.examples import FRAUD, Command


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The example, to be changed."""
    return Path(shutil.copytree(FRAUD, tmp_path / "fraud"))


@pytest.mark.parametrize("columns", [80, 120])
def test_the_demo_shows_what_is_found(command: Command, columns: int) -> None:
    result = command("demo", "--directory", FRAUD, COLUMNS=str(columns))
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    printed = [line for line in lines if not line.startswith("  parte ") and "--domain" not in line]
    assert max(map(len, printed)) <= columns
    assert result.out.count("Both agree: ") == 4
    for verdict in ("3 matches.", "6 matches.", "2 matches.", "0 matches."):
        assert f"Both agree: {verdict}" in result.out
    rows = [line.split() for line in lines]
    assert ["t2", "t10", "found", "found"] in rows
    assert ["t4", "t6", "t9", "t200", "found", "found"] in rows
    assert ["t13", "t5003", "claim", "found", "found"] in rows
    assert "22 events" in result.out
    assert "11 of the 11 matches missing" in " ".join(result.out.split())
    assert "PARTE/JOIN-RIGHT (D §5.4.6)" in result.out
    assert "missing" not in [word for row in rows[:-25] for word in row]


def test_the_numbers_are_computed(command: Command, copy: Path) -> None:
    trace = copy / "trace.jsonl"
    lines = trace.read_text(encoding="utf-8").splitlines(keepends=True)
    trace.write_text("".join(line for line in lines if '"t201"' not in line), encoding="utf-8")
    result = command("demo", "--directory", copy)
    assert result.code == 0
    assert "21 events" in result.out
    assert "Both agree: 1 match." in result.out
    assert "10 of the 10 matches missing" not in result.out
    assert "9 of the 9 matches missing" in " ".join(result.out.split())


def test_a_difference_would_be_shown(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = module._findings

    def broken(*arguments: object) -> module.Findings:
        findings = honest(*arguments)  # type: ignore[arg-type] # passed on as they come
        return module.Findings(findings.algebra, findings.machine[1:])

    monkeypatch.setattr(module, "_findings", broken)
    result = command("demo", "--directory", FRAUD)
    assert result.code == 1
    assert "They differ: the algebra has 6 matches, the machine 5 matches." in result.out
    assert "missing" in result.out
    assert "do not agree" in result.out


def test_the_example_is_found_from_anywhere_in_a_checkout(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("demo").code == 0
    monkeypatch.chdir(FRAUD.parents[1])
    assert "parte run examples/fraud/scenarios.parte" in command("demo").out


def test_what_to_type_is_what_a_shell_finds(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / ".venv" / "bin"
    place.mkdir(parents=True)
    (place / "parte").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(place / "parte"), "demo"])
    monkeypatch.setenv("PATH", "/usr/bin")
    assert "\n  .venv/bin/parte run " in command("demo").out
    monkeypatch.setenv("PATH", str(place))
    assert "\n  parte run " in command("demo").out


def test_the_example_is_missing(command: Command, tmp_path: Path) -> None:
    result = command("demo", "--directory", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert f"the example was not found in {tmp_path}" in result.err
    assert "--directory" in result.err


def test_a_broken_example(command: Command, copy: Path) -> None:
    (copy / "trace.jsonl").write_text("nonsense\n", encoding="utf-8")
    result = command("demo", "--directory", copy)
    assert result.code == 2
    assert f"{copy / 'trace.jsonl'}:1: " in result.err


def test_a_trace_that_breaks_its_promises(command: Command, copy: Path) -> None:
    lines = (copy / "trace.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (copy / "trace.jsonl").write_text("".join(reversed(lines)), encoding="utf-8")
    result = command("demo", "--directory", copy)
    assert result.code == 2
    assert "and comes after it" in result.err
    assert "`parte examples fraud --out DIR` writes the trace" in result.err
