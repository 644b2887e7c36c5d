"""The room that mutants run in is measured right: the rates of a trace hold of it, and no lower ones would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parte.conformance.partelang.mutants.space import measured_supplies
from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.events.promises import arrivals

times = st.lists(st.integers(-20, 20), min_size=1, max_size=12)


def events(stamps: list[int]) -> list[Event]:
    return [Event(f"e{number}", "A", stamp, {}) for number, stamp in enumerate(stamps)]


@given(times)
def test_no_window_of_a_trace_holds_more_than_its_rate_allows(stamps: list[int]) -> None:
    (supply,) = measured_supplies(arrivals(events(sorted(stamps)))).values()
    for start in stamps:
        for width in range(41):
            assert sum(start <= stamp <= start + width for stamp in stamps) <= supply.rate.within(width)


@given(times)
def test_as_many_events_as_the_rate_says_come_in_one_period(stamps: list[int]) -> None:
    (supply,) = measured_supplies(arrivals(events(sorted(stamps)))).values()
    rate = supply.rate
    most = max(sum(start <= stamp < start + rate.period for stamp in stamps) for start in stamps)
    assert most == rate.events


@given(times)
def test_lateness_is_how_far_promises_stay_behind(stamps: list[int]) -> None:
    greatest = [max(stamps[: count + 1]) for count in range(len(stamps))]
    behind = max(so_far - stamp for so_far, stamp in zip(greatest, stamps, strict=True))
    (supply,) = measured_supplies(arrivals(events(stamps), disorder=behind)).values()
    assert supply.late == behind


def test_a_source_that_sends_nothing_has_no_supply() -> None:
    items: list[TraceItem] = [*events([1]), Progress("silent", "A", 5)]
    assert list(measured_supplies(arrivals(items))) == [("default", "A")]
