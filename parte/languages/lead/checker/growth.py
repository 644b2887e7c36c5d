"""Which places keep more and more, shown by streams that grow (specification: lead-kept)."""

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
"""How often a stream is repeated."""
MOST_LETTERS = 8


def check_places(work: Work, stream: tuple[Event, ...] | None) -> None:
    """What each stateful place keeps: a bound, or streams on which it grows."""
    places = [place for place in work.net.places if place.red]
    growing = _growing(work, stream)
    evidence: list[Json] = []
    with work.found.deciding("bounded-places") as decision:
        for place in places:
            known = work.kept.get(place.number, Kept(None, None, None))
            shown = growing.get(place.number)
            if known.bounded and known.age is None and shown is not None:
                raise CheckerBug(f"`{place.name}` grows, and is to have a bound")
            evidence.append({"place": place.name, "keeps": str(known) if known.bounded else "no bound is known"})
            if not known.bounded:
                _found(work, place, shown)
        decision.evidence["places"] = evidence
        bounded = sum(work.kept.get(place.number, Kept(None, None, None)).bounded for place in places)
        decision.detail = f"{bounded} of {len(places)} places are bounded, in each partition"


def _found(work: Work, place: Place, shown: tuple[tuple[Event, ...], list[int]] | None) -> None:
    span = (place.pattern or work.rule.pattern).span
    if shown is None:
        message = f"whether the place `{place.name}` grows was not decided"
        work.found.find("growing-place", span, message, verdict=Verdict.NOT_PROVED)
        return
    stream, sizes = shown
    counts = ", ".join(map(str, sizes))
    work.found.find(
        "growing-place",
        span,
        f"what the place `{place.name}` keeps grows with the stream",
        reason=[f"it keeps {counts} when {len(stream)} events come {', '.join(map(str, SIZES))} times"],
        hint="`within` and `wait` bound it by time, `first` ends it with a match",
        evidence={"trace": trace(stream), "repeated": list(SIZES), "kept": list(sizes)},
    )


def _growing(work: Work, stream: tuple[Event, ...] | None) -> dict[int, tuple[tuple[Event, ...], list[int]]]:
    """Places by number with a stream that makes them grow when it is repeated, and how much they keep then."""
    found: dict[int, tuple[tuple[Event, ...], list[int]]] = {}
    sought = {each.number for each in work.net.places if each.red}
    sought -= {number for number, each in work.kept.items() if each.bounded}
    for word in _words(work, stream):
        if sought <= found.keys():
            break
        kept: list[dict[int, Measured]] = []
        for size in SIZES:
            run = work.run(_repeated(word, size))
            if run is None:
                break
            kept.append(run.kept)
        else:
            for number in kept[0]:
                sizes = [each[number].size for each in kept]
                if sizes[0] < sizes[1] < sizes[2] and sizes[2] >= SIZES[2] // 2:
                    found.setdefault(number, (word, sizes))
    return found


def _words(work: Work, stream: tuple[Event, ...] | None) -> Iterator[tuple[Event, ...]]:
    single = letters(work)[:MOST_LETTERS]
    yield from single
    if stream is not None:
        yield stream
        for one in single:
            yield (*stream, *_moved(one, stream[-1].timestamp + 1))
    for one in single[:4]:
        for other in single[:4]:
            if one is not other:
                yield (*one, *_moved(other, 1))


def _moved(stream: tuple[Event, ...], by: int) -> tuple[Event, ...]:
    return tuple(replace(each, timestamp=each.timestamp + by, id=f"{each.id}x") for each in stream)


def _repeated(stream: tuple[Event, ...], size: int) -> tuple[Event, ...]:
    """A stream so many times, each behind the one before."""
    length = stream[-1].timestamp + 1
    return tuple(
        replace(each, id=f"{each.id}.{number}", timestamp=each.timestamp + number * length)
        for number in range(size)
        for each in stream
    )
