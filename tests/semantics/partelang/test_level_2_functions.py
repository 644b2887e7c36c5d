"""Functions of level 2 on Strings and times: all evaluators agree, and so do implementations of others."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from itertools import product
from time import perf_counter
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from parte.algebra.matching import addresses as definition_addresses
from parte.algebra.matching import position_sets
from parte.algebra.partelang import clocks
from parte.algebra.partelang.programs import run
from parte.algebra.partelang.relational import duckdb
from parte.checker.partelang.check import check
from parte.checker.solver.verdict import Verdict
from parte.conformance.partelang.strategies import ProgramShape, cases, programs, schedules
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.matching import addresses, threads
from parte.semantics.partelang import calendar
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import core, parse, zones
from parte.semantics.partelang.syntax.json_form import program_from_json, program_to_json
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.regular import (
    LAST_CODE_POINT,
    Chain,
    Characters,
    Choice,
    Regular,
    complement,
    merged,
    regular,
)
from parte.semantics.source.wildcards import InvalidPattern

SHAPE = ProgramShape(level=2)
FIRST, LAST = -62_135_596_800_000, 253_402_300_799_999
"""The first and the last millisecond of the years 1 to 9999 in UTC."""
BASES = (
    *(0, FIRST - 10, FIRST, LAST - 10, LAST, FIRST + 43_200_000, LAST - 43_200_000, -(2**63) + 10, 2**63 - 40),
    *(1_793_062_800_000 - 10, 1_761_440_400_000 - 10, 1_325_246_400_000 - 10),  # clocks in Berlin, and dates in Apia
)


def printed(outcome: Outcome) -> tuple[list[str], list[str]]:
    return [match.to_json() for match in outcome.matches], [str(failure) for failure in outcome.failures]


def agreed(program: core.Program, items: tuple[TraceItem, ...], schedule: Schedule | None = None) -> Outcome:
    """The outcome of a program, which is that of all evaluators."""
    truth = run(program, items)
    assert printed(run(program, items, evaluator="indexed")) == printed(truth)
    scenario = Scenario.of(program, items)
    assert printed(execute(scenario, schedule=schedule) if schedule else execute(scenario)) == printed(truth)
    assert printed(duckdb.run(program, items)) == printed(truth)
    return truth


@settings(max_examples=60)
@given(cases(SHAPE), schedules(), st.sampled_from(BASES))
def test_all_evaluators_agree_at_all_times(
    case: tuple[core.Program, tuple[TraceItem, ...]], schedule: Schedule, base: int
) -> None:
    program, items = case
    moved = tuple(replace(item, timestamp=item.timestamp + base) for item in items)
    event(f"matches: {'some' if agreed(program, moved, schedule).matches else 'none'}")


@settings(max_examples=50)
@given(programs(SHAPE))
def test_programs_keep_their_meaning_as_text_and_as_json(program: core.Program) -> None:
    again = parse(print_program(program.source))
    assert again == program
    assert again.source == program.source
    assert program_from_json(json.loads(json.dumps(program_to_json(program)))) == program


EVENTS = (Event("a1", "A", 1_764_000_000_123, {"k": 1}), Event("a2", "A", 1_764_000_060_123, {"k": 2}))
"""Monday 2025-11-24, 16:00:00.123 UTC, and a minute later."""


def truth(condition: str) -> bool | None:
    """The truth of a condition on `a`, the event with k = 1, and `b`, that with k = 2, by all evaluators."""
    results = []
    for text in (condition, f"not ({condition})"):
        program = parse(
            f"level 2\ntemplate A {{ k : Integer }}\n"
            f"rule R where a : A {{ k = 1 }}, b : A {{ k = 2, {text} }} when b in a [-1 days, 1 days]\n"
        )
        results.append(bool(agreed(program, EVENTS).matches))
    return True if results[0] else False if results[1] else None


# --- Regular expressions (specification: function-matches) ------------------------------------------------------------

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\W", r"\s", "é", r"\\", r"\-", "[0-9a]", "()", "-"])


def bounded(count: tuple[int, int]) -> str:
    return f"{{{count[0]},{count[0] + count[1]}}}"


REPEATS = st.sampled_from(["", "*", "+", "?", "{2}", "{0}", "{1,}", "{0,}"]) | st.tuples(
    st.integers(0, 2), st.integers(0, 2)
).map(bounded)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(st.tuples(inner, REPEATS), max_size=3).map(lambda parts: "".join(f"({p}){r}" for p, r in parts)),
        st.lists(inner, min_size=1, max_size=3).map("|".join),
    ),
    max_leaves=6,
)


@settings(max_examples=600)
@given(PATTERNS, st.lists(st.text("abé1 -\\\n_𝄞", max_size=7), min_size=3, max_size=6))
def test_matches_is_what_other_regular_expressions_say(pattern: str, texts: list[str]) -> None:
    reference = re.compile(pattern, re.DOTALL | re.ASCII)
    for text in texts:
        expected = reference.fullmatch(text) is not None
        event(f"matches: {expected}")
        assert position_sets.is_match(text, pattern) is expected
        assert threads.is_match(text, pattern) is expected


@settings(max_examples=1000)
@given(st.text("ab[]^-(){}|*+?.,0123\\dWn&~é$", max_size=9), st.text("ab^-1é\n&~,{", max_size=4))
def test_any_text_is_a_pattern_with_one_meaning_or_none(pattern: str, text: str) -> None:
    try:
        regular(pattern)
    except InvalidPattern:
        return
    # Inside a class `re` warns of what is ambiguous; outside it agrees.
    assume("**" not in pattern)
    expected = re.fullmatch(pattern.replace(r"\&", "&").replace(r"\~", "~"), text, re.DOTALL | re.ASCII) is not None
    assert position_sets.is_match(text, pattern) is threads.is_match(text, pattern) is expected


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "a**",
            "a{1}{2}",
            "a+?",
            "*a",
            "(",
            ")",
            "a)",
            "[",
            "[]",
            "[^]",
            "[a",
            "]",
            "{",
            "}",
            "a{",
            "a{,2}",
            "a{2,1}",
        ),
        *("a{1001}", "a{1,1001}", "^a", "a$", "\\", "\\b", "\\u", "\\x41", "(?:a)", "[z-a]", "[a-]", "[-a]", "[a-b-c]"),
        *(
            r"[a-\d]",
            r"[\d-a]",
            "[a&&b]",
            "[a~b]",
            "[a|b]",
            "[a[b]",
            "[a^]",
            r"[^\d\D]",
            "(a{100}){11}",
            "a{1000,}" * 2,
        ),
        *("a" * 2001, "(ab){1000}c", "((a{10}){10}){11}", "(" * 101 + ")" * 101, "a{٣}", "a{ 1}"),
    ],
)
def test_invalid_patterns(pattern: str) -> None:
    with pytest.raises(InvalidPattern) as problem:
        regular(pattern)
    assert str(problem.value)


@pytest.mark.parametrize(
    "pattern",
    ["", "(ab){1000}", "a{1000}", "a" * 2000, "(a{10}){100}", "(" * 100 + "a" + ")" * 100, "(){1000}", "a{0}{"[:4]],
)
def test_the_largest_patterns_are_valid(pattern: str) -> None:
    regular(pattern)


@pytest.mark.parametrize("module", [position_sets, threads])
@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|aa)+b", "(.*a){30}b", "(a?){500}(a*){500}b"])
def test_long_strings_take_no_time_that_multiplies(module: object, pattern: str) -> None:
    start = perf_counter()
    # A search that goes back and tries again would not end: `re` takes 2^30 steps for 30 letters.
    assert not module.is_match("a" * 4_000, pattern)  # type: ignore[attr-defined]  # the function of both
    assert perf_counter() - start < 60


def test_more_threads_than_a_table_has(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, texts = "(ab|a|b)*c{2,9}[a-m]*", ["".join(word) for word in product("abcm", repeat=5)]
    monkeypatch.setattr(threads, "_REMEMBERED", 3)
    program = threads._Program(regular(pattern))
    matching = [text for text in texts if program.accepts(text)]
    assert matching == [text for text in texts if re.fullmatch(pattern, text)]
    assert matching
    assert len(program._table) <= 3


RANGES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5)).map(lambda pair: (pair[0], sum(pair))))


@given(RANGES)
def test_the_complement_of_ranges(ranges: list[tuple[int, int]]) -> None:
    within = merged(ranges)
    opposite = complement(within)
    for code in [*range(30), LAST_CODE_POINT]:
        inside = any(first <= code <= last for first, last in ranges)
        assert any(first <= code <= last for first, last in within) is inside
        assert any(first <= code <= last for first, last in opposite) is not inside
    assert complement(opposite) == within


def test_trees_are_simple() -> None:
    def characters(text: str) -> Regular:
        return Characters(((ord(text), ord(text)),))

    assert regular("()(a){0}()") == Chain(())
    assert regular("(a)|a|((b))") == Choice((characters("a"), characters("b")))


# --- Addresses (specification: function-in-network) -------------------------------------------------------------------

ADDRESSES = st.one_of(
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(str),
    st.ip_addresses(v=6).map(lambda address: address.exploded.upper()),
    st.lists(
        st.sampled_from(["", "0", "00", "1", "ffff", "00001", "1.2.3.4", "01.2.3.4", "256.1.1.1", "g"]), max_size=9
    ).map(":".join),
    st.text("0123456789abcdef:.%/ ", max_size=12),
    st.lists(st.sampled_from(["0", "1", "255", "256", "00", "01", "-1", "+1", "٣", ""]), max_size=5).map(".".join),
)


def packed(text: str) -> bytes | None:
    """An address as the system's C library reads it."""
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            return socket.inet_pton(family, text)
        except (OSError, ValueError):
            continue
    return None


