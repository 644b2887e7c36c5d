"""Whether parts and clauses of a query count: whether without one it has other results on some stream (specification:
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
"""So many parts are asked about."""

RUNS = 40
"""So many runs are tried, to show that a part counts beside links."""

PARTS = 5
"""All of them may take so many times what one question may."""

LONGEST = 60
"""Streams that are to be longer are not written down."""


@dataclass(frozen=True, slots=True)
class Without:
    """What was found of a query without a part: the same results, or a stream on which they differ."""

    variant: Variant
    same: bool
    stream: tuple[Event, ...] = ()


def check_parts_count(work: Work) -> None:
    """Find the parts that can be left out, all of them at once."""
    current, asked = work.query, set[tuple[str, object]]()
    counting: list[Json] = []
    span = work.query.formula.span
    with work.deciding("every-part-counts", "useless-condition", span, "which parts count") as decision:
        work.alphabets(work.subject.automaton)  # if the query has too many, so has each without a part
        whole = Clock(PARTS * work.timeout)
        while True:
            left = (each for each in without_parts(current) if (each.code, each.span) not in asked)
            variant = next(left, None)
            if variant is None:
                return
            if len(asked) == MOST_PARTS:
                raise Undecided(f"no more than {MOST_PARTS} parts are asked about")
            whole.tick(1)
            asked.add((variant.code, variant.span))
            with work.open(variant.code, variant.span, f"whether {variant.part} counts"):
                found = compared(work, current, variant)
                if found.same:
                    _useless(work, variant)
                    current = variant.query
                else:
                    counting.append(_counts(variant, found.stream))
                    _counted(decision, counting)


def check_clauses_count(work: Work) -> None:
    """Find the clauses that can be left out, each by itself."""
    counting: list[Json] = []
    with work.found.deciding("every-clause-counts") as decision:
        for variant in without_clauses(work.query, work.clause("SELECT")):
            with work.open(variant.code, variant.span, f"whether {variant.part} counts"):
                found = compared(work, work.query, variant)
                if found.same:
                    _useless(work, variant)
                else:
                    counting.append(_counts(variant, found.stream))
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
    work.found.find(
        variant.code,
        variant.span,
        f"{variant.part} changes nothing: on every stream the results are the same without it",
        hint="leave it out",
        evidence={"without": print_query(variant.query)},
    )


def _counts(variant: Variant, stream: Sequence[Event]) -> Json:
    """A stream on which the results are others without a part."""
    return {"part": variant.part, "without": print_query(variant.query), "trace": trace(stream)}


def _counted(decision: Decision, counting: list[Json]) -> None:
    """Say with which streams parts were shown to count."""
    if counting:
        decision.detail = f"{len(counting)} shown to count by a stream each"
        decision.evidence["counting"] = counting


def compared(work: Work, query: tree.Query, variant: Variant) -> Without:
    """Whether a query has the same results without a part. Undecided where automata cannot tell."""
    linked = any(isinstance(node, tree.Link) for node in tree.within(query.formula))
    try:
        word = separating(work, subject_of(query), subject_of(variant.query))
    except Undecided:
        shown = _run(work, query, variant.query) if linked else None
        if shown is None:
            raise
        return Without(variant, False, shown)
    if word is None:
        return Without(variant, True)
    stream = placed(query, word)
    if results(query, stream) != results(variant.query, stream):
        return Without(variant, False, stream)
    if query.consumption is not tree.Consumption.NONE:
        raise Undecided("the results that differ are consumed")
    shown = _run(work, query, variant.query) if linked else None
    if shown is not None:
        return Without(variant, False, shown)
    if linked:
        raise Undecided(f"no automaton expresses {first_link(query)}")
    raise CheckerBug("two queries that are to differ on a stream have the same results there")


def _run(work: Work, query: tree.Query, without: tree.Query) -> tuple[Event, ...] | None:
    """A stream on which queries with links differ, of those on which a run of the second is accepted; None if none of
    the shortest shows it."""
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


def separating(work: Work, one: Subject, other: Subject) -> Word | None:
    """A shortest interval of which one automaton has a result and the other has not; None if the queries have the same
    results on all streams. With links, automata tell only that valuations are the same."""
    known = all(each.exact or each.conditions for each in (one, other))
    alike = set(one.conditions) == set(other.conditions)
    if not known or not alike or (one.conditions and one.query.selected != other.query.selected):
        raise Undecided(f"no automaton expresses {first_link(one.query)}")
    clock, limit = work.clock(), span_limit(one.query)
    words = [
        difference(one.determinised, other.determinised, alphabet, clock)
        for alphabet in work.alphabets(*joined([one.automaton, other.automaton]))
    ]
    within = [word for word in words if word is not None and (limit is None or len(word) <= limit)]
    return min(within, key=len, default=None)


# --- Windows ----------------------------------------------------------------------------------------------------------


def _excluded(work: Work) -> tuple[Event, ...] | None:
    """A stream on which the window excludes a result, empty if it would be too long; None if it never excludes one."""
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
    """A shortest accepted stream of more events than `length`."""
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
    """Where runs go, with the number of their events as far as it matters."""
    state, count = node
    for letter, targets in steps:
        for reached in targets.get(state, {}).values():
            yield from ((letter, (each, min(count + 1, most + 1))) for each in sorted(reached))


def _stretched(query: tree.Query, word: Word) -> tuple[Event, ...]:
    """The stream with so much behind its first event that the window does not reach from there to its last: time, or
    events that are in no substream."""
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
                replace(each, timestamp=begin + apart if number else begin)
                for number, each in enumerate(stream_of(word))
            )
        case None:
            return stream_of(word)
