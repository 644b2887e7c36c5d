"""The recipes of docs/cookbook.md, which are programs of examples, find what they are for and not what is near it."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path

import pytest

import parte
from docs.cookbook_page import EXAMPLES, Example, Loaded, Near, parts
from parte import terminal
from parte.semantics.events.problems import TraceError
from tests.parte.examples import Command

EACH = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example.folder.name))
RECIPES = {example: parts(example.text)[1] for example in EXAMPLES}
NEAR = [(example, near) for example, recipes in RECIPES.items() for recipe in recipes for near in recipe.near]


@cache
def loaded(example: Example) -> Loaded:
    return example.loaded()


def test_there_are_as_many_as_promised() -> None:
    titles = [recipe.title for recipes in RECIPES.values() for recipe in recipes]
    assert len(titles) == len(set(titles)) >= 20
    assert all(len(recipes) >= 5 for recipes in RECIPES.values())


@EACH
@pytest.mark.parametrize("model", ["algebra", "indexed", "duckdb", "sound"])
def test_every_model_finds_what_is_expected(example: Example, model: str) -> None:
    it = loaded(example)
    matches = parte.run(it.program, it.trace, model=model, domain=it.domain, disorder=example.lag)
    expected = (example.folder / "expected.jsonl").read_text(encoding="utf-8").splitlines()
    assert [match.to_json() for match in matches] == expected


@EACH
def test_every_rule_finds_something_and_has_a_near_miss(example: Example) -> None:
    rules = {rule.name for rule in loaded(example).program.rules}
    assert {match.rule for match in loaded(example).matches} == rules
    assert {near.rule for recipe in RECIPES[example] for near in recipe.near} == rules


@pytest.mark.parametrize(("example", "near"), NEAR, ids=[f"{near.rule}-{near.kind}" for _, near in NEAR])
def test_a_near_miss_fails_the_one_demand_that_it_names(example: Example, near: Near) -> None:
    assert loaded(example).failing(near) == [(near.kind, near.variable)]


@EACH
def test_the_commands_of_its_readme(
    command: Command, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a copy, as the page says. `parte check` reports only that it cannot decide what functions of Strings do.

    `parte compare` tries one of its ten seeded schedules here, for it takes longest.
    """
    assert command("examples", example.folder.name, "--out", tmp_path).code == 0
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^parte (.*)$", (tmp_path / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [line.split()[0] for line in lines] == ["run", "compare", "check", "timeline", "why"]
    fewer = {"compare": ["--schedules", "1"]}
    said = {line.split()[0]: command(*shlex.split(line), *fewer.get(line.split()[0], ())) for line in lines}
    undecided = {"check": terminal.OPEN} if "was not decided" in said["check"].out else {}
    assert {name: result.code for name, result in said.items() if result.code} == {"why": 1, **undecided}
    assert said["run"].out == (tmp_path / "expected.jsonl").read_text(encoding="utf-8")
    assert set(re.findall(r": (\w+\[[a-z-]+\]): (?!.*was not decided)", said["check"].out)) == set()
    assert len(re.findall(r"^    NO ", said["why"].out, re.MULTILINE)) == 1
    assert (tmp_path / "timeline.svg").exists()


def test_late_data_needs_the_disorder_that_the_message_names() -> None:
    it = loaded(EXAMPLES[-1])
    with pytest.raises(TraceError, match="--disorder '80 seconds'"):
        parte.run(it.program, it.trace)
    assert tuple(parte.run(it.program, it.trace, disorder=80_000)) == it.matches


@pytest.mark.parametrize("line", ["Nearly: it was close.", "Nearly: R(a=x), order of a: late.", "Nearly: R(a=x)."])
def test_a_near_miss_that_names_no_demand_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="expected 'Nearly: Rule"):
        parts(f"// --- Title ---\n// {line}\n\nrule R where a : A\n")
