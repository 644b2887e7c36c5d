"""The example `detections`: its commands do what its README says, and its job runs the same commands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.parte.examples import Command

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "detections"
RULES = sorted(path.stem for path in FOLDER.glob("rules/*.cases"))


@pytest.fixture
def copied(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert command("examples", "detections", "--out", tmp_path).code == 0
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_of_the_readme(command: Command, copied: Path) -> None:
    lines = re.findall(r"^parte (.*)$", (copied / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    *passing, refuted = [command(*shlex.split(line)) for line in lines]
    assert [line.split()[0] for line in lines] == ["log", "run", "compare", "check", "check", "test", "check"]
    assert [result.code for result in passing] == [0] * 6
    log, run, _, check, scheduled, test = passing
    assert re.findall(r"(\d+) +(left out: .*|rejected: .*)", log.out + log.err) == [
        ("1", "left out: of no template"),
        ("1", "left out: there twice"),
        ("1", "rejected: it is not JSON"),
    ]
    assert run.out == (copied / "expected.jsonl").read_text(encoding="utf-8")
    assert "nothing to report" in check.out
    assert re.findall(r"^  (seen-by-a-run|reports-stay-true) +(\w+)", scheduled.out, re.MULTILINE) == [
        ("seen-by-a-run", "proved"),
        ("reports-stay-true", "proved"),
    ]
    assert len(RULES) == 5
    assert re.findall(r"^rules/(.*)\.parte: (\d+) edits of rules: \2 noticed$", test.out, re.MULTILINE) == [
        (rule, edits) for rule, edits in zip(RULES, ["9", "10", "8", "10", "9"], strict=True)
    ]
    assert refuted.code == 1
    places = re.findall(r"^rules/(.*)\.parte:\d+:\d+: error\[(.*?)\]", refuted.out, re.MULTILINE)
    assert sorted(places) == [("ignored-alert", "refuted-report"), ("mass-download", "refuted-report")]


def test_every_rule_matches_the_log_and_no_rule_is_left_out() -> None:
    matches = (FOLDER / "expected.jsonl").read_text(encoding="utf-8")
    for name in RULES:
        text = (FOLDER / "rules" / f"{name}.parte").read_text(encoding="utf-8")
        (rule,) = re.findall(r"^rule (\w+)", text, re.MULTILINE)
        assert matches.count(f'"rule":"{rule}"') == 1
    imported = re.findall(r'^import "(.*)\.parte"', (FOLDER / "rules" / "all.parte").read_text("utf-8"), re.MULTILINE)
    assert sorted(imported) == RULES


def test_programs_are_formatted(command: Command) -> None:
    for path in FOLDER.glob("rules/*.parte"):
        assert command("fmt", "--check", path).code == 0


def test_the_job_passes(command: Command, copied: Path) -> None:
    job = yaml.safe_load((copied / "rules.yml").read_text(encoding="utf-8"))["jobs"]["rules"]
    lines = [step["run"] for step in job["steps"] if step.get("run", "").startswith("parte ")]
    assert [command(*shlex.split(line)[1:]).code for line in lines] == [0, 0, 0, 0]
    assert (copied / "tests.xml").exists()


def test_a_lookback_that_is_too_short_is_refuted_as_the_tutorial_says(command: Command) -> None:
    result = command("check", FOLDER / "rules" / "borrowed-key.parte", "--every", "5m", "--lookback", "12m")
    assert result.code == 1
    assert "error[unseen-match]" in result.out
