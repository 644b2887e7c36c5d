"""ETALIS from Python: programs, what they mean, and the machine that runs them.

For example::

    import parte

    program = parte.etalis.parse("e(X) <- (a(X) SEQ b(X)).10.")
    for event in parte.etalis.run(program, parte.etalis.stream(program, lines)):
        print(event.name, event.arguments, event.start, event.end)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from parte.languages.etalis.algebra.evaluation import evaluate as _evaluate
from parte.languages.etalis.algebra.patterns import TooManyFindings as TooManyFindings
from parte.languages.etalis.algebra.policies import Recursive as Recursive
from parte.languages.etalis.algebra.readings import CHOICES as CHOICES
from parte.languages.etalis.algebra.readings import Readings as Readings
from parte.languages.etalis.semantics.machine import Machine as Machine
from parte.languages.etalis.semantics.machine import TooManyEvents as TooManyEvents
from parte.languages.etalis.semantics.machine import UnsupportedPolicy as UnsupportedPolicy
from parte.languages.etalis.semantics.policies import POLICIES as POLICIES
from parte.languages.etalis.semantics.syntax.parser import parse as parse
from parte.languages.etalis.semantics.syntax.printer import print_program as print_program
from parte.languages.etalis.semantics.syntax.streams import Instant as Instant
from parte.languages.etalis.semantics.syntax.streams import IntervalEvent as IntervalEvent
from parte.languages.etalis.semantics.syntax.streams import stream as stream
from parte.languages.etalis.semantics.syntax.tree import Program as Program
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge as NumberTooLarge
from parte.languages.etalis.semantics.syntax.values import Truth as Truth

if TYPE_CHECKING:
    from parte.checker.report.contents import Report
    from parte.languages.etalis.conformance import strategies as strategies

__all__ = [
    "CHOICES",
    "POLICIES",
    "Instant",
    "IntervalEvent",
    "Machine",
    "NumberTooLarge",
    "Program",
    "Readings",
    "Recursive",
    "TooManyEvents",
    "TooManyFindings",
    "Truth",
    "UnsupportedPolicy",
    "check",
    "define",
    "parse",
    "print_program",
    "run",
    "stream",
]


def __getattr__(name: str) -> object:
    """`strategies`, for property tests, needs hypothesis: it is imported when it is asked for."""
    if name == "strategies":
        return import_module("parte.languages.etalis.conformance.strategies")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def define(
    program: Program,
    instants: Sequence[Instant],
    readings: Readings | None = None,
    policy: str = "unrestricted",
) -> list[IntervalEvent]:
    """Return the derived events of a program on a stream by the definition, in order: for short streams.

    Recursive for a recursive program under another policy than `unrestricted`; an error if the run has no end
    (fixpoint.TooManyEvents, NumberTooLarge) or is too much for the definition (TooManyFindings).
    """
    return _evaluate(program, instants, readings or Readings(), policy)


def run(
    program: Program, instants: Iterable[Instant], policy: str = "unrestricted", readings: Readings | None = None
) -> Iterator[IntervalEvent]:
    """The derived events of the machine, as soon as the instant is over at which they end.

    UnsupportedPolicy for a policy that selects pairs together with the reading of negation by intervals; TooManyEvents
    or NumberTooLarge if the run has no end.
    """
    chosen = readings or Readings()
    machine = Machine(program, POLICIES[policy], chosen.lasting, chosen.negation, chosen.during)
    return machine.run(instants)


def check(
    program: str, *, timeout: float = 10.0, policy: str = "unrestricted", readings: Readings | None = None
) -> Report:
    """Check a program, given as a text, before it runs under a policy and readings, with so many seconds for one
    question.

    ProgramError if it is none, PackageMissing without the solver z3.
    """
    from parte.languages.etalis.checker.check import check as decide

    return decide(program, timeout, policy, readings or Readings())
