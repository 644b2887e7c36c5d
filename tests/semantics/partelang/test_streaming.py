"""A machine on a trace that is not held finds what it finds on one that is read whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from parte.conformance.partelang.strategies import cases
from parte.semantics.events.event import Arrival, Event, Progress, TraceItem
from parte.semantics.events.ids import HashedIds, LastIds
from parte.semantics.events.long_traces import LongTrace, Speakers, Unfit, lines_of, speakers
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.open_promises import INPUT, OpenPromises, ends, inputs
from parte.semantics.events.outcome import in_order
from parte.semantics.events.problems import TraceError
from parte.semantics.events.scenario import Arriving, Scenario
from parte.semantics.events.trace import trace_lines
from parte.semantics.events.units import Units
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.repairs import PUBLISHED, RUDIMENTARY, SOUND, family_of
from parte.semantics.partelang.streaming import _PAUSE, Streaming
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.rulebook.models import Model

Case = tuple[core.Program, tuple[TraceItem, ...]]
MODELS = st.sampled_from((SOUND, PUBLISHED, RUDIMENTARY))


def outcome_of(running: Streaming, lines: Sequence[str], at_once: int) -> tuple[object, object]:
    """The outcome of a run that is fed some lines at once."""
    matches: list[Match] = []
    for start in range(0, len(lines), at_once):
        for batch in running.feed(lines[start : start + at_once]):
            assert list(batch) == canonical(batch)
            matches += batch
    for batch in running.end():
        matches += batch
    return canonical(matches), in_order(running.lost())


def streaming(program: core.Program, who: Speakers, model: Model = SOUND) -> Streaming:
    trace = LongTrace(program, who, 0, Units())
    machine = Machine(compile_program(program, {}, who.sources(), family_of(model)), model)
    return Streaming(machine, trace.arriving, trace.ends)


def whole(program: core.Program, items: tuple[TraceItem, ...], model: Model) -> tuple[object, object]:
    outcome = execute(Scenario.of(program, items), model=model)
    return list(outcome.matches), outcome.failures


@settings(max_examples=60)
@given(cases(), MODELS)
def test_a_file_read_twice_is_a_trace_read_whole(case: Case, model: Model) -> None:
    program, items = case
    lines = list(trace_lines(items))
    who = speakers(lines)
    for at_once in (1, 3):
        assert outcome_of(streaming(program, who, model), lines, at_once) == whole(program, items, model)
    event(f"pairs that promise by progress lines: {min(len(who.explicit), 2)}")


def open_arrivals(program: core.Program, items: Iterable[TraceItem], disorder: int = 0) -> Iterator[Arrival]:
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    sources = inputs([template.name for template in program.templates], emitted)
    arriving = Arriving(program, OpenPromises(None, disorder, emitted=emitted), LastIds())
    for line in trace_lines(items):
        yield from arriving.more((line,))
    yield from ends(list(sources))


@settings(max_examples=50)
@given(cases())
def test_what_is_answered_while_a_trace_comes_is_what_it_means(case: Case) -> None:
    """If the trace keeps to what those who spoke first have promised; else it is refused."""
    program, items = case
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    sources = inputs([template.name for template in program.templates], emitted)
    machine = Machine(compile_program(program, {}, sources))
    arriving = Arriving(program, OpenPromises(None, 0, emitted=emitted), LastIds())
    try:
        piecewise = outcome_of(Streaming(machine, arriving, lambda: ends(list(sources))), list(trace_lines(items)), 1)
    except TraceError:
        event("refused")
        return
    assert piecewise == whole(program, items, SOUND)
    assert machine.finished


PAIRS = parse("template A {} template B {} template C {} rule R where a : A no b : B when no b in a [0 ms, 3 ms]")


def at(template: str, timestamp: int, source: str = "s") -> Event:
    return Event(f"{template}{timestamp}{source}", template, timestamp, {}, source)


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([at("A", 5), at("A", 5, "t"), at("A", 6)], ""),
        ([at("A", 5), at("A", 4, "t")], 'from source "t"'),
        ([at("A", 5), Progress("t", "A", 4), at("A", 4, "t")], "1 ms below what other sources have promised before"),
        ([at("A", 5), Progress("t", "A", 4), at("A", 5, "t")], ""),
        ([Progress("t", "A", 0), at("A", 5), at("A", 4, "t")], ""),
        ([at("A", 5), at("A", 4)], "'1 ms' is enough so far"),
        ([at("A", 5), Progress("s", "A", 7), at("A", 6)], "the progress line on line 2 promised"),
        ([Progress("s", "A", 2), at("A", 5), at("A", 4)], ""),
        ([at("A", 5), Progress("s", "A", 3), at("A", 4)], "1 ms older than"),
    ],
)
def test_who_speaks_later_keeps_to_what_was_promised(items: list[TraceItem], problem: str) -> None:
    arrivals = open_arrivals(PAIRS, items)
    if problem:
        with pytest.raises(TraceError, match=problem):
            list(arrivals)
    else:
        bounds = [arrival.bound for arrival in arrivals if arrival.template == "A"]
        assert bounds == sorted(bounds)


def test_a_disorder_admits_a_source_that_is_behind() -> None:
    items = [at("A", 5), at("A", 4, "t")]
    assert [arrival.bound for arrival in open_arrivals(PAIRS, items, 1)][:2] == [4, 4]
    assert {arrival.source for arrival in open_arrivals(PAIRS, items, 1)} == {INPUT}


def test_of_what_rules_emit_no_events_come_line_by_line() -> None:
    program = parse("template A {} template B {} rule R where a : A then emit B at a.timestamp")
    with pytest.raises(TraceError, match="rules of the program emit events of B"):
        list(open_arrivals(program, [at("B", 1)]))


@pytest.mark.parametrize("line", ["[]", "nonsense", '{"template":1}', '{"source":1,"template":"A"}', "[" * 100_000])
def test_what_is_no_trace_is_better_read_whole(line: str) -> None:
    with pytest.raises(Unfit):
        speakers([line])


@pytest.mark.parametrize(
    "items",
    [
        [at("A", 5), at("A", 5)],
        [at("A", 5), at("A", 4)],
        [at("D", 5)],
        [Progress("s", "A", 7), at("A", 5)],
    ],
)
def test_what_is_wrong_is_noticed_by_the_end(items: list[TraceItem]) -> None:
    lines = list(trace_lines(items))
    with pytest.raises((Unfit, TraceError)):
        outcome_of(streaming(PAIRS, speakers(lines)), lines, 2)


def test_what_is_stored_does_not_grow_with_the_trace(tmp_path: Path) -> None:
    """Nor does what is read at once."""
    program = parse(
        "template A { k : Integer } rule R where a : A b : A { k = a.k } c : A { k = b.k } no d : A { k = c.k, k > 1 }"
        "when b in a [1 ms, 9 ms], c in b [1 ms, 9 ms], no d in c [1 ms, 9 ms]"
    )
    most = []
    for length in (2_000, 8_000):
        path = tmp_path / f"{length}.jsonl"
        events = (Event(f"e{n}", "A", n, {"k": n % 3}, "s") for n in range(length))
        path.write_text("".join(f"{line}\n" for line in trace_lines(events)), encoding="utf-8")
        who = speakers(lines_of(str(path)))
        running = streaming(program, who)
        most.append(0)
        for line in lines_of(str(path)):
            for _ in running.feed((line,)):
                most[-1] = max(most[-1], sum(running.stored().values()))
                assert not running.machine.matches
        assert [*running.end()]
        assert running.lines == length + 1
    assert most[0] == most[1] > 0


def test_a_run_without_matches_pauses(tmp_path: Path) -> None:
    program = parse("template A { k : Integer } rule R where a : A { k = 1 }")
    path = tmp_path / "trace.jsonl"
    events = [Event(f"e{n}", "A", n, {"k": n // 5_999}, "s") for n in range(6_000)]
    path.write_text("".join(f"{line}\n" for line in trace_lines(events)), encoding="utf-8")
    running = streaming(program, speakers(lines_of(str(path))))
    batches = [*running.feed(lines_of(str(path))), *running.end()]
    assert [match.bindings for batch in batches for match in batch] == [(("a", "e5999"),)]
    steps = running.machine.steps_taken
    assert steps > 2 * _PAUSE
    assert 2 <= batches.count(()) <= steps // _PAUSE


def test_the_last_ids_are_remembered() -> None:
    ids = LastIds(10)
    assert [ids.setdefault(f"e{number}", number) for number in range(100)] == list(range(100))
    assert [ids.setdefault(f"e{number}", 500) for number in range(90, 100)] == list(range(90, 100))
    assert ids.setdefault("e0", 500) == 500


def test_ids_of_eight_bytes_are_distinct_or_not() -> None:
    ids = HashedIds()
    assert [ids.setdefault(letter, 1) for letter in "abc"] == [1, 1, 1]
    assert ids.distinct()
    ids.setdefault("a", 2)
    assert not ids.distinct()