@settings(max_examples=1500)
@given(ADDRESSES, st.integers(0, 128), st.booleans())
def test_addresses_are_read_as_by_the_system(text: str, length: int, near: bool) -> None:
    expected = packed(text)
    bits = 128 if expected is None else 8 * len(expected)
    length = min(length, bits)
    first = int.from_bytes(expected, "big") if near and expected is not None else 2 ** (bits - 1)
    base = first >> (bits - length) << (bits - length)
    network = str(ip_network((base.to_bytes(bits // 8, "big"), length)))
    answer = None if expected is None else int.from_bytes(expected, "big") >> (bits - length) == base >> (bits - length)
    event(f"in network: {answer}")
    assert addresses.is_in_network(text, network) is answer
    assert definition_addresses.is_in_network(text, network) is answer


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ('in_network("10.1.2.3", "10.0.0.0/8")', True),
        ('in_network("10.1.2.3", "11.0.0.0/8", "10.1.2.3/32")', True),
        ('in_network("::ffff:10.1.2.3", "10.0.0.0/8")', False),
        ('in_network("::ffff:10.1.2.3", "::ffff:10.0.0.0/104")', True),
        ('in_network("10.1.2.3", "::/0")', False),
        ('in_network("10.1.2", "0.0.0.0/0", "::/0")', None),
        ('in_network("10.1.2.03", "0.0.0.0/0")', None),
        ('in_network("fe80::1%1", "::/0")', None),
        ('in_network("::", "::/128") and matches("ab", "a|ab")', True),
        (r'matches("a\nb", "a.b") or matches("", "[^a]")', True),
        (r'matches("𝄞", ".") and matches("é\\", "[^a-z]\\\\")', True),
    ],
)
def test_the_truth_of_tests_of_strings(condition: str, expected: bool | None) -> None:
    assert truth(condition) is expected


# --- Clocks (specification: function-clocks) --------------------------------------------------------------------------

ZONES = st.sampled_from(sorted(zones.names()))
MOMENTS = st.one_of(
    st.integers(FIRST - 100_000_000, LAST + 100_000_000),
    st.integers(-2_000_000_000_000, 4_000_000_000_000),
    *(st.integers(end - 90_000_000, end + 90_000_000) for end in (FIRST, LAST)),
    st.sampled_from([-(2**63), 2**63 - 1]),
)


@settings(max_examples=2000)
@given(MOMENTS, ZONES)
def test_clocks_show_the_same_to_both_models(moment: int, zone: str) -> None:
    for function in ("time_of_day", "weekday", "date"):
        reading = clocks.reading(function, moment, zone)
        event("some" if reading is not None else "none")
        assert calendar.clock_reading(function, moment, zone) == reading


@settings(max_examples=100)
@given(st.integers(0, 4_000_000_000_000), st.sampled_from(["Europe/Berlin", "Asia/Tokyo", "Pacific/Apia"]))
def test_clocks_show_what_the_zones_of_the_machine_say(moment: int, zone: str) -> None:
    wall = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=moment)).astimezone(ZoneInfo(zone))
    seconds = 3600 * wall.hour + 60 * wall.minute + wall.second
    assert clocks.reading("time_of_day", moment, zone) == 1000 * seconds + wall.microsecond // 1000
    assert clocks.reading("date", moment, zone) == wall.strftime("%Y-%m-%d")
    assert clocks.reading("weekday", moment, zone) == wall.weekday() + 1


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("time_of_day(a) = 16 hours + 123 ms", True),
        ('time_of_day(a, "Europe/Berlin") >= 17 hours', True),
        ('time_of_day(a, "Asia/Kathmandu") = 21 hours + 45 minutes + 123 ms', True),
        ("weekday(a) = 1 and weekday(b) in (1, 2)", True),
        ('weekday(b, "Pacific/Apia") = 2', True),
        ('date(b) = "2025-11-24" and date(b, "Pacific/Apia") = "2025-11-25"', True),
        ("b.timestamp - a.timestamp = 1 minutes", True),
        ("timestamp - a.timestamp < -(1 minutes)", False),
        ("a.timestamp + 60 seconds = b.timestamp and 60 seconds + a.timestamp <= timestamp", True),
        ("a.timestamp = @2025-11-24T16:00:00.123Z and b.timestamp > @2025-11-24T17:00+01:00", True),
        ("a.timestamp = @1764000000123 and a.timestamp > @-5", True),
        ("a.timestamp - @-9223372036854775808 > 0 ms", None),
        ("a.timestamp in (@0, @1764000000123)", True),
        ("a.timestamp - 9223372036854775807 ms < b.timestamp", True),
        ("time_of_day(a) - time_of_day(b) = -1 minutes", True),
    ],
)
def test_the_truth_of_conditions_on_times(condition: str, expected: bool | None) -> None:
    assert truth(condition) is expected


