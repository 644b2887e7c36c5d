"""`parte why`, and `parte.why`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import parte
from parte.commands.general import names_of
from parte.languages.language import Language
from parte.languages.registry import languages
from tests.parte.examples import FRAUD, PAIR, PAIR_TRACE, Command
from tests.parte.guest import GUESTS

FRAUDS = (FRAUD / "scenarios.parte", FRAUD / "trace.jsonl", "--domain", FRAUD / "domain.json")
Files = tuple[Path, Path]


def test_each_demand_on_a_match_has_a_line_with_its_place_and_values(command: Command) -> None:
    result = command("why", *FRAUDS, "--rule", "FraudPassThrough", "--bindings", "incoming=t2,outgoing=t10")
    assert (result.code, result.err) == (0, "")
    head, *lines = result.out.splitlines()
    assert head == "FraudPassThrough(incoming=t2, outgoing=t10): 1 match"
    assert lines[1].split() == ["yes", "amount", ">=", "100.0", "52:5", "amount", "=", "120.0"]
    assert lines[-1].endswith("outgoing in incoming [0 ms, 14 days]     62:3  4 minutes after incoming")
    assert not any("NO" in line.split()[:1] for line in lines)


def test_what_is_not_met_is_marked_and_a_window_tells_by_how_much(command: Command) -> None:
    result = command("why", *FRAUDS, "--rule", "FraudPassThrough", "--bindings", "incoming=t10,outgoing=t2")
    assert (result.code, result.err) == (1, "")
    assert "FraudPassThrough(incoming=t10, outgoing=t2): no match" in result.out
    assert "NO   outgoing in incoming [0 ms, 14 days]" in result.out
    assert "4 minutes before incoming, 4 minutes too early" in result.out


def test_the_event_that_fills_a_negated_pattern_is_named(command: Command) -> None:
    files = (FRAUD / "refund-scam-as-printed.parte", FRAUD / "trace.jsonl")
    result = command("why", *files, "--bindings", "incoming=t13,refund=t201,claim=claim")
    assert result.code == 1
    assert "NO   no such MoneyTransferred in refund [-14 days, 0 ms]" in result.out
    assert "filled by t13 (53 minutes 1 second before refund, 53 minutes 1 second inside)" in result.out


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ([6], "filled by b0 (6 ms after a, exactly at the closed end)"),
        ([2], "filled by b0 (2 ms after a, exactly at the closed beginning)"),
        ([4], "filled by b0 (4 ms after a, 2 ms inside)"),
        ([3, 5], "filled by b0 (3 ms after a, 1 ms inside), b1 (5 ms after a, 1 ms inside)"),
        ([2, 3, 4, 5, 6], "b2 (4 ms after a, 2 ms inside) and 2 more"),
        ([-3, 8], "none of 2 fills it; nearest: b1 (8 ms after a, 2 ms too late)"),
        ([0, 9], "none of 2 fills it; nearest: b0 (at the time of a, 2 ms too early)"),
        ([], "none of 0 fills it"),
    ],
)
def test_an_absence_tells_how_far_inside_the_window_events_lie_or_outside(times: list[int], said: str) -> None:
    program = parte.parse(
        "template A {} template B { k : Integer } rule R where a : A, no b : B { k = 1 } when no b in a [2 ms, 6 ms]"
    )
    events = [parte.Event("a", "A", 0, {})]
    events += [parte.Event(f"b{place}", "B", time, {"k": 1}) for place, time in enumerate(times)]
    events += [parte.Event("other", "B", 4, {"k": 2})]
    answer = parte.why(program, events, "R", {"a": "a"}, disorder=100).render()
    wanted = re.sub(r"of (\d)", lambda count: f"of {int(count[1]) + 1}", said)
    assert answer.endswith(f" {wanted}")


def test_of_several_windows_the_narrowest_is_told() -> None:
    program = parte.parse(
        "template A {} template B {} rule R where x : A, y : A, no b : B "
        "when y in x [1 ms, 9 ms] no b in x [0 ms, 9 ms] no b in y [-9 ms, 0 ms]"
    )
    events = [parte.Event(name, name[0].upper(), time, {}) for name, time in (("a1", 0), ("b1", 4), ("a2", 5))]
    answer = parte.why(program, events, "R", {"x": "a1", "y": "a2"}, disorder=9).render()
    assert answer.endswith("filled by b1 (1 ms before y, 1 ms inside)")


def test_the_page_shows_what_is_printed(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    root = FRAUD.parents[1]
    monkeypatch.chdir(root)
    consoles = re.findall(r"\$ parte (why .*)\n((?:.*\n)*?)```", (root / "docs" / "why.md").read_text(encoding="utf-8"))
    assert len(consoles) == 1
    for line, output in consoles:
        assert command(*line.split()).out == output


def test_the_nearest_misses_of_some_bindings_are_shown(command: Command) -> None:
    result = command("why", *FRAUDS, "--rule", "FraudPassThrough", "--bindings", "incoming=t1", "--nearest", "1")
    assert result.code == 1
    assert "outgoing : MoneyTransferred: 0 of 21 left" in result.out
    assert "21 fail  originator = incoming.destination" in result.out
    assert result.out.count("nearest:") == 1
    assert result.out.count("NO ") == 1, "of all the one that fails least"


def test_a_limit_is_told(command: Command) -> None:
    result = command("why", *FRAUDS, "--rule", "FraudDiffusion", "--limit", "30")
    assert "it ended at its limit" in result.out
    assert "hint: --limit N tries more combinations" in result.out


def test_where_a_machine_lost_a_match(command: Command, pair: Files) -> None:
    result = command("why", *pair, "--model", "published")
    assert result.code == 1
    assert "Pair: 1 match" in result.out
    assert "published differs:" in result.out
    assert "PARTE/JOIN-RIGHT (D §5.4.6) at join:Pair.b, on the right token <b1; 1>" in result.out
    same = command("why", *pair, "--model", "sound")
    assert same.code == 0
    assert "sound has the same" in same.out


def test_ids_of_emitted_events_may_stand_in_bindings(command: Command, tmp_path: Path) -> None:
    program, trace = tmp_path / "two.parte", tmp_path / "two.jsonl"
    program.write_text(
        "template A { k: Integer } template B { k: Integer } "
        "rule First where a: A, b: A when b in a [0 ms, 1 ms] then emit B at a.timestamp with { k = b.k } "
        "rule Second where c: B { k > 1 } when then"
    )
    trace.write_text('{"id": "x,y", "template": "A", "timestamp": 0, "attributes": {"k": 1}}\n')
    result = command("why", program, trace, "--rule", "Second", "--bindings", 'c=First(a="x,y",b="x,y")')
    assert (result.code, result.err) == (1, "")
    assert "NO   k > 1" in result.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "name one of the rules; there are: FraudPassThrough, FraudDiffusion, FraudRefundScam"),
        (("--rule", "Fraud"), "no rule is called 'Fraud'; there are:"),
        (("--rule", "FraudPassTrough"), "no rule is called 'FraudPassTrough'; did you mean FraudPassThrough?"),
        (("--rule", "FraudPassThrough", "--bindings", "incomming=t1"), "did you mean incoming?"),
        (("--rule", "FraudPassThrough", "--bindings", "incoming=t2x"), "did you mean t2?"),
        (("--rule", "FraudPassThrough", "--bindings", "a=t1"), "a is no variable of FraudPassThrough"),
        (("--rule", "FraudPassThrough", "--bindings", "incoming=t0"), "sees has the id 't0'"),
        (("--rule", "FraudRefundScam", "--bindings", "additional_incoming=t1"), "is of a negated pattern"),
        (("--rule", "FraudPassThrough", "--bindings", "incoming"), "expected variable=id"),
        (("--rule", "FraudPassThrough", "--model", "algebra"), "takes no steps"),
    ],
)
def test_what_there_is_not(command: Command, options: tuple[str, ...], message: str) -> None:
    result = command("why", *FRAUDS, *options)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.replace("│", " ").split())


@pytest.mark.parametrize(
    "language",
    [language for language in languages()[1:] if "why" not in names_of(language)],
    ids=lambda language: str(language.name),
)
def test_a_program_of_another_language_is_told_apart_by_its_ending(
    command: Command, tmp_path: Path, language: Language
) -> None:
    guest, program, trace = GUESTS[language.name], tmp_path / f"p{language.ending}", tmp_path / "t.jsonl"
    program.write_text(guest.program, encoding="utf-8")
    trace.write_text(guest.trace, encoding="utf-8")
    result = command("why", program, trace)
    assert (result.code, result.out) == (2, "")
    assert f"{language.name} has no why" in result.err


def test_json_tells_what_the_lines_tell(command: Command, pair: Files) -> None:
    result = command("why", *pair, "--json", "--model", "published", "--bindings", "a=a1,b=b2")
    record = json.loads(result.out)
    assert (record["rule"], record["bindings"], record["matches"]) == ("Pair", {"a": "a1", "b": "b2"}, 1)
    assert all(reason["holds"] for reason in record["explained"]["reasons"])
    assert record["difference"]["missing"]
    searched = json.loads(command("why", *pair, "--json").out)
    assert searched["search"]["complete"]


def test_from_python() -> None:
    answer = parte.why(parte.parse(PAIR), parte.read_trace(PAIR_TRACE), "Pair", {"b": "b1"}, model="published")
    assert (answer.matches, answer.difference) == (0, None)
    assert answer.search is not None
    assert "1 ms after a, 1 ms too early" in answer.render()
    with pytest.raises(LookupError, match="did you mean Pair"):
        parte.why(parte.parse(PAIR), (), "Pare")
