"""Timestamps in another unit than milliseconds: when that is in doubt, and what is said."""

from __future__ import annotations

import json

import pytest

from parte.semantics.events.event import Event
from parte.semantics.events.problems import TraceError
from parte.semantics.events.promises import arrivals
from parte.semantics.events.trace import read_trace
from parte.semantics.events.units import unit_of

NOON = 1777896000
"""2026-05-04T12:00:00Z, in seconds."""


def doubt(*times: object) -> str:
    return read_trace([json.dumps({"template": "T", "timestamp": time}) for time in times]).doubt


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ((NOON,), "the timestamp looks like seconds since 1970, where milliseconds are meant"),
        ((NOON, NOON + 5), "all timestamps look like seconds"),
        ((NOON + 5, NOON), f"{NOON + 5} on line 1 is taken for 1970-01-21, not 2026-05-04"),
        ((NOON * 10**6, NOON * 10**6), "all timestamps look like microseconds"),
        ((NOON * 10**9,), "the timestamp looks like nanoseconds"),
        (
            (NOON * 1000, NOON, NOON + 1),
            f"2 of 3 timestamps look like seconds since 1970, where milliseconds are meant: {NOON} on line 2",
        ),
        (("2026-05-04T12:00:00Z", NOON), "1 of 2 timestamps looks like seconds"),
        ((NOON * 10**6, NOON * 1000), "1 of 2 timestamps looks like microseconds"),
    ],
)
def test_a_doubt(times: tuple[object, ...], said: str) -> None:
    assert said in doubt(*times)
    assert doubt(*times).endswith(("write it as 1777896000000, or in ISO 8601, as 2026-05-04T12:00:00Z", "12:00:05Z"))


@pytest.mark.parametrize(
    "times",
    [
        (),
        (0, 1, 10**6),
        (0, 86_400_000, 30 * 86_400_000),  # a clock that begins at 0, after two weeks
        (999_999_999, 10**9),
        (NOON * 1000, NOON * 1000 + 5),
        ("1970-01-21T13:51:36Z", "1970-01-21T13:51:37Z"),
        (-NOON,),
        (2**63 - 1, -(2**63)),
        (NOON * 1000, 5),
    ],
)
def test_no_doubt(times: tuple[object, ...]) -> None:
    assert doubt(*times) == ""


def test_promises_count_too_and_a_doubt_is_no_part_of_what_a_trace_is() -> None:
    lines = [json.dumps({"source": "s", "template": "T", "progress": NOON})]
    assert "looks like seconds" in read_trace(lines).doubt
    assert read_trace(lines) == read_trace(lines).__class__(read_trace(lines).items)


@pytest.mark.parametrize("time", [10**9, NOON, 4 * 10**9 - 1])
def test_units(time: int) -> None:
    assert [unit_of(time * 1000**power) for power in range(4)] == [
        "seconds",
        "milliseconds",
        "microseconds",
        "nanoseconds",
    ]


def test_an_event_in_seconds_after_one_in_milliseconds_is_advised_no_disorder() -> None:
    with pytest.raises(TraceError) as caught:
        arrivals([Event("a", "T", NOON * 1000, {}), Event("b", "T", NOON, {}), Event("c", "T", NOON * 1000 - 5, {})])
    seconds, late = caught.value.problems
    assert seconds.hint == (
        "the first looks like seconds, the second like milliseconds: write all timestamps in milliseconds"
    )
    assert "--disorder '5 ms' allows for all of them" in late.hint
