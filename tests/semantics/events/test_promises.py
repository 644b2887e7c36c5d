"""Promises of progress (specification: promise-meaning; D §5.4.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Arrival, Event, Progress, TraceItem
from parte.semantics.events.problems import TraceError
from parte.semantics.events.promises import arrivals, pairs
from parte.semantics.events.trace import Trace


def event(id_: str, timestamp: int, source: str = "s", template: str = "T", line: int = 0) -> Event:
    return Event(id_, template, timestamp, {}, source, line)


def end(source: str, template: str) -> Arrival:
    return Arrival(source, template, POSITIVE_INFINITY, None)


def test_no_items_no_arrivals() -> None:
    assert arrivals([]) == ()
    assert pairs([]) == ()


def test_without_progress_lines_a_pair_promises_its_greatest_timestamp() -> None:
    a, b, c, d = event("a", 5), event("b", 2, "r"), event("c", 5), event("d", 1, template="U")
    assert pairs([a, b, c, d]) == (("s", "T"), ("r", "T"), ("s", "U"))
    assert arrivals([a, b, c, d]) == (
        Arrival("s", "T", 5, a),
        Arrival("r", "T", 2, b),
        Arrival("s", "T", 5, c),
        Arrival("s", "U", 1, d),
        end("s", "T"),
        end("r", "T"),
        end("s", "U"),
    )


def test_disorder_lowers_the_promise() -> None:
    items = [event("a", 10), event("b", 7), event("c", 20), event("d", 17)]
    assert [arrival.bound for arrival in arrivals(items, disorder=3)[:-1]] == [7, 7, 17, 17]
    with pytest.raises(TraceError):
        arrivals(items, disorder=2)


def test_a_pair_with_a_progress_line_promises_by_those_alone() -> None:
    items: list[TraceItem] = [
        event("a", 10),
        event("b", 3),
        Progress("s", "T", 3),
        event("c", 3),
        Progress("s", "T", 8),
        Progress("s", "T", 5),
        event("d", 8),
        event("e", 1, "r"),
    ]
    arriving = arrivals(items, disorder=1)
    assert [arrival.bound for arrival in arriving[:-2]] == [NEGATIVE_INFINITY, NEGATIVE_INFINITY, 3, 3, 8, 8, 8, 0]
    assert [arrival.event for arrival in arriving[:-2]] == [item if isinstance(item, Event) else None for item in items]


def test_a_breach_of_the_promise_of_an_event() -> None:
    items = Trace((event("a", 10, line=1), event("b", 12, line=2), event("c", 9, line=4)), "some.jsonl")
    with pytest.raises(TraceError) as caught:
        arrivals(items, disorder=1)
    assert str(caught.value) == (
        'some.jsonl:4: event "c" of T from source "s" is 3 ms older than "b" on line 2, and comes after it; '
        "the disorder is only 1 ms\n"
        "  hint: --disorder '3 ms' allows for all of them; otherwise put the events of a source and template in the "
        "order of their timestamps"
    )
    assert arrivals(items, disorder=3)


def test_one_disorder_admits_the_whole_trace() -> None:
    """The greatest lag is not that of the first breach, nor within the problems that are kept."""
    late = [event(f"b{number}", 9) for number in range(1200)]
    items: list[TraceItem] = [
        event("a", 10),
        *late,
        event("c", 70_000),
        event("d", 10_000),
        Progress("r", "T", 9),
        event("e", 1, "r"),
    ]
    with pytest.raises(TraceError) as caught:
        arrivals(items, disorder=0)
    advised = [problem.hint for problem in caught.value.problems if "--disorder" in problem.hint]
    assert len(advised) == 1
    assert "--disorder '1 minute' allows for all of them" in advised[0]
    assert caught.value.unlisted == 202
    first, more, hint, *_ = str(caught.value).splitlines()
    assert first == 'trace.jsonl: event "b0" of T from source "s" is 1 ms older than "a", and comes after it'
    assert more == "  and 1,200 more of these"
    assert hint in f"  hint: {advised[0]}"
    with pytest.raises(TraceError, match="the progress line promised"):
        arrivals(items, disorder=60_000)
    with pytest.raises(TraceError, match='"d"'):
        arrivals(items, disorder=59_999)


def test_a_breach_of_a_progress_line() -> None:
    with pytest.raises(TraceError) as caught:
        arrivals([Progress("s", "T", 10, line=1), Progress("s", "T", 4, line=2), event("c", 9, line=3)])
    (problem,) = caught.value.problems
    assert problem.line == 3
    assert "the progress line on line 1 promised that none below 10 would follow" in problem.message
    assert "before that progress line" in problem.hint


def test_every_breach_is_reported_and_none_lowers_the_promise() -> None:
    with pytest.raises(TraceError) as caught:
        arrivals([event("a", 10), event("b", 5), event("c", 6), event("d", 10)])
    assert [problem.message[:9] for problem in caught.value.problems] == ['event "b"', 'event "c"']


@pytest.mark.parametrize("disorder", [-1, 1.5, True])
def test_a_disorder_that_is_no_length_of_time_is_refused(disorder: int) -> None:
    with pytest.raises(ValueError, match=f"not negative; found {disorder}"):
        arrivals([], disorder=disorder)


# --- Properties ------------------------------------------------------------------------------------------------------

sources = st.sampled_from(["a", "b"])
templates = st.sampled_from(["T", "U"])
timestamps = st.integers(-20, 20)


def numbered(items: list[tuple[bool, str, str, int]]) -> list[TraceItem]:
    return [
        event(f"e{line}", timestamp, source, template, line)
        if is_event
        else Progress(source, template, timestamp, line=line)
        for line, (is_event, source, template, timestamp) in enumerate(items, 1)
    ]


traces = st.lists(st.tuples(st.integers(0, 3).map(bool), sources, templates, timestamps), max_size=12).map(numbered)


def late(items: list[TraceItem], disorder: int) -> list[int]:
    """The lines of the events that break a promise: the definition, without running maxima."""
    explicit = {(item.source, item.template) for item in items if isinstance(item, Progress)}
    lines: list[int] = []
    for position, item in enumerate(items):
        pair = (item.source, item.template)
        promised = [
            item.timestamp - (0 if pair in explicit else disorder)
            for item in items[:position]
            if (item.source, item.template) == pair and isinstance(item, Progress) == (pair in explicit)
        ]
        if isinstance(item, Event) and any(item.timestamp < bound for bound in promised):
            lines.append(item.line)
    return lines


@given(traces, st.integers(0, 10))
def test_exactly_the_late_events_are_refused(items: list[TraceItem], disorder: int) -> None:
    expected = late(items, disorder)
    if expected:
        with pytest.raises(TraceError) as caught:
            arrivals(items, disorder=disorder)
        assert [problem.line for problem in caught.value.problems] == expected
        return
    arriving = arrivals(items, disorder=disorder)
    assert [arrival.event for arrival in arriving[: len(items)]] == [
        item if isinstance(item, Event) else None for item in items
    ]
    for pair in pairs(items):
        own = [arrival for arrival in arriving if (arrival.source, arrival.template) == pair]
        bounds = [arrival.bound for arrival in own]
        assert bounds == sorted(bounds)
        assert own[-1] == end(*pair)
        for position, arrival in enumerate(own):
            assert all(later.event is None or later.event.timestamp >= arrival.bound for later in own[position + 1 :])


@given(st.lists(st.tuples(sources, templates, timestamps), min_size=1), st.integers(0, 10))
def test_a_trace_in_order_always_passes(rows: list[tuple[str, str, int]], disorder: int) -> None:
    in_order = sorted(rows, key=lambda row: row[2])
    assert arrivals(numbered([(True, *row) for row in in_order]), disorder=disorder)


@given(st.lists(timestamps, min_size=2, unique=True), st.data())
def test_swapping_two_neighbours_names_the_second(stamps: list[int], data: st.DataObject) -> None:
    stamps.sort()
    position = data.draw(st.integers(0, len(stamps) - 2))
    stamps[position], stamps[position + 1] = stamps[position + 1], stamps[position]
    with pytest.raises(TraceError) as caught:
        arrivals(numbered([(True, "a", "T", stamp) for stamp in stamps]))
    (problem,) = caught.value.problems
    assert problem.line == position + 2
    assert f'older than "e{position + 1}" on line {position + 1}, and comes after it' in problem.message
