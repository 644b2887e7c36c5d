"""`--variant`: what docs/variants.md shows is what happens, and what does not go together is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parte.proofs.partelang.variants import VARIANTS
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
        said = re.sub(
            r"\d+\.\d+ s",
            "… s",
            "\n".join(printed_line.rstrip() for printed_line in (result.out + result.err).splitlines()),
        )
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


OWN = """
from parte import Variant
from parte.semantics.partelang.rules.premises import expire_left

def expire(repairs, history, bound):
    {}

OWN = Variant("own", "errs", {{expire_left: expire}})
"""
RAISED = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "raise SystemExit(0)": "SystemExit: 0",
    "raise EOFError": "EOFError",
    "open('/nowhere')": "FileNotFoundError",
    "import typer; raise typer.Exit(0)": "Exit: 0",
    "raise ValueError('a\\x1b[2J')": "ValueError: a\ufffd[2J",
}


@pytest.mark.parametrize("statement", RAISED)
@pytest.mark.parametrize("name", ["run", "compare", "explore", "engine", "prove"])
def test_what_a_variant_raises_when_it_is_read(
    command: Command, pair: tuple[Path, Path], tmp_path: Path, statement: str, name: str
) -> None:
    file = tmp_path / "own.py"
    file.write_text(f"\n\n{statement}\n", encoding="utf-8")
    inputs = () if name in ("engine", "prove") else pair
    result = command(name, *inputs, "--variant", file)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {file}:3: the variant raises {RAISED[statement]}")


@pytest.mark.parametrize("statement", RAISED)
@pytest.mark.parametrize("name", ["run", "run -", "run --schedule random", "compare", "explore", "experiment"])
def test_what_a_variant_raises_while_it_runs(
    command: Command, pair: tuple[Path, Path], tmp_path: Path, statement: str, name: str
) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN.format(statement), encoding="utf-8")
    word, *more = name.split()
    inputs: tuple[object, ...] = (pair[0], "-") if more == ["-"] else (*pair, *more)
    if word == "experiment":
        inputs = ("reactivity", "--small", "--out", tmp_path)
    result = command(word, *inputs, "--variant", file, stdin=pair[1].read_bytes())
    assert (result.code, result.out) == (2, "")
    assert f"error: {file}:6: the variant raises {RAISED[statement]}" in result.err
    assert current() is None


def test_what_a_variant_that_cannot_be_parsed_is_told_with_its_line(
    command: Command, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text("x = 1\ny = (\n", encoding="utf-8")
    result = command("run", *pair, "--variant", tmp_path / "own.py")
    assert result.code == 2
    assert f"error: {tmp_path}/own.py:2: the variant raises SyntaxError: '(' was never closed" in result.err


def test_results_of_a_variant_that_the_machine_cannot_use(
    command: Command, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN.format("return None"), encoding="utf-8")
    result = command("run", *pair, "--variant", file)
    assert result.code == 2
    assert f"error: {file}:5: with this variant there is AttributeError: 'NoneType'" in result.err


def test_an_engine_and_a_lemma_say_what_a_variant_raises(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN.format("raise SystemExit(0)"), encoding="utf-8")
    text = "template A {} rule R where a : A, b : A when b in a [0 ms, 9 ms]"
    load = '{"seq":1,"request":"load","program":{"text":"' + text + '"}}\n'
    events = '{"seq":2,"request":"run","trace":[{"template":"A","timestamp":1}]}\n'
    result = command("engine", "--variant", file, stdin=load + events)
    assert result.code == 2, result
    assert f"error: {file}:6: the variant raises SystemExit: 0" in result.err
    file.write_text(OWN.format("1 / 0"), encoding="utf-8")
    result = command("prove", "expiry-left-prompt-1", "--variant", file, COLUMNS="300")
    assert result.code == 1
    assert "ZeroDivisionError: division by zero" in result.out  # one of what the lemma is refuted by