def test_what_rules_emit_of_times() -> None:
    program = parse(
        "level 2\ntemplate A { k : Integer }\ntemplate B { t : Integer, d : Integer, w : Integer, s : String }\n"
        "rule R where a : A { k = 1 }\nthen emit B at a.timestamp "
        'with { t = a.timestamp - 1, d = time_of_day(a) * 2, w = weekday(a), s = date(a, "Pacific/Apia") }\n'
    )
    (match,) = agreed(program, EVENTS).matches
    assert [dict(emitted.attributes) for emitted in match.emits] == [
        {"t": 1_764_000_000_122, "d": 2 * (16 * 3_600_000 + 123), "w": 1, "s": "2025-11-25"}
    ]


def test_an_emission_fails_where_a_clock_shows_nothing() -> None:
    program = parse(
        "level 2\ntemplate A {}\ntemplate B { w : Integer }\n"
        "rule R where a : A\nthen emit B at a.timestamp with { w = weekday(a) }\n"
    )
    outcome = agreed(program, (Event("a1", "A", LAST, {}), Event("a2", "A", LAST + 1, {})))
    assert sorted(len(match.emits) for match in outcome.matches) == [0, 1]
    assert len(outcome.failures) == 1


# --- Errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ('matches(s, "a**")', "invalid-pattern"),
        ("matches(s, s)", "invalid-pattern"),
        ("matches(s)", "wrong-argument-count"),
        ('in_network(s, "10.0.0.1/8")', "invalid-network"),
        ('in_network(s, "10.0.0.0")', "invalid-network"),
        ('in_network(s, "10.0.0.0/33")', "invalid-network"),
        ('in_network(s, "10.0.0.0/255.0.0.0")', "invalid-network"),
        ('in_network(s, "010.0.0.0/8")', "invalid-network"),
        ("in_network(s, s)", "invalid-network"),
        ("in_network(s)", "wrong-argument-count"),
        ('in_network(1, "::/0")', "type-mismatch"),
        ('weekday(a, "Europe/Atlantis") = 1', "unknown-zone"),
        ('weekday(a, "../UTC") = 1', "unknown-zone"),
        ("weekday(a, s) = 1", "unknown-zone"),
        ("weekday(a.timestamp) = 1", "type-mismatch"),
        ("weekday(z) = 1", "unknown-variable"),
        ("weekday() = 1", "wrong-argument-count"),
        ("time_of_day(a) = 5", "type-mismatch"),
        ("time_of_day(a) = a.timestamp", "type-mismatch"),
        ("weekday(a) = 1 hours", "type-mismatch"),
        ("timestamp + timestamp > @0", "type-mismatch"),
        ("1 hours - timestamp > @0", "type-mismatch"),
        ("timestamp + 5 > @0", "type-mismatch"),
        ("timestamp - 5 > @0", "type-mismatch"),
        ("-timestamp > @0", "type-mismatch"),
        ("timestamp * 2 > @0", "not-a-number"),
        ("abs(timestamp - a.timestamp) < 5 minutes", "not-a-number"),
        ("k = timestamp", "type-mismatch"),
        ("p(timestamp)", "type-mismatch"),
        ("timestamp > @2026-11-24", "invalid-timestamp"),
        ("timestamp > @2026-11-24T09:00", "invalid-timestamp"),
        ("timestamp > @2026-13-24T09:00Z", "invalid-timestamp"),
        ("timestamp > @9223372036854775808", "invalid-timestamp"),
        ("-(-9223372036854775808 ms) > 0 ms", "duration-out-of-range"),
    ],
)
def test_errors_in_conditions_have_one_message(condition: str, code: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(
            "level 2\ntemplate A { s : String, k : Integer }\npredicate p(Integer)\n"
            f"rule R where a : A {{ {condition} }}\nrule S where a : A {{ p(k) }}\n"
        )
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == [code]
    assert all(diagnostic.hint for diagnostic in error.value.diagnostics)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("rule R where a : A { a.timestamp > @0 }", "needs-level-2"),
        ("rule R where a : A { k > @ }", "invalid-character"),
        ("rule R where a : A @0", "invalid-character"),
        ("rule R where a : A { a.timestamp > 0 }", "misplaced-timestamp"),
        ("rule R where a : A { k > 5 hours }", "misplaced-duration"),
        ("rule R where a : A { weekday(a) = 1 }", "unknown-function"),
    ],
)
def test_what_level_1_says(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(f"template A {{ k : Integer }}\n{text}\n")
    assert error.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("value", "code"),
    [("@0", "misplaced-timestamp"), ("5 hours", "misplaced-duration"), ("a.timestamp - 1 hours", "misplaced-duration")],
)
def test_emissions_have_no_constants_of_time(value: str, code: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(
            "level 2\ntemplate A {}\ntemplate B { k : Integer }\n"
            f"rule R where a : A then emit B at a.timestamp with {{ k = {value} }}\n"
        )
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == [code]


def test_timestamps_print_in_utc() -> None:
    conditions = "timestamp < @2026-11-24T10:00:00.5+01:00, timestamp > @-99999999999999"
    text = f"level 2\ntemplate A {{}}\nrule R where a : A {{ {conditions} }}\n"
    printed = print_program(parse(text).source)
    assert "timestamp < @2026-11-24T09:00:00.500Z,\n" in printed
    assert "timestamp > @-99999999999999,\n" in printed


# --- The checker ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ("b.timestamp < a.timestamp", Verdict.REFUTED),
        ("b.timestamp <= a.timestamp + 1 minutes", Verdict.PROVED),
        ("b.timestamp - a.timestamp > 1 hours", Verdict.REFUTED),
        ("a.timestamp > @10, b.timestamp < @10", Verdict.REFUTED),
        ("time_of_day(b) >= 24 hours", Verdict.REFUTED),
        ("weekday(b) = 8", Verdict.REFUTED),
        ("weekday(b) = 3", Verdict.PROVED),
        ('weekday(b) = 3, weekday(b, "Asia/Tokyo") = 6', Verdict.NOT_PROVED),
        ("weekday(b) = 3, weekday(b) = 4", Verdict.REFUTED),
        ("weekday(b) = 3, weekday(a) = 1", Verdict.REFUTED),
        ('weekday(b, "Asia/Tokyo") = 8', Verdict.REFUTED),
        ("a.timestamp - b.timestamp = -1 hours, time_of_day(b) = 5 ms", Verdict.PROVED),
        ('matches(s, "a")', Verdict.PROVED),
    ],
)
def test_the_checker_reads_times(conditions: str, expected: Verdict) -> None:
    program = parse(
        "level 2\ntemplate A { s : String }\n"
        f"rule R where a : A, b : A {{ {conditions} }} when b in a [0 minutes, 1 hours]\n"
    )
    verdicts = {guarantee.name: guarantee.verdict for guarantee in check(program, timeout=10).guarantees}
    assert verdicts["can-match"] is expected
