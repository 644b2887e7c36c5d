"""The places that keep more and more tokens, with streams on which they grow (specification: lead-kept)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from parte.checker.report.contents import Json
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.verdict import Verdict
from parte.languages.lead.checker.liveness import letters, trace
from parte.languages.lead.checker.measuring import Measured
from parte.languages.lead.checker.places import Kept
from parte.languages.lead.checker.work import Work
from parte.languages.lead.semantics.net import Place
from parte.semantics.events.event import Event

SIZES = (6, 12, 24)
"""The numbers of times that a stream is repeated."""
MOST_LETTERS = 8


def check_places(work: Work, stream: tuple[Event, ...] | None) -> None:
    """Find for each stateful place a bound, or a stream on which it grows."""
    places = [place for place in work.net.places if place.red]
    growing = _growing(work, stream)
    evidence: list[Json] = []
    with work.collector.deciding("bounded-places") as decision:
        for place in places:
            known = work.bounds.get(place.number, Kept(None, None, None))
            growth = growing.get(place.number)
            if known.bounded and known.age is None and growth is not None:
                raise CheckerBug(f"`{place.name}` grows, and is to have a bound")
            evidence.append({"place": place.name, "keeps": str(known) if known.bounded else "no bound is known"})
            if not known.bounded:
                _report_growth(work, place, growth)
        decision.evidence["places"] = evidence
        bounded = sum(work.bounds.get(place.number, Kept(None, None, None)).bounded for place in places)
        decision.detail = f"{bounded} of {len(places)} places are bounded, in each partition"


def _report_growth(work: Work, place: Place, growth: tuple[tuple[Event, ...], list[int]] | None) -> None:
    span = (place.pattern or work.rule.pattern).span
    if growth is None:
        message = f"whether the place `{place.name}` grows was not decided"
        work.collector.find("growing-place", span, message, verdict=Verdict.NOT_PROVED)
        return
    stream, sizes = growth
    counts = ", ".join(map(str, sizes))
    work.collector.find(
        "growing-place",
        span,
        f"what the place `{place.name}` keeps grows with the stream",
        reason=[f"it keeps {counts} when {len(stream)} events come {', '.join(map(str, SIZES))} times"],
        hint="`within` and `wait` bound it by time, `first` ends it with a match",
        evidence={"trace": trace(stream), "repeated": list(SIZES), "kept": list(sizes)},
    )


def _growing(work: Work, stream: tuple[Event, ...] | None) -> dict[int, tuple[tuple[Event, ...], list[int]]]:
    """Return, by place number, a stream that makes the place grow when it is repeated, and the sizes that it then
    has."""
    growing: dict[int, tuple[tuple[Event, ...], list[int]]] = {}
    sought = {place.number for place in work.net.places if place.red}
    sought -= {number for number, limits in work.bounds.items() if limits.bounded}
    for word in _words(work, stream):
        if sought <= growing.keys():
            break
        measurements: list[dict[int, Measured]] = []
        for size in SIZES:
            run = work.run(_repeated(word, size))
            if run is None:
                break
            measurements.append(run.stored)
        else:
            for number in measurements[0]:
                sizes = [measurement[number].size for measurement in measurements]
                if sizes[0] < sizes[1] < sizes[2] and sizes[2] >= SIZES[2] // 2:
                    growing.setdefault(number, (word, sizes))
    return growing


def _words(work: Work, stream: tuple[Event, ...] | None) -> Iterator[tuple[Event, ...]]:
    single = letters(work)[:MOST_LETTERS]
    yield from single
    if stream is not None:
        yield stream
        for first in single:
            yield (*stream, *_moved(first, stream[-1].timestamp + 1))
    for first in single[:4]:
        for second in single[:4]:
            if first is not second:
                yield (*first, *_moved(second, 1))


def _moved(stream: tuple[Event, ...], by: int) -> tuple[Event, ...]:
    return tuple(replace(event, timestamp=event.timestamp + by, id=f"{event.id}x") for event in stream)


def _repeated(stream: tuple[Event, ...], size: int) -> tuple[Event, ...]:
    """Return a stream `size` times, each copy after the one before."""
    length = stream[-1].timestamp + 1
    return tuple(
        replace(event, id=f"{event.id}.{number}", timestamp=event.timestamp + number * length)
        for number in range(size)
        for event in stream
    )
