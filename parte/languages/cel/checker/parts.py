"""Checks that parts and clauses of a query count: without each, the results differ on some stream (specification:
cel-parts-count)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from parte.checker.report.collecting import Decision
from parte.checker.report.contents import Json
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.errors import CheckerBug
from parte.languages.cel.checker.letters import stream_of
from parte.languages.cel.checker.links import Asking, runs
from parte.languages.cel.checker.replay import results, trace
from parte.languages.cel.checker.search import Word, difference, shortest
from parte.languages.cel.checker.subject import (
    LARGEST,
    Subject,
    first_link,
    joined,
    placed,
    size,
    span_limit,
    stretched,
    subject_of,
)
from parte.languages.cel.checker.variants import Variant, without_clauses, without_parts
from parte.languages.cel.checker.work import Work
from parte.languages.cel.semantics.automata import Label
from parte.languages.cel.semantics.construction import constructed
from parte.languages.cel.semantics.determinised import States
from parte.languages.cel.semantics.refinement import rewrite
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.semantics.events.event import Event
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER

MOST_PARTS = 100
"""The greatest number of parts to examine."""

RUNS = 40
"""The number of runs to try, to show that a part counts in a query with links."""

PARTS = 5
"""The time for all parts together, as a multiple of the timeout of one question."""

LONGEST = 60
"""The length of the longest stream that is built as evidence."""


@dataclass(frozen=True, slots=True)
class Without:
    """The comparison of a query with one without a part: the results are the same, or differ on a stream."""

    variant: Variant
    same: bool
    stream: tuple[Event, ...] = ()


def check_parts_count(work: Work) -> None:
    """Report the parts that can be left out, all of them together."""
    current, examined = work.query, set[tuple[str, object]]()
    counting: list[Json] = []
    span = work.query.formula.span
    with work.deciding("every-part-counts", "useless-condition", span, "which parts count") as decision:
        work.alphabets(work.subject.automaton)  # if the query has too many letters, so has each variant
        whole = Clock(PARTS * work.timeout)
        while True:
            left = (
                candidate for candidate in without_parts(current) if (candidate.code, candidate.span) not in examined
            )
            variant = next(left, None)
            if variant is None:
                return
            if len(examined) == MOST_PARTS:
                raise Undecided(f"no more than {MOST_PARTS} parts are asked about")
            whole.tick(1)
            examined.add((variant.code, variant.span))
            with work.open(variant.code, variant.span, f"whether {variant.part} counts"):
                comparison = compared(work, current, variant)
                if comparison.same:
                    _useless(work, variant)
                    current = variant.query
                else:
                    counting.append(_counts(variant, comparison.stream))
                    _counted(decision, counting)


def check_clauses_count(work: Work) -> None:
    """Report the clauses that can be left out, each by itself."""
    counting: list[Json] = []
    with work.collector.deciding("every-clause-counts") as decision:
        for variant in without_clauses(work.query, work.clause("SELECT")):
            with work.open(variant.code, variant.span, f"whether {variant.part} counts"):
                comparison = compared(work, work.query, variant)
                if comparison.same:
                    _useless(work, variant)
                else:
                    counting.append(_counts(variant, comparison.stream))
        if work.query.window is not None:
            variant = Variant("useless-window", "WITHIN", work.clause("WITHIN"), replace(work.query, window=None))
            with work.open(variant.code, variant.span, "whether WITHIN counts"):
                stream = _excluded(work)
                if stream is None:
                    _useless(work, variant)
                elif stream:
                    counting.append(_counts(variant, stream))
        _counted(decision, counting)


def _useless(work: Work, variant: Variant) -> None:
    work.collector.find(
        variant.code,
        variant.span,
        f"{variant.part} changes nothing: on every stream the results are the same without it",
        hint="leave it out",
        evidence={"without": print_query(variant.query)},
    )


def _counts(variant: Variant, stream: Sequence[Event]) -> Json:
    """Return the entry for a part that counts: a stream on which the results differ without it."""
    return {"part": variant.part, "without": print_query(variant.query), "trace": trace(stream)}


def _counted(decision: Decision, counting: list[Json]) -> None:
    """Add the streams that show that parts count to a decision."""
    if counting:
        decision.detail = f"{len(counting)} shown to count by a stream each"
        decision.evidence["counting"] = counting


def compared(work: Work, query: tree.Query, variant: Variant) -> Without:
    """Return whether a query has the same results without a part. Raise Undecided if automata cannot decide this."""
    linked = any(isinstance(node, tree.Link) for node in tree.within(query.formula))
    try:
        word = separating(work, subject_of(query), subject_of(variant.query))
    except Undecided:
        stream_of_run = _run(work, query, variant.query) if linked else None
        if stream_of_run is None:
            raise
        return Without(variant, False, stream_of_run)
    if word is None:
        return Without(variant, True)
    stream = placed(query, word)
    if results(query, stream) != results(variant.query, stream):
        return Without(variant, False, stream)
    if query.consumption is not tree.Consumption.NONE:
        raise Undecided("the results that differ are consumed")
    stream_of_run = _run(work, query, variant.query) if linked else None
    if stream_of_run is not None:
        return Without(variant, False, stream_of_run)
    if linked:
        raise Undecided(f"no automaton expresses {first_link(query)}")
    raise CheckerBug("two queries that are to differ on a stream have the same results there")


def _run(work: Work, query: tree.Query, without: tree.Query) -> tuple[Event, ...] | None:
    """Return a stream on which queries with links differ, among those on which the second accepts a run; None if none
    of the shortest runs shows a difference."""
    (formula, conditions), (_, before) = rewrite(without.formula, stay=False), rewrite(query.formula, stay=False)
    if size(formula) > LARGEST:
        return None
    automaton = constructed(formula)
    asking = Asking(automaton, conditions, query.attributes, work.session, before if before != conditions else ())
    source = query.streams[0] if query.streams else "default"
    with suppress(Undecided):
        for run in islice(runs(automaton, span_limit(query), Clock(work.timeout, 5_000)), RUNS):
            _, events = asking.stream(run, source)
            stream = placed(query, events)
            if stream and results(query, stream) != results(without, stream):
                return stream
    return None


def separating(work: Work, left: Subject, right: Subject) -> Word | None:
    """Return a shortest interval for which only one of the automata has a result; None if the queries have the same
    results on all streams. With links, automata decide only whether the valuations are the same."""
    known = all(subject.exact or subject.conditions for subject in (left, right))
    alike = set(left.conditions) == set(right.conditions)
    if not known or not alike or (left.conditions and left.query.selected != right.query.selected):
        raise Undecided(f"no automaton expresses {first_link(left.query)}")
    clock, limit = work.clock(), span_limit(left.query)
    words = [
        difference(left.determinised, right.determinised, alphabet, clock)
        for alphabet in work.alphabets(*joined([left.automaton, right.automaton]))
    ]
    within = [word for word in words if word is not None and (limit is None or len(word) <= limit)]
    return min(within, key=len, default=None)


# --- Windows ----------------------------------------------------------------------------------------------------------


def _excluded(work: Work) -> tuple[Event, ...] | None:
    """Return a stream on which the window excludes a result, empty if it would be too long; None if the window never
    excludes one."""
    query = work.query
    limit = span_limit(query)
    timed = limit is None or stretched(query)
    word = _longer(work, 1 if timed else limit or 0, work.clock())
    if word is None:
        return None
    if not work.subject.exact:
        raise Undecided(f"no automaton expresses {first_link(query)}")
    stream = _stretched(query, word) if timed else stream_of(word)
    if len(stream) > LONGEST:
        return ()
    if results(query, stream) == results(replace(query, window=None), stream):
        if query.consumption is not tree.Consumption.NONE:
            raise Undecided("the results that differ are consumed")
        raise CheckerBug("a window that is to exclude a result excludes none")
    return stream


def _longer(work: Work, length: int, clock: Clock) -> Word | None:
    """Return a shortest accepted stream of more than `length` events."""
    automaton = work.relaxed.determinised
    finals = automaton.automaton.finals
    words = []
    for alphabet in work.alphabets(automaton.automaton):
        steps = [(letter, automaton.step(automaton.passed(letter)).targets) for letter in alphabet]
        moves = partial(_counting, steps, length)
        start = (automaton.automaton.initial, 0)
        word = shortest(start, moves, lambda node: node[0] in finals and node[1] > length, clock)
        words += [] if word is None else [word]
    return min(words, key=len, default=None)


def _counting(
    steps: Sequence[tuple[Event, Mapping[int, Mapping[Label, States]]]], most: int, node: tuple[int, int]
) -> Iterator[tuple[Event, tuple[int, int]]]:
    """Yield the next states of runs, with the number of their events up to `most + 1`."""
    state, count = node
    for letter, targets in steps:
        for reached in targets.get(state, {}).values():
            yield from ((letter, (target, min(count + 1, most + 1))) for target in sorted(reached))


def _stretched(query: tree.Query, word: Word) -> tuple[Event, ...]:
    """Return the stream with so much after its first event that the window does not reach from there to the last: time,
    or events that are in no substream."""
    first, *others = word
    match query.window:
        case tree.EventWindow(events=length):
            foreign = replace(
                first, attributes={}, source="".join(query.streams) + "_" if query.streams else first.source
            )
            return stream_of([first, *[foreign] * min(length, LONGEST), *others])
        case tree.TimeWindow():
            apart = query.window.milliseconds + 1
            begin = 0 if apart <= GREATEST_INTEGER else LEAST_INTEGER
            return tuple(
                replace(event, timestamp=begin + apart if number else begin)
                for number, event in enumerate(stream_of(word))
            )
        case None:
            return stream_of(word)
