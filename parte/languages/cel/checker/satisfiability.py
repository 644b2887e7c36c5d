"""Checks that some stream has a result, and that some events fit each part of the formula (specification:
cel-satisfiable)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from parte.checker.report.collecting import Decision
from parte.checker.report.contents import Json
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Core, Status, minimal_core
from parte.languages.cel.checker.encoding import Encoding
from parte.languages.cel.checker.links import MOST_RUNS, Asking, runs
from parte.languages.cel.checker.replay import results, trace
from parte.languages.cel.checker.search import Word, shortest_result
from parte.languages.cel.checker.subject import Subject, first_link, placed, span_limit, subject_of, without_links
from parte.languages.cel.checker.work import Work
from parte.languages.cel.semantics.automata import Automaton, IsType
from parte.languages.cel.semantics.construction import constructed
from parte.languages.cel.semantics.determinised import Determinised
from parte.languages.cel.semantics.refinement import rewrite
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.printer import formula_text, predicate_text
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event

MOST_PARTS = 200
"""The greatest number of parts of a formula whose parts are examined."""


def check_satisfiable(work: Work) -> bool | None:
    """Return whether some stream has a result; None if that was not decided."""
    span = work.query.formula.span
    answer = None
    with work.deciding("satisfiable", "unsatisfiable-query", span, "whether any stream has a result") as decision:
        stream = _stream(work)
        answer = stream is not None
        if stream is None:
            _unsatisfiable(work)
        else:
            _add_evidence(work.query, stream, decision)
    return answer


def _add_evidence(query: tree.Query, stream: Sequence[Event], decision: Decision) -> None:
    result_list = results(query, stream)
    if not result_list:
        raise CheckerBug("a stream that is to have a result has none")
    decision.detail = f"a stream of {len(stream)} event{'' if len(stream) == 1 else 's'} has one"
    first_results: list[Json] = [result_json(result, stream) for result in result_list[:10]]
    decision.evidence.update({"trace": trace(stream), "results": first_results})


def result_json(result: ComplexEvent, stream: Sequence[Event]) -> Json:
    """Return a result as `parte run` prints it."""
    return {"start": result.start, "end": result.end, "events": [stream[place].id for place in result.positions]}


def _stream(work: Work) -> tuple[Event, ...] | None:
    """Return a stream with a result, a shortest one if automata decide; None if there is none."""
    limit = span_limit(work.query)
    relaxed = work.relaxed
    try:
        word = shortest_of(work, relaxed)
    except Undecided:  # there are too many letters, but a run needs few of them
        return _by_runs(work, limit)
    if word is None or (limit is not None and len(word) > limit):
        return None
    return placed(work.query, word) if work.subject.exact else _by_runs(work, limit)


def shortest_of(work: Work, subject: Subject) -> Word | None:
    """Return the shortest stream on which the automaton of a query accepts a run."""
    clock = work.clock()
    words = [shortest_result(subject.determinised, alphabet, clock) for alphabet in work.alphabets(subject.automaton)]
    return min((word for word in words if word is not None), key=len, default=None)


def _by_runs(work: Work, limit: int | None) -> tuple[Event, ...] | None:
    """Return a stream that satisfies the links, searching run by run. If the machine supports the links, there is no
    stream once no run is left."""
    known = work.subject.exact or bool(work.subject.conditions)
    if known:
        automaton, conditions = work.subject.automaton, work.subject.conditions
    else:
        formula, conditions = rewrite(work.query.formula, stay=False)
        automaton = constructed(formula)
    source = work.query.streams[0] if work.query.streams else "default"
    asking = Asking(automaton, conditions, work.query.attributes, work.session)
    clock, sure = Clock(work.timeout, 20_000), known
    for number, run in enumerate(runs(automaton, limit, clock)):
        if number == MOST_RUNS:
            raise Undecided(f"no events take the {MOST_RUNS} shortest runs")
        status, events = asking.stream(run, source)
        stream = placed(work.query, events)
        sure = sure and status is not Status.UNKNOWN
        if status is Status.SATISFIABLE and (known or results(work.query, stream)):
            return stream
    if not sure:
        raise Undecided(f"no stream that was tried has a result with {first_link(work.query)}")
    return None


# --- Why there is none ------------------------------------------------------------------------------------------------


def _unsatisfiable(work: Work) -> None:
    limit = span_limit(work.query)
    try:
        word = shortest_of(work, work.relaxed)
    except Undecided:
        word = None
    parts = list(empty_parts(work)) if word is None else []
    why: list[str] = []
    if word is not None and limit is not None and len(word) > limit:
        why.append(f"what fits takes {len(word)} events, and from the first to the last the window admits {limit}")
    elif word is not None:
        why.append("no events that fit fulfil the conditions on links")
    elif parts:
        why += [f"no events fit `{formula_text(part)}`" for part in parts[:3]]
    else:
        why.append(_clause_to_blame(work))
    work.collector.find(
        "unsatisfiable-query",
        work.query.formula.span,
        "no stream has a result",
        reason=why,
        hint="relax what excludes all results",
    )


def _clause_to_blame(work: Work) -> str:
    """Return which clause excludes what the formula admits."""
    plain = replace(work.relaxed.query, strategy=tree.Strategy.ALL)
    if work.query.strategy is tree.Strategy.STRICT and shortest_of(work, subject_of(plain)) is not None:
        return "whatever fits has gaps, and STRICT excludes that"
    return "its parts fit, but not together"


# --- Parts ------------------------------------------------------------------------------------------------------------


def check_parts(work: Work) -> None:
    """Report the smallest parts of the formula that no events fit."""
    span = work.query.formula.span
    with work.deciding("satisfiable-parts", "unsatisfiable-part", span, "whether some events fit each part"):
        for part in empty_parts(work):
            work.collector.find(
                "unsatisfiable-part",
                part.span,
                f"no events fit `{formula_text(part)}`",
                reason=list(clashes(work, part)),
                hint="relax these conditions" if isinstance(part, tree.Filtered) else "",
                evidence={"part": formula_text(part)},
            )


def empty_parts(work: Work) -> Iterator[tree.Formula]:
    """Yield the parts that no events fit, although some events fit each smaller part of them."""
    formula = without_links(work.query).formula
    if sum(1 for _ in tree.within(formula)) > MOST_PARTS:
        raise Undecided(f"the formula has more than {MOST_PARTS} parts")
    subject_of(work.query)  # Undecided if the formula is too large
    freed = [node for node in tree.within(formula) if isinstance(node, tree.Formula)]
    nodes = [node for node in tree.within(work.query.formula) if isinstance(node, tree.Formula)]
    clock = work.clock()
    empty: set[int] = set()
    for node, linkless in reversed(list(zip(nodes, freed, strict=True))):  # inner parts come first
        clock.tick(1)
        if any(id(inner) in empty for inner in tree.within(node)):
            empty.add(id(node))
        elif not any(_fits(constructed(linkless), work, clock)):
            empty.add(id(node))
            yield node


def _fits(automaton: Automaton, work: Work, clock: Clock) -> Iterator[bool]:
    for alphabet in work.alphabets(automaton):
        yield shortest_result(Determinised(automaton), alphabet, clock) is not None


def clashes(work: Work, part: tree.Formula) -> Iterator[str]:
    """Yield the sets of predicates in guards of a part that no event fulfils together; else the reason why the events
    of one substream cannot fit."""
    alone = True
    automaton = constructed(without_links(replace(work.query, formula=part)).formula)
    for guard in sorted({transition.guard for transition in automaton.transitions}, key=repr):
        types = [test.name for test in guard if isinstance(test, IsType)]
        predicates = sorted(
            (test for test in guard if not isinstance(test, IsType)), key=lambda predicate: predicate.span.start
        )
        encoding = Encoding(predicates, work.query.attributes)
        labelled = {predicate_text(predicate): encoding.satisfies("event", predicate) for predicate in predicates}
        with work.session.scope(*encoding.definitions()):
            answer = work.session.ask("a guard", labelled=labelled)
            if answer.status is Status.UNSATISFIABLE:
                core: Core = minimal_core(work.session, "a guard", labelled, answer.core)
                conditions = " and ".join(f"`{label}`" for label in core.labels)
                alone = False
                yield f"no event of type {' and '.join(types)} fulfils {conditions}"
    if alone and work.query.attributes:
        yield f"events of one substream have the same {', '.join(work.query.attributes)}, and none fit together"
