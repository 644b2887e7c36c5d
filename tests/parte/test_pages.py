"""What pages of the documentation show is what really happens.

Blocks are marked by a comment on the line before: `file: NAME` is written to a directory, in which the commands of
`console` blocks and the code of `python` blocks run, in the order of the page; `output` is what the code printed; the
commands of an `action` have the options that they are given.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
import yaml

from parte.languages.registry import languages, missing
from tests.guests import is_absent
from tests.parte.examples import Command

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    page.name: re.findall(r"<!-- ([a-z]+)(?:: (\S+))? -->\n```\w*\n(.*?)```\n", page.read_text("utf-8"), re.DOTALL)
    for page in sorted(DOCS.glob("*.md"))
}
PROGRAMS = {language.ending for language in languages()}
DATA = {".json", ".jsonl", ".csv", ".parquet", ".py", ".toml", ".yml", ".sh", ""}


def is_of_deleted_guest(name: str) -> bool:
    """Return whether a file has the ending of programs of a language that is registered and was deleted."""
    return bool(missing()) and Path(name).suffix not in PROGRAMS | DATA


SHOWING = {
    name: blocks
    for name, blocks in PAGES.items()
    if any(kind == "console" for kind, _, _ in blocks)
    if not is_absent(" ".join([name, *(part for _, file, content in blocks for part in (file, content))]))
    if not any(is_of_deleted_guest(file) for kind, file, _ in blocks if kind == "file")
}


def test_pages_are_found() -> None:
    guests = {f"{language.name.lower()}-tutorial.md" for language in languages()[1:]}
    assert {"tutorial.md", "level-2-tutorial.md", *guests} <= SHOWING.keys()


@pytest.mark.parametrize("page", SHOWING)
def test_a_page_shows_what_happens(
    command: Command, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = ""
    for kind, name, content in SHOWING[page]:
        match kind:
            case "file":
                Path(name).write_text(content, encoding="utf-8")
            case "console":
                assert _untimed(_said(command, content)) == _untimed(content)
            case "python":
                stream = io.StringIO()
                with contextlib.redirect_stdout(stream):
                    exec(compile(content, page, "exec"), {})
                printed = stream.getvalue()
            case "output":
                assert printed == content
            case "action":
                for step in (step for job in yaml.safe_load(content)["jobs"].values() for step in job["steps"]):
                    if (words := step.get("run", "").split())[:1] == ["parte"]:
                        options = command(words[1], "--help").out
                        assert all(word in options for word in words if word.startswith("--"))
            case _:
                raise AssertionError(f"{page} has a block of kind {kind}")


def _untimed(said: str) -> str:
    """Without the figures of a clock, which differ from run to run, and without blanks at the ends of lines."""
    said = re.sub(r" +\n", "\n", said)
    return re.sub(r"\([\d.]+ s\)\n", "(… s)\n", re.sub(r"[\d.]+ s of [\d.]+ s\n", "… s of … s\n", said))


def _said(command: Command, block: str) -> str:
    said = ""
    for line in re.findall(r"^\$ parte (.*)$", block, re.MULTILINE):
        result = command(*shlex.split(line))
        said += f"$ parte {line}\n{result.out}{result.err}"
    return said
