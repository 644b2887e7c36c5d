"""Checks of the number of results at one event, and of the space of a run (specification: cel-growth, cel-bounds)."""

from __future__ import annotations

from collections.abc import Sequence

from parte.checker.report.collecting import Decision
from parte.checker.report.contents import Json
from parte.checker.solver.clock import Undecided
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.verdict import Verdict
from parte.languages.cel.checker.growth import Growth, growth, most_ways, ways
from parte.languages.cel.checker.letters import stream_of
from parte.languages.cel.checker.replay import count_at_the_end, results, stored_nodes, trace
from parte.languages.cel.checker.satisfiability import shortest_of
from parte.languages.cel.checker.search import shortest_empty
from parte.languages.cel.checker.space import Sizes, longest, sizes, unbounded
from parte.languages.cel.checker.subject import first_link, placed, span_limit
from parte.languages.cel.checker.work import Work
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

RESULTS_AT = 2, 4
"""The sizes at which a family of streams with many results is replayed."""

KEPT_AT = 8, 16
"""The sizes at which a family of streams that need much space is replayed."""


def check_events_in_results(work: Work) -> None:
    """Report whether a result can be an interval without events."""
    span, query = work.clause("SELECT"), work.query
    with work.deciding("events-in-results", "empty-result", span, "whether a result can be without events"):
        subject, limit = work.relaxed, span_limit(query)
        clock = work.clock()
        words = [
            shortest_empty(subject.determinised, alphabet, clock) for alphabet in work.alphabets(subject.automaton)
        ]
        word = min((candidate for candidate in words if candidate is not None), key=len, default=None)
        if word is None or (limit is not None and len(word) > limit):
            return
        stream = placed(query, word)
        if not any(not result.positions for result in results(query, stream)):
            if work.subject.exact and query.consumption is tree.Consumption.NONE:
                raise CheckerBug("a stream that is to have a result without events has none")
            excluded = "CONSUME BY" if work.subject.exact else first_link(query)
            raise Undecided(f"{excluded} excludes the one that was tried")
        work.collector.find(
            "empty-result",
            span,
            "a result may be an interval without events",
            reason=["what is selected can be empty though the formula fits"],
            hint="select a variable that every result has",
            evidence={"trace": trace(stream)},
        )


# --- How many results -------------------------------------------------------------------------------------------------


def check_results(work: Work) -> None:
    """Report whether the number of results that end at one event is bounded, and how it grows otherwise."""
    span, query = work.query.formula.span, work.query
    code = "exponential-results"
    with work.deciding("bounded-results", code, span, "how many results end at one event") as decision:
        subject, limit = work.relaxed, span_limit(query)
        if limit is not None:
            decision.detail = "its window bounds them"
        clock = work.clock()
        every = [
            ways(subject.determinised, alphabet, clock, results=True) for alphabet in work.alphabets(subject.automaton)
        ]
        if limit is None:
            worst = max((growth(choices, clock) for choices in every), key=_rank)
            if worst.degree != 0:
                _many_results(work, worst)
                return
        try:
            count, word = max((most_ways(choices, limit, clock) for choices in every), key=lambda counted: counted[0])
        except Undecided as problem:
            decision.detail = f"the greatest number was not computed: {problem}"
            return
        decision.evidence["results at one event"] = count
        decision.detail = f"at most {count}"
        stream = placed(query, word)
        if work.subject.exact and query.consumption is tree.Consumption.NONE:
            if count_at_the_end(query, stream) != count:
                raise CheckerBug("a stream has not as many results as it is to have")
            decision.evidence["trace"] = trace(stream)


def _rank(family: Growth) -> float:
    return float("inf") if family.degree is None else family.degree


def _many_results(work: Work, family: Growth) -> None:
    streams = [placed(work.query, family.stream(size)) for size in RESULTS_AT]
    counts = [count_at_the_end(work.query, stream) for stream in streams]
    if not all(count >= family.least(size) for count, size in zip(counts, RESULTS_AT, strict=True)):
        if work.subject.exact and work.query.consumption is tree.Consumption.NONE:
            raise CheckerBug("the results on a family of streams do not grow as they are to grow")
        excluded = "CONSUME BY" if work.subject.exact else first_link(work.query)
        raise Undecided(f"they are not bounded without {excluded}; the streams that were tried show no growth with it")
    timed = "in its window" if work.query.window is not None else "of the stream"
    exponential = family.degree is None
    work.collector.find(
        "exponential-results" if exponential else "polynomial-results",
        work.query.formula.span,
        f"the results that end at one event may grow {_speed(family)} with the events {timed}",
        reason=[
            f"repeat part of the stream given as evidence n times, and at least {_least(family)} results end at its "
            f"last event: {counts[0]} for n = {RESULTS_AT[0]}, {counts[1]} for n = {RESULTS_AT[1]}"
        ],
        hint="a window of events bounds them",
        evidence=_family(family, RESULTS_AT, counts, streams),
    )


