"""What README.md shows is what really happens.

Blocks are marked by a comment on the line before: `file: NAME` is written to a directory, in which the commands of
`console` blocks and the code of `python` blocks run; `output` is what the code printed; `demo` is an excerpt of the
demo and `check: NAME` one of what the checker says of that fraud example.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from tests.parte.examples import Command

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"<!-- ([a-z]+)(?:: (\S+))? -->\n```\w*\n(.*?)```\n", README, re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [content for block_kind, _, content in BLOCKS if block_kind == kind]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files that README shows, and the one that it describes."""
    for kind, name, content in BLOCKS:
        if kind == "file":
            (tmp_path / name).write_text(content, encoding="utf-8")
    door = (tmp_path / "door.parte").read_text(encoding="utf-8")
    (tmp_path / "typo.parte").write_text(door.replace("opened : DoorOpened", "opened : DoorOpend"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_block_is_found() -> None:
    kinds = ["demo", "file", "file", "console", "python", "output", "console", "check", "check"]
    assert [kind for kind, _, _ in BLOCKS] == kinds


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


def test_the_demo(command: Command) -> None:
    output = "\n".join(line.rstrip() for line in command("demo").out.splitlines())
    (excerpt,) = blocks("demo")
    assert excerpt in output


@pytest.mark.parametrize(("name", "excerpt"), [(name, content) for kind, name, content in BLOCKS if kind == "check"])
def test_what_the_checker_says(command: Command, monkeypatch: pytest.MonkeyPatch, name: str, excerpt: str) -> None:
    monkeypatch.chdir(ROOT)
    result = command("check", f"examples/fraud/{name}.parte")
    assert excerpt in result.out + result.err


def test_paths_exist() -> None:
    for path in re.findall(r"^\| `([a-z_/]+/)` \|", README, re.MULTILINE):
        assert (ROOT / path).is_dir(), path


def test_every_command_is_in_the_table(command: Command) -> None:
    overview = command("--help").out.split("Commands:")[1]
    listed = re.findall(r"^\| `parte ([a-z]+)", README, re.MULTILINE)
    assert set(listed) == {line.split()[0] for line in overview.splitlines() if re.match(r" {2}[a-z]", line)}


def test_every_model_is_in_the_table() -> None:
    import parte

    listed = re.findall(r"^\| `([a-z]+)` \| (?:the|what)", README, re.MULTILINE)
    assert set(parte.MODEL_NAMES) == set(listed)
