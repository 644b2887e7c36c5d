"""The engines of a stream side by side, batch by batch, without Spark (specification: prompt-reports, prompt-lag)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.conformance.partelang.strategies import programs
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.retention import retention
from parte.semantics.partelang.syntax import core, parse
from tests.campaigns.determined import Key, key_of, window_of
from tests.spark_adapter.stream.drawn import Batches, streams
from tests.spark_adapter.stream.test_bucket import Simulation as Buckets
from tests.spark_adapter.stream.test_keyed import Simulation as Keys

WITHOUT_SPARK = True


def reported(program: core.Program, stream: Batches) -> tuple[dict[Key, int], dict[Key, int], dict[Key, Match]]:
    """By match the batch in which queries report it, the one in which the machine does, and the matches themselves."""
    buckets, keys = Buckets(program, 1), Keys(program)
    by_queries: dict[Key, int] = {}
    by_machine: dict[Key, int] = {}
    for number, (events, promise) in enumerate(stream):
        buckets.batch(events, promise)
        keys.batch(events, promise)
        for match in buckets.matches:
            by_queries.setdefault(key_of(match), number)
        for match in keys.matches:
            by_machine.setdefault(key_of(match), number)
    buckets.close()
    return by_queries, by_machine, {key_of(match): match for match in keys.matches}


def at_the_latest(program: core.Program, stream: Batches, matches: Mapping[Key, Match]) -> dict[Key, int]:
    """By match the batch in which prompt-lag has it reported: its events are there, and the promise lies beyond the end
    of each of its windows by more than the lag of the template, as the analysis of the machine has that lag."""
    network = compile_program(program, {}, {template.name: ("stream",) for template in program.templates})
    lags = {name.removeprefix("entry:"): flow.lag for name, flow in retention(network, {}).streams.items()}
    came = {event.id: number for number, (events, _) in enumerate(stream) for event in events}
    times = {event.id: event.timestamp for events, _ in stream for event in events}
    times |= {event.id: event.timestamp for match in matches.values() for event in match.emits}
    latest: dict[Key, int] = {}
    for rule in (rule for rules in program.rules_by_stratum() for rule in rules):
        for key, match in ((key, match) for key, match in matches.items() if match.rule == rule.name):
            stamps = {variable: times[identity] for variable, identity in match.bindings}
            moment = max(came[identity] for _, identity in match.bindings)
            for pattern in (pattern for pattern in rule.patterns if pattern.negated):
                opens, closes = window_of(rule, pattern, stamps)
                if opens <= closes:
                    beyond = closes + lags.get(pattern.template, 0)
                    moment = max(moment, next(n for n, (_, promise) in enumerate(stream) if promise > beyond))
            latest[key] = moment
            came |= {event.id: moment for event in match.emits}
    return latest


def negates_what_rules_emit(program: core.Program) -> bool:
    """Whether a rule negates what a rule emits, so that lags count."""
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    return any(pattern.negated and pattern.template in emitted for rule in program.rules for pattern in rule.patterns)


def compare(program: core.Program, stream: Batches) -> None:
    """The machine reports first, queries no later than prompt-lag says, and both at once where no lag counts."""
    by_queries, by_machine, matches = reported(program, stream)
    assert by_queries.keys() == by_machine.keys()
    latest = at_the_latest(program, stream, matches)
    for key, batch in by_queries.items():
        assert by_machine[key] <= batch <= latest[key], key
    if not negates_what_rules_emit(program):
        assert by_queries == by_machine


@given(programs(), streams())
def test_both_engines_report_a_match_in_the_same_batch(program: core.Program, stream: Batches) -> None:
    compare(program, stream)


@st.composite
def negating(draw: st.DrawFn) -> core.Program:
    """Two rules that emit, one of them what it takes from the other perhaps, and one that negates what they emit."""

    def window() -> str:
        least = draw(st.integers(-4, 6))
        return f"[{least} ms, {least + draw(st.integers(0, 6))} ms]"

    at = st.sampled_from(("x.timestamp", "y.timestamp - 2 ms", "min(x.timestamp, y.timestamp)", "y.timestamp + 3 ms"))
    templates = " ".join(f"template {name} {{ k: Integer x: Float s: String b: Boolean }}" for name in "ABCDE")
    fields = 'with { k = x.k, x = 0.0, s = "", b = true }'
    return parse(f"""
        {templates}
        rule First where x: A, y: B, no n: C when y in x {window()}, no n in x {window()}
        then emit D at {draw(at)} {fields}
        rule Second where x: {draw(st.sampled_from("AD"))}, y: C when y in x {window()}
        then emit E at {draw(at)} {fields}
        rule Alone where c: C, no n: {draw(st.sampled_from("DE"))}
        when no n in c {window()}, no n in c {window()} then
    """)


@given(negating(), streams())
def test_queries_report_no_later_than_the_lag_allows(program: core.Program, stream: Batches) -> None:
    compare(program, stream)


@pytest.mark.parametrize(
    ("windows", "batches"),
    [
        # An event that lies 6 ms after a lies not 3 ms after it: nothing can take the match away.
        ("no n in a [6 ms, 7 ms], no n in a [-5 ms, 3 ms]", {2: 0, 5: 0}),
        # The same for b at 2, whose window opens at 12, not for b at 5 ms after a, whose window opens at 9.
        ("no n in a [0 ms, 9 ms], no n in b [4 ms, 20 ms]", {2: 2, 5: 2, 6: 0}),
    ],
)
def test_windows_that_do_not_overlap_are_not_waited_for(windows: str, batches: Mapping[int, int]) -> None:
    program = parse(f"""
        template A {{ }} template N {{ }} template B {{ }} template D {{ }}
        rule R where a: A, b: B, no n: N when b in a [0 ms, 6 ms], {windows} then emit D at b.timestamp with {{ }}
        rule After where d: D, no n: N when no n in d [1 ms, 2 ms], no n in d [3 ms, 4 ms] then
    """)
    events = (Event("a", "A", 0, {}), *(Event(f"b{time}", "B", time, {}) for time in batches))
    stream = ((events, NEGATIVE_INFINITY), ((), 9), ((), 10), ((), POSITIVE_INFINITY))
    by_queries, by_machine, _ = reported(program, stream)
    expected = {("R", (("a", "a"), ("b", f"b{time}"))): batch for time, batch in batches.items()}
    assert {key: batch for key, batch in by_queries.items() if key[0] == "R"} == expected
    assert sorted(by_queries.values()) == sorted([*batches.values()] * 2)
    assert by_queries == by_machine


def test_queries_take_the_whole_lag_of_what_rules_emit() -> None:
    """As prompt-lag says. The machine stores nothing that could still emit, and knows."""
    program = parse("""
        template A { } template B { } template C { } template D { }
        rule Pair where a: A, b: B when b in a [0 ms, 5 ms] then emit D at a.timestamp with { }
        rule Alone where c: C, no d: D when no d in c [0 ms, 1 ms] then
    """)
    stream = (((Event("c", "C", 0, {}),), NEGATIVE_INFINITY), ((), 2), ((), 6), ((), 7), ((), POSITIVE_INFINITY))
    key = ("Alone", (("c", "c"),))
    by_queries, by_machine, matches = reported(program, stream)
    assert (by_machine[key], by_queries[key], at_the_latest(program, stream, matches)[key]) == (1, 3, 3)
