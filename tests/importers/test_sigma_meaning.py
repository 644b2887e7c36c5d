"""Imported rules match where Sigma's do: the importer and `parte run` against a definition written for the tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parte
from parte.checker.partelang.relations import equivalent
from parte.checker.solver.verdict import Verdict
from parte.importers.imported import Imported, Options, Refused
from parte.logs.conversion import Conversion
from parte.semantics.events.timestamps import timestamp_text
from tests.importers.sigma_comparison import answer, compare, difference, expected, imported
from tests.importers.sigma_drawing import INTERVALS, Drawn, documents, drawn
from tests.sampling import sampled


def program_of(rules: Mapping[str, Any], options: Options | None = None) -> Imported:
    program = imported(rules, options or Options())
    assert isinstance(program, Imported), program
    return program


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.booleans())
def test_drawn_rules_match_where_the_definition_does(random: Random, tumbling: bool) -> None:
    case = drawn(random, INTERVALS) if tumbling else drawn(random)
    program, differing, _ = difference(case, tumbling=tumbling)
    assert not differing, f"{documents(case.rules)}\n{case.records}\n{program}"


def test_of_drawn_rules_many_are_compared_and_match() -> None:
    counted, different = compare(0, 60)
    assert not different
    assert counted["rules"] >= 55
    assert min(counted["matching"], counted["not matching"]) >= 20


@pytest.mark.parametrize("start", [pytest.param(100 + 300 * part, marks=sampled(part, usual=4)) for part in range(4)])
def test_many_drawn_rules_match_where_the_definition_does(start: int) -> None:
    counted, different = compare(start, start + 300)
    assert not different
    assert min(counted["matching"], counted["not matching"]) >= 100


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_the_layout_is_that_of_parte_fmt(random: Random) -> None:
    program = imported(drawn(random).rules, Options())
    if isinstance(program, Imported):
        assert parte.format_program(program.program) == program.program


# --- single events ---


def rule_of(detection: Mapping[str, Any]) -> dict[str, Any]:
    return {"outer": {"logsource": {"product": "windows"}, "detection": detection}}


MISSING: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("item", "value", "matching", "failing"),
    [
        ("k", "Abc", [{"k": "abc"}, {"k": "ABC"}], [{"k": "abcd"}, {"k": ""}, MISSING]),
        ("k|cased", "Abc", [{"k": "Abc"}], [{"k": "abc"}]),
        ("k", "a*c?", [{"k": "ACx"}, {"k": "a\ncc"}], [{"k": "ac"}, {"k": "acxx"}]),
        ("k", "a\\*c\\?", [{"k": "a*C?"}], [{"k": "a*c\\?"}, {"k": "axc?"}]),
        ("k", "\\\\*", [{"k": "\\"}, {"k": "\\x"}], [{"k": "x"}]),
        ("k", "Ä*", [{"k": "äx"}, {"k": "Ä"}], [{"k": "a"}]),
        ("k", "\u212a", [{"k": "\u212a"}], [{"k": "k"}, {"k": "K"}]),  # the Kelvin sign is no K
        ("k", "*", [{"k": ""}, {"k": "x"}], [MISSING]),
        ("k", "", [{"k": ""}], [{"k": " "}, MISSING]),
        ("k", None, [MISSING], [{"k": ""}]),
        ("k", [], [MISSING], [{"k": ""}]),
        ("k|exists", False, [MISSING], [{"k": "x"}]),
        ("k", 4625, [{"k": 4625}, {"k": "4625"}], [{"k": 46255}, {"k": 4625.5}]),
        ("k", True, [{"k": True}, {"k": "TRUE"}], [{"k": False}, {"k": "1"}]),
        ("k|gte", 5, [{"k": 5}, {"k": "5.5"}], [{"k": 4.99}, MISSING]),
        ("k|contains|all", ["a", "B"], [{"k": "xbya"}], [{"k": "xb"}]),
        ("k|neq", ["a", "b"], [{"k": "c"}, MISSING], [{"k": "A"}]),
        ("k|windash|contains", " -e", [{"k": "x /E"}, {"k": "x \u2014e"}], [{"k": "x e"}]),
        ("k|base64offset|contains", "foo", [{"k": "xxZm9vxx"}, {"k": "--Zvb"}, {"k": "Zm9v"}], [{"k": "bar"}]),
        ("k|cidr", "10.0.0.0/8", [{"k": "10.9.9.9"}], [{"k": "11.0.0.1"}, {"k": "x"}, {"k": "::ffff:10.0.0.1"}]),
        ("k|fieldref", "other", [{"k": "A", "other": "a"}], [{"k": "a"}, {"other": "a"}, MISSING]),
        ("k|re", "b+", [{"k": "abba"}], [{"k": "ABBA"}]),
        ("k|re|i", "^b[^A-Z]", [{"k": "B1"}], [{"k": "Ba"}, {"k": "ab1"}]),
        ("k|re", "a$", [{"k": "ba"}, {"k": "a\n"}], [{"k": "a\n\n"}, {"k": "ab"}]),
        ("k|re|m", "^a$", [{"k": "b\na\nc"}, {"k": "a"}], [{"k": "ba"}]),
        ("k|re", "a.b", [{"k": "a b"}], [{"k": "a\nb"}]),
        ("k|re|s", "a.b", [{"k": "a\nb"}], [{"k": "ab"}]),
        ("k|re", "(^|x)a(b|$)", [{"k": "ab"}, {"k": "zxa"}], [{"k": "za"}, {"k": "ac"}]),
        ("k|re", "[a-z0-9_]", [{"k": "a"}], [{"k": "A"}]),  # not \w
    ],
)
def test_values(item: str, value: Any, matching: Sequence[Any], failing: Sequence[Any]) -> None:
    """Both for an item and for its contrary, which differ where a field is missing."""
    for condition, at in (
        (("name", "sel"), range(len(matching))),
        (("not", ("name", "sel")), range(len(matching), len(matching) + len(failing))),
    ):
        rules = rule_of({"sel": {item: value}, "condition": condition})
        records = [{"timestamp": 0, **record} for record in (*matching, *failing)]
        assert expected(Drawn(rules, records)) == set(at)
        assert answer(program_of(rules), records) == set(at)


# --- correlations ---

PLAIN = {"logsource": {"product": "windows"}, "detection": {"sel": {"kind": "a"}, "condition": ("name", "sel")}}
OTHER = {"logsource": {"product": "windows"}, "detection": {"sel": {"kind": "b"}, "condition": ("name", "sel")}}


def events(written: str) -> list[dict[str, Any]]:
    """Records as `a@0:ada`: a kind, seconds, and the user, if there is one."""
    parsed = (part.replace("@", ":").split(":") for part in written.split())
    return [
        {"timestamp": round(float(time) * 1000), "kind": kind} | ({"User": user[0]} if user else {})
        for kind, time, *user in parsed
    ]


COUNT = {"type": "event_count", "rules": ["p"], "group-by": ["User"], "timespan": "5s", "condition": {"gte": 3}}
VALUES = COUNT | {"type": "value_count", "condition": {"field": "kind", "gte": 2}, "rules": ["p", "q"]}
BOTH = {"type": "temporal", "rules": ["p", "q"], "group-by": ["User"], "timespan": "5s"}
ORDERED = {**BOTH, "type": "temporal_ordered"}


@pytest.mark.parametrize(
    ("correlation", "written", "at"),
    [
        (COUNT, "a@0:x a@1:x a@5:x", {2}),  # the window is closed
        (COUNT, "a@0:x a@1:x a@5.001:x", set()),
        (COUNT, "a@0:x a@1:x a@2:x a@3:x", {2, 3}),  # a match at each event at which the count is reached
        (COUNT, "a@0:x a@0:x a@0:x", {0, 1, 2}),  # of events of one time, each has the others in its window
        (COUNT, "a@0:x a@1:y a@2:x", set()),
        (COUNT, "a@0 a@1 a@2", set()),  # without the field an event is in no group
        (COUNT | {"condition": {"lt": 2}}, "a@0:x a@1:x a@7:x", {0, 2}),  # never at no event
        (COUNT | {"condition": {"gte": 2, "lt": 3}}, "a@0:x a@1:x a@2:x", {1}),
        (VALUES, "a@0:x b@1:x b@2:x", {1, 2}),
        (VALUES, "a@0:x a@1:x", set()),
        (BOTH, "a@0:x b@5:x a@11:x", {1}),
        (BOTH, "b@0:x a@5:x", {1}),
        (BOTH, "a@0:x b@1:y", set()),
        (BOTH | {"condition": {"gte": 1}}, "a@0:x b@9:y", {0, 1}),
        (BOTH | {"condition": {"eq": 1}}, "a@0:x b@1:x", {0}),
        (ORDERED, "a@0:x b@5:x", {1}),
        (ORDERED, "b@0:x a@1:x", set()),
        (ORDERED, "a@0:x b@0:x", set()),  # events of one time are in no order
        (ORDERED | {"rules": ["p", "q", "p"]}, "a@0:x b@1:x b@2:x a@5:x", {3}),
        (ORDERED | {"rules": ["p", "q", "p"]}, "a@0:x b@1:x b@2:x a@5.001:x", set()),
    ],
)
def test_correlations(correlation: Mapping[str, Any], written: str, at: set[int]) -> None:
    rules = {"outer": {"correlation": correlation}, "p": PLAIN, "q": OTHER}
    records = events(written)
    assert expected(Drawn(rules, records)) == at
    assert answer(program_of(rules), records) == at


def test_intervals_follow_each_other_with_tumbling() -> None:
    rules = {"outer": {"correlation": COUNT | {"timespan": "1h"}}, "p": PLAIN}
    over, within = "a@3598:x a@3599:x a@3600:x", "a@3600:x a@3601:x a@7199:x"
    for tumbling, records, at in (
        (False, over, {2}),
        (True, over, set()),
        (False, within, {2}),
        (True, within, {0, 1, 2}),  # the interval is known as a whole
    ):
        program = program_of(rules, Options(tumbling=tumbling))
        assert expected(Drawn(rules, events(records)), tumbling=tumbling) == at
        assert answer(program, events(records)) == at


def test_relate_shows_a_trace_on_which_sliding_and_tumbling_differ() -> None:
    rules = {"outer": {"correlation": COUNT | {"timespan": "12h"}}, "p": PLAIN}
    sliding, tumbling = (program_of(rules, Options(tumbling=is_tumbling)).program for is_tumbling in (False, True))
    head, rule = sliding.split("\nrule Outer ")
    program = parte.parse(f"{head}\nrule Sliding {rule}\nrule Tumbling {tumbling.split(chr(10) + 'rule Outer ')[1]}")
    related = equivalent(program, "Sliding", "Tumbling")
    assert related.forth.verdict is related.back.verdict is Verdict.REFUTED


def test_results_that_an_event_may_have_twice_are_not_counted() -> None:
    """Drawn rule 3628: a record that completes a correlation by itself and as the result of another one."""
    rules = {
        "outer": {"correlation": {"type": "event_count", "rules": "both", "timespan": "5s", "condition": {"gt": 1}}},
        "both": {"correlation": {"type": "temporal", "rules": ["some", "q"], "timespan": "5s"}},
        "some": {"correlation": {"type": "event_count", "rules": "p", "timespan": "5s", "condition": {"gte": 1}}},
        "p": PLAIN,
        "q": PLAIN,
    }
    refused = imported(rules, Options())
    assert isinstance(refused, Refused)
    assert "may have several results" in refused.reason


def test_a_record_of_several_log_sources_is_an_event_of_all() -> None:
    security = {"product": "windows", "service": "security"}
    rules: dict[str, Any] = {
        "outer": {"correlation": {"type": "temporal", "rules": ["p", "q"], "timespan": "5s"}},
        "p": {**PLAIN, "checked_source": PLAIN["logsource"]},
        "q": {**PLAIN, "logsource": security, "checked_source": security},
    }
    windows = {"kind": "a", "logsource.product": "windows"}
    for record, at in ((windows, set()), ({**windows, "logsource.service": "security"}, {0})):
        records = [{"timestamp": 0, **record}]
        assert expected(Drawn(rules, records)) == at
        assert answer(program_of(rules), records) == at


# --- with the mapping ---


@pytest.mark.parametrize("seed", range(8))
def test_the_mapping_makes_the_events_of_a_raw_log(seed: int, tmp_path: Path) -> None:
    case = drawn(Random(seed))
    program = program_of(case.rules)
    assert program.mapping is not None
    raw = tmp_path / "raw.jsonl"
    raw.write_text("".join(json.dumps(nested(record)) + "\n" for record in case.records), encoding="utf-8")
    rejected: list[Any] = []
    with Conversion(program.mapping, rejected.append) as conversion:
        conversion.add(str(raw))
        conversion.finish()
        trace = tmp_path / "trace.jsonl"
        conversion.write(str(trace))
    matches = parte.run(parte.parse(program.program), parte.load_trace(trace), model="algebra")
    events = {dict(match.bindings)["event"] for match in matches if match.rule.startswith("Outer")}
    numbers = {int(name.rpartition("event=record-1-")[2].split(",")[0].rstrip(")")) - 1 for name in numbered(events)}
    assert not rejected
    assert numbers == expected(case)


def numbered(names: set[str]) -> set[str]:
    return {name if "event=" in name else f"event={name}" for name in names}


def nested(record: Mapping[str, Any]) -> dict[str, Any]:
    nested_record: dict[str, Any] = {}
    for name, value in record.items():
        *folders, last = name.split(".")
        place = nested_record
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = timestamp_text(value) if name == "timestamp" else value
    return nested_record


# --- the comparison is not blind ---


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("Image is present and ", ""),
        ("lower(Image)", "Image"),
        ("[-5 seconds, 0 ms]", "[-5 seconds, -1 ms]"),
        ("[-5 seconds, 0 ms]", "[-4999 ms, 0 ms]"),
        (">= 2", "> 2"),
        ("User = event.User", "User is present"),
        ("        User is present,\n", ""),
    ],
)
def test_a_wrong_program_is_noticed(good: str, bad: str) -> None:
    condition = ("and", ("name", "sel"), ("not", ("name", "no")))
    detection = {"sel": {"kind": "a"}, "no": {"Image|endswith": "X"}, "condition": condition}
    counted = {"lt": 2} if "present,\n" in good else {"gte": 2}
    rules = {
        "outer": {"correlation": COUNT | {"condition": counted}},
        "p": {"logsource": {"product": "windows"}, "detection": detection},
    }
    program = program_of(rules)
    wrong = Imported(program.name, program.place, program.program.replace(good, bad), program.mapping, ())
    assert wrong.program != program.program
    traces = ["a@0:x a@1:x", "a@0:x a@5:x", "a@0:x a@0:y", "a@0", "a@0:x a@0:x"]
    cases = [events(written) for written in traces]
    cases.append([{"timestamp": 0, "kind": "a", "User": "x", "Image": "X"}] * 2)
    assert any(answer(wrong, records) != expected(Drawn(rules, records)) for records in cases)
    assert all(answer(program, records) == expected(Drawn(rules, records)) for records in cases)
