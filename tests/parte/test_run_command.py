"""`parte run`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from parte.semantics.partelang.repairs import repair_names
from tests.parte.examples import FRAUD, PAIR, PAIR_MATCH, PAIR_TRACE, Command

Files = tuple[Path, Path]
SCENARIOS = (FRAUD / "scenarios.parte", FRAUD / "trace.jsonl", "--domain", FRAUD / "domain.json")
EXPECTED = (FRAUD / "expected.jsonl").read_text(encoding="utf-8")


# --- Results ----------------------------------------------------------------------------------------------------------


def test_the_matches_and_nothing_else(command: Command, pair: Files) -> None:
    result = command("run", *pair)
    assert (result.code, result.out, result.err) == (0, PAIR_MATCH, "")


@pytest.mark.parametrize("model", ["algebra", "indexed", "sound"])
def test_the_fraud_example(command: Command, model: str) -> None:
    assert command("run", *SCENARIOS, "--model", model).out == EXPECTED


def test_the_printed_refund_scam_finds_nothing(command: Command) -> None:
    result = command("run", FRAUD / "refund-scam-as-printed.parte", FRAUD / "trace.jsonl")
    assert (result.code, result.out) == (0, "")


@pytest.mark.parametrize("schedule", ["round-robin", "random", "adversarial"])
def test_schedules(command: Command, schedule: str) -> None:
    assert command("run", *SCENARIOS, "--schedule", schedule).out == EXPECTED


def test_a_seed(command: Command) -> None:
    assert command("run", *SCENARIOS, "--schedule", "random", "--seed", "42").out == EXPECTED


def test_nodes_that_crash(command: Command, pair: Files) -> None:
    result = command("run", *pair, "--failures", "0.2", "--checkpoint", "2", "--seed", "1")
    assert (result.code, result.out) == (0, PAIR_MATCH)
    crashes, restorations, checkpoints = map(int, re.findall(r"\d+", result.err))
    assert crashes == restorations > 0 < checkpoints


def test_repairs_are_added_to_the_published_machine(command: Command, pair: Files) -> None:
    assert command("run", *pair, "--model", "published").out == ""
    assert command("run", *pair, "--model", "published", "--repair", "expire-by-lifetime").out == PAIR_MATCH
    every = [part for name in repair_names() for part in ("--repair", name)]
    assert command("run", *pair, "--model", "published", *every).out == PAIR_MATCH


def test_repairs_are_taken_from_the_sound_machine(command: Command, pair: Files) -> None:
    assert command("run", *pair, "--without", "expire-by-lifetime").out == ""
    assert command("run", *pair, "--without", "report-silence", "--without", "slot-per-side").out == PAIR_MATCH


def test_a_trace_on_standard_input(command: Command, pair: Files) -> None:
    assert command("run", pair[0], "-", stdin=PAIR_TRACE).out == PAIR_MATCH


def test_a_program_on_standard_input(command: Command, pair: Files) -> None:
    assert command("run", "-", pair[1], stdin=PAIR).out == PAIR_MATCH


def test_both_on_standard_input(command: Command) -> None:
    result = command("run", "-", "-", stdin=PAIR)
    assert result.code == 2
    assert "only one of PROGRAM and TRACE can be standard input" in result.err


def test_arguments_that_are_exchanged(command: Command, pair: Files) -> None:
    for result in (command("run", pair[1], pair[0]), command("run", "-", pair[0], stdin=PAIR_TRACE)):
        assert (result.code, result.out) == (2, "")
        assert "is a trace, and no program" in result.err
        assert "hint: PROGRAM comes first, then TRACE" in result.err


def test_disorder(command: Command, pair: Files, tmp_path: Path) -> None:
    late = tmp_path / "late.jsonl"
    late.write_text("".join(reversed(PAIR_TRACE.splitlines(keepends=True))), encoding="utf-8")
    refused = command("run", pair[0], late)
    assert refused.code == 2
    assert f"{late}:2: event" in refused.err
    assert "--disorder '3 ms'" in refused.err
    assert command("run", pair[0], late, "--disorder", "3 ms").out == PAIR_MATCH


def test_warnings_go_to_standard_error(command: Command, pair: Files) -> None:
    pair[0].write_text(PAIR + "template Unused {}\n", encoding="utf-8")
    result = command("run", *pair)
    assert (result.code, result.out) == (0, PAIR_MATCH)
    assert "warning[unused-template]" in result.err


def test_emissions_without_a_value_go_to_standard_error(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "p", tmp_path / "t"
    program.write_text(
        "template A { k : Integer } template B { k : Integer }\n"
        "rule R where a : A then emit B at a.timestamp with { k = a.k * 2 }\n",
        encoding="utf-8",
    )
    events = ({"template": "A", "timestamp": n, "attributes": {"k": 2**62}} for n in range(25))
    trace.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    for model in ("algebra", "sound"):
        result = command("run", program, trace, "--model", model)
        assert result.code == 0
        assert len(result.out.splitlines()) == 25
        assert "warning: R(a=e1): emission 1 emits nothing" in result.err
        assert "and 5 more emissions without a value" in result.err


# --- Blocked ----------------------------------------------------------------------------------------------------------


def test_blocked(command: Command, pair: Files, tmp_path: Path) -> None:
    limits = tmp_path / "limits.json"
    limits.write_text('{"nodes": {"join:Pair.b": {"left": 0, "right": 0}}}')
    result = command("run", *pair, "--capacities", limits)
    assert result.code == 3
    assert result.out == ""
    assert "blocked: no step is possible and input is left" in result.err
    assert (
        "join:Pair.b is blocked: token <a1; 0> on its left side, and 2 behind it, waits for room in its left history"
        in result.err
    )


def test_matches_found_before_the_machine_blocked_are_printed(command: Command, tmp_path: Path, pair: Files) -> None:
    limits = tmp_path / "limits.json"
    limits.write_text('{"nodes": {"join:Pair.b": {"left": 2, "right": 2}}}')
    more = [("B", 5), ("B", 5), ("A", 1), ("B", 5), ("A", 1)]
    lines = [json.dumps({"template": name, "timestamp": time, "attributes": {"k": 9}}) + "\n" for name, time in more]
    pair[1].write_text(PAIR_TRACE + "".join(lines), encoding="utf-8")
    result = command("run", *pair, "--capacities", limits)
    assert (result.code, result.out) == (3, PAIR_MATCH)


# --- What cannot be used ----------------------------------------------------------------------------------------------


def test_errors_of_a_program_are_shown_with_their_place(command: Command, pair: Files) -> None:
    pair[0].write_text("template A { k : Integer }\nrule R where a : A { j = 1, m = 2 }\n", encoding="utf-8")
    result = command("run", *pair)
    assert (result.code, result.out) == (2, "")
    lines = result.err.splitlines()
    assert lines[0].startswith(f"{pair[0]}:2:22: error[unknown-attribute]: ")
    assert lines[1:3] == ["    rule R where a : A { j = 1, m = 2 }", "                         ^"]
    assert lines[3].startswith("  hint: ")
    assert lines[-1] == f"{pair[0]}: 2 errors"


def test_errors_of_a_trace_are_shown_with_their_place(command: Command, pair: Files) -> None:
    pair[1].write_text(PAIR_TRACE + "nonsense\n" + '{"template":"A"}\n', encoding="utf-8")
    result = command("run", *pair)
    assert (result.code, result.out) == (2, "")
    assert f"{pair[1]}:5: " in result.err
    assert f'{pair[1]}:6: the key "timestamp" is missing' in result.err


def test_a_trace_that_does_not_fit_the_program(command: Command, pair: Files) -> None:
    pair[1].write_text('{"template":"Z","timestamp":1}\n', encoding="utf-8")
    result = command("run", *pair)
    assert result.code == 2
    assert f'{pair[1]}:1: event "e1": event of the template "Z", which the program does not declare' in result.err


@pytest.mark.parametrize("way", [(), ("--model", "algebra"), ("-",)], ids=["by lines", "whole", "standard input"])
def test_timestamps_in_seconds_are_doubted_and_change_nothing(
    command: Command, pair: Files, tmp_path: Path, way: tuple[str, ...]
) -> None:
    moved = [line.replace('"timestamp":', '"timestamp":177787440') for line in (PAIR_TRACE, PAIR_MATCH)]
    trace = tmp_path / "seconds.jsonl"
    trace.write_text(moved[0], encoding="utf-8")
    result = command("run", pair[0], *(way if "-" in way else (trace, *way)), stdin=moved[0])
    assert (result.code, result.out) == (0, moved[1])
    assert result.err.count("where milliseconds are meant") == 1
    assert "hint: write it as 17778744" in result.err


def test_errors_on_standard_input_are_named_so(command: Command, pair: Files) -> None:
    assert "<stdin>:1: " in command("run", pair[0], "-", stdin="nonsense\n").err
    assert "<stdin>:1: " in command("run", pair[0], "-", stdin=b"\xff\n").err


def test_a_line_without_end_on_standard_input(command: Command, pair: Files) -> None:
    result = command("run", pair[0], "-", "--model", "algebra", stdin="x" * (2**20 + 5) + "\n" + "nonsense\n")
    assert "<stdin>:1: the line is longer than" in result.err
    assert "<stdin>:2: " in result.err
    assert "<stdin>:3: " not in result.err


def test_a_domain_that_is_missing(command: Command) -> None:
    result = command("run", FRAUD / "scenarios.parte", FRAUD / "trace.jsonl")
    assert result.code == 2
    assert "--domain: predicate uncommon_route(String, String) is declared by the program" in result.err


def test_a_domain_that_cannot_be_read(command: Command, pair: Files, tmp_path: Path) -> None:
    domain = tmp_path / "d.json"
    domain.write_text('{\n"odd": 3}')
    result = command("run", *pair, "--domain", domain)
    assert result.code == 2
    assert f"{domain}: predicate odd: expected an object" in result.err
    domain.write_text('{"odd": {"true_for": []}}')
    assert f"{domain}: predicate odd is supplied, but" in command("run", *pair, "--domain", domain).err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expected an object with the keys"),
        ('{"default": {"left": -1}}', "default: left: expected a whole number from 0, found -1"),
        ('{"nodes": {"join:Pair.c": {}}}', "no node of the program is called 'join:Pair.c'; did you mean join:Pair.b?"),
        ('{"nodes": {"x": {}}}', "parte graph shows the nodes"),
    ],
)
def test_capacities_that_cannot_be_used(
    command: Command, pair: Files, tmp_path: Path, content: str, message: str
) -> None:
    limits = tmp_path / "limits.json"
    limits.write_text(content)
    result = command("run", *pair, "--capacities", limits)
    assert result.code == 2
    assert result.err.startswith(f"error: {limits}: ")
    assert message in result.err


def test_files_that_cannot_be_read(command: Command, pair: Files, tmp_path: Path) -> None:
    missing, folder = tmp_path / "no.parte", tmp_path / "nowhere" / "no.parte"
    for arguments in (
        (missing, pair[1]),
        (pair[0], missing),
        (*pair, "--domain", missing),
        (*pair, "--capacities", missing),
    ):
        result = command("run", *arguments)
        assert (result.code, result.out) == (2, "")
        assert f"error: cannot read {missing}: No such file or directory" in result.err
        assert f"there is no such file in {tmp_path}; check the name" in result.err
    near = pair[1].with_name("piar.jsonl")
    hint = f"there is no such file in {tmp_path}; did you mean {pair[1].name}?"
    assert hint in command("run", pair[0], near).err
    assert f"there is no directory {folder.parent}" in command("run", folder, pair[1]).err
    assert "give a file, not a directory" in command("run", tmp_path, pair[1]).err


def test_a_program_that_is_no_text(command: Command, pair: Files) -> None:
    pair[0].write_bytes(b"template A {}\n// caf\xe9\n")
    result = command("run", *pair)
    assert result.code == 2
    assert f"{pair[0]}:2:7: byte 0xe9 is not UTF-8 text" in result.err


def test_a_program_that_is_too_long(command: Command, pair: Files) -> None:
    pair[0].write_text("// é\n" * 3_000_000, encoding="utf-8")
    result = command("run", *pair)
    assert result.code == 2
    assert f"cannot read {pair[0]}: it has more than 8,388,608 bytes" in result.err


def test_a_byte_order_mark_is_no_part_of_a_program(command: Command, pair: Files) -> None:
    pair[0].write_text("\ufeff" + PAIR, encoding="utf-8")
    assert command("run", *pair).out == PAIR_MATCH


# --- Options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "soud"], "no model is called 'soud'; did you mean sound?"),
        (
            ["--model", "x"],
            "no model is called 'x'; there are: algebra, indexed, duckdb, proved, sound, published, rudimentary",
        ),
        (["--schedule", "randon"], "no schedule is called 'randon'; did you mean random?"),
        (["--schedule", "random", "--model", "algebra"], "takes no steps, so there is nothing to schedule"),
        (["--seed", "1", "--model", "indexed"], "there is nothing to draw"),
        (["--capacities", "x", "--model", "algebra"], "there is nothing to bound"),
        (["--seed", "1"], "changes nothing with the schedule round-robin; it is for: random, adversarial"),
        (["--seed", "x", "--schedule", "random"], "'--seed'"),
        (["--repair", "report-silence"], "does not go with the model sound: repairs are added to the published model"),
        (["--without", "report-silence", "--model", "published"], "repairs are taken from the sound model"),
        (["--repair", "report-silense", "--model", "published"], "did you mean report-silence?"),
        (["--without", "zzz"], "no repair is called 'zzz'; there are: expire-by-lifetime"),
        (["--disorder", "5 parsecs"], "expected a duration such as '5m', '90s' or '5 minutes', found '5 parsecs'"),
        (["--disorder", "-5 ms"], "a disorder is not negative"),
        (["--scedule", "random"], "--schedule"),
        (["--failures", "1"], "expected a probability of less than 1, found 1"),
        (["--failures", "nan"], "expected a probability of less than 1, found nan"),
        (["--failures", "0.1", "--schedule", "random"], "draws its own schedule: leave --schedule out"),
        (["--failures", "0.1", "--model", "published"], "the model published cannot crash; use the model sound"),
        (["--failures", "0.1", "--model", "algebra"], "the model algebra cannot crash; use the model sound"),
        (["--checkpoint", "3"], "changes nothing without crashes: give --failures, too"),
    ],
)
def test_options_that_make_no_sense(command: Command, pair: Files, options: list[str], message: str) -> None:
    result = command("run", *pair, *options)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.split())
