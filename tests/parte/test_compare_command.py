"""`parte compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.parte.examples import FRAUD, Command

Files = tuple[Path, Path]
SCENARIOS = (FRAUD / "scenarios.parte", FRAUD / "trace.jsonl", "--domain", FRAUD / "domain.json")


def test_sound_agrees_with_the_algebra(command: Command) -> None:
    result = command("compare", *SCENARIOS, "--schedules", "4")
    assert (result.code, result.err) == (0, "")
    assert len(result.out.splitlines()) == 1
    assert result.out.startswith("sound agrees with the algebra")
    assert "11 matches" in result.out
    assert "under 5 schedules" in result.out


def test_a_difference_is_shown_down_to_its_first_step(command: Command, pair: Files) -> None:
    result = command("compare", *pair, "--model", "published")
    assert (result.code, result.err) == (1, "")
    assert "under the schedule round-robin" in result.out
    assert "missing (1):" in result.out
    assert '"bindings":{"a":"a1","b":"b2"}' in result.out
    assert "first contradicted step:" in result.out
    assert "PARTE/JOIN-RIGHT (D §5.4.6) at join:Pair.b, on the right token <b1; 1>" in result.out


def test_the_seed_of_the_schedule_is_named(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "silent.parte", tmp_path / "silent.jsonl"
    program.write_text(
        "template A { k: Integer } rule R where a: A, no b: A { k = 1 } when no b in a [0 ms, 0 ms] then"
    )
    lines = (f'{{"id": "a{n}", "template": "A", "timestamp": {n}, "attributes": {{"k": 0}}}}\n' for n in range(4))
    trace.write_text("".join(lines))
    result = command("compare", program, trace, "--model", "published", "--seed", "3")
    assert result.code == 1
    assert " with seed " in result.out
    assert "missing" in result.out


def test_a_blocked_machine_differs(command: Command, pair: Files, tmp_path: Path) -> None:
    limits = tmp_path / "limits.json"
    limits.write_text('{"nodes": {"join:Pair.b": {"left": 0, "right": 0}}}')
    result = command("compare", *pair, "--capacities", limits)
    assert result.code == 1
    assert "blocked: no step is possible and input is left" in result.out


def test_repairs(command: Command, pair: Files) -> None:
    assert command("compare", *pair, "--model", "published", "--repair", "expire-by-lifetime").code == 0
    assert command("compare", *pair, "--without", "expire-by-lifetime").code == 1


def test_json(command: Command, pair: Files) -> None:
    record = json.loads(command("compare", *pair, "--model", "published", "--json").out)
    assert record["agrees"] is False
    assert record["difference"]["contradictions"][0]["rule"] == "PARTE/JOIN-RIGHT"


@pytest.mark.parametrize("model", ["algebra", "indexed"])
def test_the_algebra_is_not_compared_with_itself(command: Command, pair: Files, model: str) -> None:
    result = command("compare", *pair, "--model", model)
    assert (result.code, result.out) == (2, "")
    assert "give sound, published or rudimentary" in " ".join(result.err.split())


def test_the_same_errors_as_run(command: Command, pair: Files, tmp_path: Path) -> None:
    late = tmp_path / "late.jsonl"
    late.write_text("".join(reversed(pair[1].read_text(encoding="utf-8").splitlines(keepends=True))), encoding="utf-8")
    result = command("compare", pair[0], late)
    assert result.code == 2
    assert f"{late}:2: event" in result.err
    assert command("compare", pair[0], late, "--disorder", "3 ms").code == 0
    assert command("compare", pair[0], tmp_path / "none").code == 2
    assert command("compare", *pair, "--schedules", "-1").code == 2