def _speed(family: Growth) -> str:
    return "exponentially" if family.degree is None else f"with degree {family.degree}"


def _least(family: Growth) -> str:
    return "2^n" if family.degree is None else "n" if family.degree == 1 else f"n^{family.degree}"


def _family(
    family: Growth, at: Sequence[int], counts: Sequence[int], streams: Sequence[Sequence[Event]]
) -> dict[str, Json]:
    """Return the evidence of a family: its words, of which each second one is repeated, and the counts at two sizes."""
    words: list[Json] = [
        {"repeated": bool(place % 2), "trace": trace(stream_of(part))} for place, part in enumerate(family.parts)
    ]
    counted: list[Json] = [
        {"n": size, "found": count, "events": len(stream)}
        for size, count, stream in zip(at, counts, streams, strict=True)
    ]
    return {"words": words, "replayed": counted, "trace": trace(streams[0])}


# --- What must be kept ------------------------------------------------------------------------------------------------


def check_space(work: Work) -> None:
    """Report how many deterministic states and nodes a substream needs."""
    span = work.query.formula.span
    bounds: Sizes | None = None
    with work.deciding(
        "bounded-states", "too-many-states", span, "how many deterministic states there are"
    ) as decision:
        subject = work.subject
        if _unsupported(work):
            decision.verdict, decision.detail = Verdict.VACUOUS, "the machine does not run it"
        else:
            bounds = sizes(subject.determinised, work.query.window, work.alphabets(subject.automaton), work.clock())
            decision.detail = f"{bounds.states}; the automaton has {bounds.automaton}"
            decision.evidence.update(bounds.figures())
    clause = work.clause("WITHIN") if work.query.window is not None else span
    with work.deciding("bounded-space", "unbounded-space", clause, "whether what must be kept is bounded") as decision:
        if _unsupported(work):
            decision.verdict, decision.detail = Verdict.VACUOUS, "the machine does not run it"
        elif work.query.window is not None:
            if bounds is None:
                raise Undecided("the deterministic states were not counted")
            _windowed(work, bounds, decision)
        else:
            _windowless(work, bounds, decision)


def _unsupported(work: Work) -> bool:
    return not work.subject.exact and not work.subject.conditions


def _windowed(work: Work, bounds: Sizes, decision: Decision) -> None:
    if bounds.stored is not None:
        decision.detail = f"at most {bounds.stored:,} nodes"
    else:
        decision.detail = f"at most {bounds.kept_for_each:,} nodes for each event in the window"
    if work.query.attributes:
        decision.detail += f"; a substream for each {', '.join(work.query.attributes)}"


def _windowless(work: Work, bounds: Sizes | None, decision: Decision) -> None:
    subject = work.subject
    clock = work.clock()
    alphabets = work.alphabets(subject.automaton)
    every = [ways(subject.determinised, alphabet, clock, results=False) for alphabet in alphabets]
    family = _links_kept(work) or next(
        (f for f in (unbounded(choices, clock) for choices in every) if f is not None), None
    )
    if family is not None:
        _unbounded(work, family)
        return
    lengths = [longest(choices, clock) for choices in every]
    if bounds is not None and None not in lengths:
        most = max(length for length in lengths if length is not None) * bounds.nodes_made
        decision.detail = f"at most {most:,} nodes"
        decision.evidence["nodes kept"] = most


def _links_kept(work: Work) -> Growth | None:
    """Return a family of growing streams if there are conditions on links: then every event is kept, so any stream will
    do."""
    word = shortest_of(work, work.subject) if work.subject.conditions else None
    return None if word is None else Growth(1, ((), word))


def _unbounded(work: Work, family: Growth) -> None:
    streams = [placed(work.query, family.stream(size)) for size in KEPT_AT]
    counts = [stored_nodes(work.query, stream) for stream in streams]
    if any(count < size for count, size in zip(counts, KEPT_AT, strict=True)):
        raise CheckerBug("what is kept over a family of streams does not grow as it is to grow")
    work.collector.find(
        "unbounded-space",
        work.query.formula.span,
        "what must be kept grows with the stream",
        reason=[
            f"repeat part of the stream given as evidence n times: {counts[0]} nodes are kept for n = {KEPT_AT[0]}, "
            f"{counts[1]} for n = {KEPT_AT[1]}"
        ],
        hint="add a window, WITHIN n EVENTS or WITHIN n SECONDS",
        evidence=_family(family, KEPT_AT, counts, streams),
    )
