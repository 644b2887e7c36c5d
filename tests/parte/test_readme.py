"""The commands and code of README.md do what it shows, and docs/commands.md lists every command and model.

Blocks are marked by a comment on the line before: `file: NAME` is that file of the example `door`, in a copy of which
the commands of `console` blocks and the code of `python` blocks run; `output` is what the code printed.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path

import pytest

from tests.parte.examples import Command

ROOT = Path(__file__).parents[2]
DOOR = ROOT / "parte" / "examples" / "door"
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"<!-- ([a-z]+)(?:: (\S+))? -->\n```\w*\n(.*?)```\n", README, re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [content for block_kind, _, content in BLOCKS if block_kind == kind]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example, and the file with a mistake that README describes."""
    shutil.copytree(DOOR, tmp_path, dirs_exist_ok=True)
    door = (tmp_path / "door.parte").read_text(encoding="utf-8")
    (tmp_path / "typo.parte").write_text(door.replace("opened : DoorOpened", "opened : DoorOpend"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_block_is_found() -> None:
    assert [kind for kind, _, _ in BLOCKS] == ["file", "console", "python", "output", "console"]


def test_it_is_short_and_shows_the_example() -> None:
    assert len(README.split()) <= 900
    assert blocks("file") == [(DOOR / "door.parte").read_text(encoding="utf-8")]
    assert "](docs/front.svg)" in README


@pytest.mark.usefixtures("directory")
def test_the_example_does_what_is_said_of_it(command: Command) -> None:
    """Of the picture, its caption, and the page of the example."""
    lines = re.findall(r"^parte (.*)$", (DOOR / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    results = {line: command(*line.split()) for line in lines}
    assert [result.code for result in results.values()] == [0, 0, 0, 0, 1]
    run, _, match, _, near = results.values()
    assert run.out == (DOOR / "expected.jsonl").read_text(encoding="utf-8")
    assert "nearest: b2 (12 seconds before opened, 2 seconds too early)" in match.out
    assert "filled by b1 (4 seconds before opened, 4 seconds inside)" in near.out


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("block", blocks("console"))
def test_commands(command: Command, block: str) -> None:
    said = ""
    for line in re.findall(r"^\$ parte (.*)$", block, re.MULTILINE):
        result = command(*line.split())
        said += f"$ parte {line}\n{result.out}{result.err}"
    assert said == block


@pytest.mark.usefixtures("directory")
def test_python() -> None:
    printed = io.StringIO()
    (code,), (expected,) = blocks("python"), blocks("output")
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue() == expected


def test_every_command_is_in_the_table(command: Command) -> None:
    overview = command("--help").out.split("Commands:")[1]
    listed = re.findall(r"^\| `parte ([a-z]+)", COMMANDS, re.MULTILINE)
    assert set(listed) == {line.split()[0] for line in overview.splitlines() if re.match(r" {2}[a-z]", line)}


def test_every_model_is_in_the_table() -> None:
    import parte

    listed = re.findall(r"^\| `([a-z]+)` \| (?:the|what)", COMMANDS, re.MULTILINE)
    assert set(parte.MODEL_NAMES) == set(listed)
