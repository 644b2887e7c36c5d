"""EQL from Python: queries, what they mean, and the machine that runs them.

For example::

    import parte

    query = parte.eql.parse('sequence by user with maxspan=5m [login where not ok] [login where ok]')
    for result in parte.eql.run(query, parte.read_trace(lines)):
        print(result["keys"], result["events"])
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from parte.languages.eql.algebra.sequences import TooManyTuples as TooManyTuples
from parte.languages.eql.algebra.sequences import evaluate as _evaluate
from parte.languages.eql.semantics.machine import Machine as Machine
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse as parse
from parte.languages.eql.semantics.syntax.printer import print_query as print_query
from parte.languages.eql.semantics.syntax.readings import CHOICES as CHOICES
from parte.languages.eql.semantics.syntax.readings import Readings as Readings
from parte.languages.eql.semantics.syntax.streams import Stream, ordered
from parte.languages.eql.semantics.syntax.tree import Query as Query
from parte.semantics.events.event import TraceItem

__all__ = ["CHOICES", "Machine", "Query", "Readings", "TooManyTuples", "define", "parse", "print_query", "run"]


def define(
    query: Query, trace: Iterable[TraceItem], readings: Readings | None = None, *, tiebreaker: str = ""
) -> Sequence[Any]:
    """Return the results of a query on a trace by the definition: objects with `keys` and the ids of `events`.

    TooManyTuples if it is too much for the definition. `tiebreaker` is the attribute that orders events of one
    timestamp.
    """
    stream = _stream(query, readings, tiebreaker, 0)
    return _evaluate(query, ordered(list(trace), stream), stream.readings)


def run(
    query: Query,
    trace: Iterable[TraceItem],
    readings: Readings | None = None,
    *,
    tiebreaker: str = "",
    disorder: int = 0,
) -> Sequence[Any]:
    """Return the results that the machine reports, in the order of reporting. Events may be late by `disorder` ms."""
    stream = _stream(query, readings, tiebreaker, disorder)
    machine = Machine(query, stream.readings, bool(tiebreaker))
    results: list[Any] = []
    for item in trace:
        arrived = stream.add(item)
        results += machine.arrive(arrived, stream.bound)
    return [*results, *machine.end()]


def _stream(query: Query, readings: Readings | None, tiebreaker: str, disorder: int) -> Stream:
    spanned = isinstance(query, tree.Sequence) and query.maxspan is not None
    return Stream(readings or Readings(), tiebreaker, disorder, "trace", spanned)
