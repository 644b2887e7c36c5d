"""CEL from Python: queries, what they mean, and the machine that runs them.

For example::

    import parte

    query = parte.cel.parse("SELECT * WHERE A; B+ WITHIN 10 EVENTS")
    for result in parte.cel.run(query, parte.read_trace(lines)):
        print(result.start, result.end, result.positions)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from parte.languages.cel.algebra.denotation import TooManyValuations as TooManyValuations
from parte.languages.cel.algebra.queries import evaluate as _evaluate
from parte.languages.cel.algebra.readings import CHOICES as CHOICES
from parte.languages.cel.algebra.readings import Readings as Readings
from parte.languages.cel.semantics.determinised import TooManyStates as TooManyStates
from parte.languages.cel.semantics.machine import Machine as Machine
from parte.languages.cel.semantics.refinement import Unsupported as Unsupported
from parte.languages.cel.semantics.repairs import PUBLISHED as PUBLISHED
from parte.languages.cel.semantics.repairs import SOUND as SOUND
from parte.languages.cel.semantics.syntax.parser import parse as parse
from parte.languages.cel.semantics.syntax.printer import print_query as print_query
from parte.languages.cel.semantics.syntax.streams import stream as stream
from parte.languages.cel.semantics.syntax.tree import Query as Query
from parte.semantics.events.complex_event import ComplexEvent as ComplexEvent
from parte.semantics.events.event import TraceItem
from parte.semantics.rulebook.models import Model as Model

if TYPE_CHECKING:
    from parte.checker.report.contents import Report

__all__ = [
    "CHOICES",
    "PUBLISHED",
    "SOUND",
    "ComplexEvent",
    "Machine",
    "Model",
    "Query",
    "Readings",
    "TooManyStates",
    "TooManyValuations",
    "Unsupported",
    "check",
    "define",
    "parse",
    "print_query",
    "run",
    "stream",
]


def define(query: Query, trace: Iterable[TraceItem], readings: Readings | None = None) -> list[ComplexEvent]:
    """Return the results of a query on a trace by the definition, in order. Exponential: for short traces.

    TraceError if the trace is unfit for the query, TooManyValuations if it is too much for the definition.
    """
    return _evaluate(query, stream(query, trace), readings or Readings())


def run(
    query: Query,
    trace: Iterable[TraceItem],
    model: Model = SOUND,
    *,
    processes: int = 1,
    index: int = 0,
    rivals: str = "interval",
) -> Iterator[ComplexEvent]:
    """The results of the machine, by their ends; of several processes the share of the one with an index, from 0.

    Unsupported for a query that only the definition evaluates, TraceError if the trace is unfit, TooManyStates if the
    query needs too many.
    """
    machine = Machine(query, model, processes, index, rivals)
    for event in stream(query, trace):
        yield from sorted(machine.event(event))


def check(query: str, *, timeout: float = 10.0) -> Report:
    """Check a query, given as a text, before it runs, with so many seconds for one question.

    ProgramError if it is none, PackageMissing without the solver z3.
    """
    from parte.languages.cel.checker.check import check as decide

    return decide(query, timeout)
