"""The commands for programs of ETALIS."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import parte
from tests.parte.examples import Command

FOLDER = Path(__file__).parents[2] / "examples" / "bakery"
PROGRAM, TRACE = str(FOLDER / "oven.etalis"), str(FOLDER / "trace.jsonl")
EXPECTED = (FOLDER / "expected.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", ["definition", "algebra", "sound"])
def test_the_example_finds_what_its_page_says(command: Command, model: str) -> None:
    found = command("run", PROGRAM, TRACE, "--model", model)
    assert (found.code, found.out) == (0, EXPECTED)
    page = (FOLDER.parents[1] / "docs" / "etalis.md").read_text(encoding="utf-8")
    assert Path(PROGRAM).read_text(encoding="utf-8") in page
    assert EXPECTED in page


def test_from_python() -> None:
    program = parte.etalis.parse(Path(PROGRAM).read_text(encoding="utf-8"))
    instants = parte.etalis.stream(program, Path(TRACE).read_text(encoding="utf-8").splitlines())
    found = list(parte.etalis.run(program, instants))
    assert found == parte.etalis.define(program, instants)
    assert [each.name for each in found] == [json.loads(line)["event"] for line in EXPECTED.splitlines()]


def test_policies_and_readings(command: Command) -> None:
    assert command("run", PROGRAM, TRACE, "--policy", "recent").out == EXPECTED
    exactly = command("run", PROGRAM, TRACE, "--reading", "lasting=exactly").out
    assert "rushed" in EXPECTED
    assert "rushed" not in exactly
    agreed = command("compare", PROGRAM, TRACE, "--policy", "chronological")
    assert (agreed.code, agreed.out) == (0, "sound agrees with definition (6 matches)\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "newest"], "policy: expected unrestricted, recent"),
        (["--reading", "lasting"], "expected NAME=VALUE"),
        (["--reading", "lasting=about"], "lasting: expected within, exactly, found about"),
        (["--policy", "recent", "--reading", "negation=intervals"], "a policy selects pairs"),
    ],
)
def test_what_there_is_not_is_told(command: Command, arguments: list[str], message: str) -> None:
    found = command("run", PROGRAM, TRACE, *arguments)
    assert found.code == 2
    assert message in " ".join(found.err.split())


def test_the_network_of_rules(command: Command) -> None:
    drawn = command("graph", PROGRAM)
    assert drawn.code == 0
    assert drawn.out.startswith("digraph etalis {")
    assert 'label="DURING"' in drawn.out
    assert "style=dashed" in drawn.out
