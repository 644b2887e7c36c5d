"""The replay of evidence: the definition and the machine confirm the claims of the checker on a stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

from parte.checker.report.contents import Json
from parte.checker.solver.clock import Undecided
from parte.checker.solver.errors import CheckerBug
from parte.languages.cel.algebra.denotation import Effort, TooManyValuations
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.checker.subject import first_link
from parte.languages.cel.semantics.enumeration import counted
from parte.languages.cel.semantics.evaluation import live
from parte.languages.cel.semantics.machine import Machine, Substream
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.complex_event import ComplexEvent
from parte.semantics.events.event import Event
from parte.semantics.events.trace import trace_lines

LONGEST = 12
"""The length of the longest stream that the definition evaluates."""

EFFORT = 300_000
"""The greatest number of pairs of valuations in the definition; beyond, only the machine evaluates the stream."""

MOST_RESULTS = 20_000
"""Streams with more results than these are not replayed: their number may double with each event."""


def results(query: tree.Query, stream: Sequence[Event]) -> list[ComplexEvent]:
    """Return the results of a query on a stream, sorted, by the definition and by the machine.

    Only the machine evaluates long streams, and those that are too large for the definition; only the definition
    evaluates queries that the machine does not support. Raise Undecided if neither evaluates the stream, or if it has
    too many results.
    """
    defined = computed = None
    if len(stream) <= LONGEST:
        with suppress(TooManyValuations):
            defined = evaluate(query, stream, effort=Effort(EFFORT))
    try:
        computed = sorted(islice(Machine(query).run(stream), MOST_RESULTS + 1))
    except Unsupported as problem:
        if defined is None:
            raise Undecided(
                f"the machine does not support {first_link(query)} ({problem}), and a stream of {len(stream)} events "
                "is too much for the definition"
            ) from None
    if max(len(computed or ()), len(defined or ())) > MOST_RESULTS:
        raise Undecided(f"a stream that would show it has more than {MOST_RESULTS} results")
    if defined is not None and computed is not None and defined != computed:
        raise CheckerBug("the machine and the definition differ on a stream of the checker")
    return computed if computed is not None else defined or []


def count_at_the_end(query: tree.Query, stream: Sequence[Event]) -> int:
    """Return the number of results that end at the last event; without consumption and links, they are not listed."""
    plain = query.consumption is tree.Consumption.NONE and not any(
        isinstance(node, tree.Link) for node in tree.within(query.formula)
    )
    if not plain or len(stream) <= LONGEST // 2:
        if len(stream) > LONGEST:
            raise Undecided(f"links and CONSUME BY are followed on streams of {LONGEST} events only")
        return sum(result.end == len(stream) - 1 for result in results(query, stream))
    substream, _, least = _taken(query, stream)
    return sum(counted(root, least)(root) for root in substream.evaluation.roots(least))


def stored_nodes(query: tree.Query, stream: Sequence[Event]) -> int:
    """Return the number of nodes that the machine keeps after a stream, plus the number of events kept for links."""
    substream, _, _ = _taken(query, stream)
    return sum(1 for _ in live(substream.evaluation)) + len(substream.events)


def _taken(query: tree.Query, stream: Sequence[Event]) -> tuple[Substream, int, int]:
    """Return the state of the machine after a stream of one substream, without listing results."""
    if query.consumption is not tree.Consumption.NONE:
        raise Undecided("what is consumed is not followed")
    machine = Machine(query)
    taken = None
    for event in stream:
        taken = machine.take(event)
    if taken is None:
        raise CheckerBug("the last event of a stream of the checker is in no substream")
    return taken


def trace(stream: Sequence[Event]) -> list[Json]:
    """Return a stream as the lines of a trace."""
    return [json.loads(line) for line in trace_lines(stream)]
