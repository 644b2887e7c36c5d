"""`--variant`: what docs/variants.md shows is what happens, and what does not go together is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parte.proofs.parte.variants import VARIANTS
from parte.proofs.variants import current
from tests.parte.examples import Command

PAGE = (Path(__file__).parents[2] / "docs" / "variants.md").read_text(encoding="utf-8")
FILES = re.findall(r"^`(\S+)`:\n\n```\w*\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
CONSOLES = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", CONSOLES, ids=lambda block: block.splitlines()[0][2:])
def test_the_page_shows_what_happens(
    block: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in FILES:
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for line, expected in re.findall(r"^\$ parte (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        result = command(*line.replace("'", "").split())
        said = re.sub(r"\d+\.\d+ s", "… s", "\n".join(each.rstrip() for each in (result.out + result.err).splitlines()))
        for part in expected.split("…\n"):
            assert part.rstrip() in said


def test_the_page_names_every_variant() -> None:
    assert all(f"| `{variant.name}` | {variant.description} |" in PAGE for variant in VARIANTS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--variant", "eager-expirie"), "did you mean eager-expiry?"),
        (("run", "--variant", "none.py"), "there is no file none.py"),
        (("run", "--variant", "eager-expiry", "--model", "algebra"), "does not go with the model algebra"),
        (("explore", "--variant", "eager-expiry", "--model", "published"), "does not go with the model published"),
    ],
)
def test_what_does_not_go_together(
    command: Command, pair: tuple[Path, Path], arguments: tuple[str, ...], said: str
) -> None:
    result = command(arguments[0], *pair, *arguments[1:])
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert current() is None


@pytest.mark.parametrize(
    "arguments", [("experiment", "all"), ("prove", "--controls"), ("prove", "--model", "published")]
)
def test_what_takes_none(command: Command, arguments: tuple[str, ...]) -> None:
    result = command(*arguments, "--variant", "late-expiry")
    assert result.code == 2
    assert "--variant" in result.err
