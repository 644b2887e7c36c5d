"""`parte explore`."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from time import process_time

import pytest

from parte import terminal
from tests.parte.examples import Command

Files = tuple[Path, Path]


def test_sound_is_confluent(command: Command, pair: Files) -> None:
    result = command("explore", *pair)
    assert (result.code, result.err) == (0, "")
    assert "all visited; 1 final state" in result.out
    assert "confluent: yes; every schedule finds the 1 match of the algebra" in result.out
    assert "blocked: never" in result.out
    assert "join:Pair.b" in result.out


def test_two_schedules_with_two_results_are_both_shown(command: Command, pair: Files) -> None:
    result = command("explore", *pair, "--model", "published")
    assert (result.code, result.err) == (1, "")
    assert "confluent: no, there are 2 results" in result.out
    assert "result 1: 0 matches, after" in result.out
    assert "result 2: 1 match, those of the algebra, after" in result.out
    assert "PROC join:Pair.b right: PARTE/JOIN-RIGHT on <b1; 1>" in result.out


def test_repairs(command: Command, pair: Files) -> None:
    assert command("explore", *pair, "--without", "expire-by-lifetime").code == 1
    assert command("explore", *pair, "--model", "published", "--repair", "expire-by-lifetime").code == 0


def test_a_blocked_state_and_the_shortest_way_to_it(command: Command, pair: Files, tmp_path: Path) -> None:
    limits = tmp_path / "limits.json"
    limits.write_text('{"default": {"inbox": 1, "outbox": 1}, "nodes": {"join:Pair.b": {"left": 0, "right": 0}}}')
    result = command("explore", *pair, "--capacities", limits)
    assert result.code == 3
    assert "blocked: yes, after" in result.out
    assert "waits for room in its left history" in result.out
    assert "0 of 0" in result.out


def test_the_limit_is_said_loudly(command: Command, pair: Files) -> None:
    result = command("explore", *pair, "--max-states", "20")
    assert result.code == 4
    assert "NOT ALL VISITED" in result.out
    assert "the limit of 20 states or of 60 s was reached" in result.err


LARGE = """
template A { k: Integer }
template B { k: Integer }
template C { k: Integer }
rule One where a: A, b: B, c: C when b in a [0 ms, 9 ms] c in b [-9 ms, 9 ms] then
rule Two where a: A, b: B, no c: C when b in a [0 ms, 9 ms] no c in b [-9 ms, 9 ms] then
rule Three where c: C, b: B, no a: A when b in c [0 ms, 9 ms] no a in b [-9 ms, 9 ms] then
"""


@pytest.fixture
def large(tmp_path: Path) -> Files:
    """Three rules and twelve events, whose schedules nobody visits."""
    program, trace = tmp_path / "large.parte", tmp_path / "large.jsonl"
    program.write_text(LARGE)
    lines = (
        f'{{"id": "e{n}", "template": "{"ABC"[n % 3]}", "timestamp": {n}, "source": "s{n % 3}", '
        f'"attributes": {{"k": {n}}}}}\n'
        for n in range(12)
    )
    trace.write_text("".join(lines))
    return program, trace


def test_what_does_not_fit_into_the_time_is_said(command: Command, large: Files) -> None:
    result = command("explore", *large, "--time", "0.5")
    assert result.code == 4
    assert "the limit of 500000 states or of 0.5 s was reached" in result.err
    first, visited, confluent, blocked, *_ = result.out.splitlines()
    assert first == "sound: NOT ALL VISITED: the search stopped before the end; what every schedule finds is not known"
    assert re.fullmatch(r"visited: [\d,]+ states, 0 final states; drawn besides: [\d,]+ schedules?", visited)
    ended = r"every one of the [\d,]+ drawn schedules? finds the \d+ matches of the algebra"
    assert re.fullmatch(f"confluent: not known; ({ended}|no schedule was followed to its end)", confluent)
    assert blocked == "blocked: not known; never so far"


def test_one_schedule_of_a_long_trace_takes_no_longer_than_the_time(command: Command, tmp_path: Path) -> None:
    """Neither a schedule that is drawn, nor the algebra, when there is nothing to compare with it."""
    program, trace = tmp_path / "p.parte", tmp_path / "t.jsonl"
    program.write_text(LARGE.replace("9 ms", "9 minutes"))
    lines = (
        f'{{"template": "{"ABC"[n % 3]}", "timestamp": {n}, "source": "s{n % 3}", "attributes": {{"k": {n}}}}}\n'
        for n in range(400)
    )
    trace.write_text("".join(lines))
    begun = process_time()
    result = command("explore", program, trace, "--time", "1", "--json")
    assert result.code == 4
    report = json.loads(result.out)
    assert (report["drawn"], report["results"], report["expected"]) == (0, [], None)
    assert process_time() - begun < 5


def test_where_not_all_is_visited_schedules_are_drawn(command: Command, pair: Files) -> None:
    limits = ("--max-states", "5", "--time", "600")
    sound = json.loads(command("explore", *pair, *limits, "--json").out)
    assert (sound["truncated"], sound["drawn"], sound["agrees"], len(sound["results"])) == (True, 1000, True, 1)
    published = command("explore", *pair, *limits, "--model", "published")
    assert published.code == 1
    assert published.out.startswith("published: NOT ALL VISITED: the search stopped at the limit of 5 states\n")
    assert "drawn besides: 1,000 schedules" in published.out
    assert "confluent: no, there are 2 results" in published.out


def test_what_was_found_before_an_interruption_is_shown(
    command: Command, large: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes as an exception, wherever the search is; here in its second word about itself."""
    words: list[str] = []

    def interrupting(line: str) -> None:
        words.append(line)
        if len(words) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "telling", lambda: nullcontext(interrupting))
    result = command("explore", *large)
    assert result.code == 130
    assert "NOT ALL VISITED: the search stopped by an interruption" in result.out
    assert "drawn besides: 0 schedules\nconfluent: not known; no schedule was followed to its end\n" in result.out
    assert "the search was interrupted; what was not found may still exist" in result.err
    assert words[0].startswith("states visited: ")


def test_the_unreduced_search_finds_the_same(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "p.parte", tmp_path / "t.jsonl"
    program.write_text(
        "template A { k: Integer }\ntemplate B { k: Integer }\nrule R where a: A, b: B when b in a [0 ms, 1 ms] then"
    )
    trace.write_text(
        '{"template":"A","timestamp":0,"attributes":{"k":1}}\n{"template":"B","timestamp":1,"attributes":{"k":1}}\n'
    )
    records = [
        json.loads(command("explore", program, trace, "--json", *options).out) for options in ((), ("--no-reduction",))
    ]
    for key in ("confluent", "agrees", "final_states", "occupancy", "expected", "blocked"):
        assert records[0][key] == records[1][key]
    assert records[0]["states"] * 20 < records[1]["states"]
    assert records[1]["box_states"] == 0


@pytest.mark.parametrize("model", ["algebra", "indexed"])
def test_only_machines_have_schedules(command: Command, pair: Files, model: str) -> None:
    result = command("explore", *pair, "--model", model)
    assert (result.code, result.out) == (2, "")
    assert "give sound, published or rudimentary" in " ".join(result.err.split())


def test_the_limit_is_at_least_one(command: Command, pair: Files) -> None:
    assert command("explore", *pair, "--max-states", "0").code == 2
