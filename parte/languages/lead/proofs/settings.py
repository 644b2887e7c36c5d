"""Arbitrary events and rules for the lemmas about LEAD."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Occurrence
from parte.languages.lead.semantics.syntax.parser import parse
from parte.proofs import numbers
from parte.proofs.numbers import Number, number
from parte.proofs.statements import at_most
from parte.proofs.symbolic import Run, choice
from parte.semantics.events.event import Event, Value

T = TypeVar("T")

MULTIPLES = 3
"""The limit of quotients that are decided: a quotient below it is decided, a greater one stays a term."""


class Decided(numbers.Decided):
    """A number whose comparisons and quotients are decided at once: LEAD's code asks whether a value `is True`."""

    def __add__(self, other: int) -> Decided:
        return Decided(super().__add__(other).term)

    def __sub__(self, other: int) -> Decided:
        return Decided(super().__sub__(other).term)

    def __rsub__(self, other: int) -> Decided:
        return Decided(super().__rsub__(other).term)

    def __mul__(self, other: int) -> Decided:
        return Decided(super().__mul__(other).term)

    def __neg__(self) -> Decided:
        return Decided(super().__neg__().term)

    def __floordiv__(self, divisor: int) -> int:
        """Return the quotient by a number above zero. A quotient below MULTIPLES is decided."""
        for times in range(MULTIPLES):
            if divisor * times <= self and self < divisor * (times + 1):
                return times
        return Decided(self.term / (divisor.term if isinstance(divisor, Number) else divisor))

    __radd__, __rmul__ = __add__, __mul__


def decided(run: Run, name: str) -> int:
    """Return an arbitrary integer whose comparisons are decided at once."""
    variable = number(run, name)
    return Decided(variable.term) if isinstance(variable, Number) else variable


class AnySchedule:
    """A schedule with arbitrary choices."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._choices = 0

    def choice(self, among: Sequence[T], /) -> T:
        """Return one of several; the run forks."""
        self._choices += 1
        return choice(self._run, f"firing {self._choices}", among)


@cache
def _parsed(text: str) -> tree.Rule:
    return parse(text)


def rule_of(run: Run, text: str) -> tree.Rule:
    """Return a rule in which each duration is arbitrary, in milliseconds."""
    whole = _parsed(text)
    lengths: dict[int, tree.Duration] = {}

    def change(node: tree.Node) -> tree.Node:
        if not isinstance(node, tree.Duration):
            return node
        if node.amount not in lengths:
            length = decided(run, f"duration {node.amount}")
            run.assume(at_most(1, length))
            lengths[node.amount] = tree.Duration(length, tree.Unit.MS)
        return lengths[node.amount]

    times = tuple(
        replace(time, start=tree.TREE.mapped(time.start, change), end=tree.TREE.mapped(time.end, change))
        for time in whole.times
    )
    keys = tuple(
        replace(key, length=tree.TREE.mapped(key.length, change)) if isinstance(key.length, tree.Duration) else key
        for key in whole.keys
    )
    return replace(whole, times=times, keys=keys, pattern=tree.TREE.mapped(whole.pattern, change))


def events_of(
    run: Run, types: Sequence[str], valued: bool = False, missing: bool = False, keyed: bool = False
) -> list[Occurrence]:
    """Return events in the order of arrival, at any times that do not decrease. `types` gives the possible types of
    each event."""
    events: list[Occurrence] = []
    for place, among in enumerate(types):
        time = decided(run, f"time of {place}")
        if events:
            run.assume(at_most(events[-1].time, time))
        attributes: dict[str, Value] = {}
        if valued and not (missing and run.truth(f"v of {place} is missing")):
            attributes["v"] = decided(run, f"v of {place}")
        if keyed:
            attributes["k"] = choice(run, f"k of {place}", (1, 2))
        template = choice(run, f"type of {place}", tuple(among))
        events.append(Occurrence((time, place), Event(f"e{place}", template, time, attributes)))
    return events


def any_value(run: Run, name: str) -> Value | None:
    """Return a value of any kind, or None."""
    match choice(run, f"{name} is", ("missing", "number", "truth", "text")):
        case "number":
            return decided(run, name)
        case "truth":
            return bool(run.truth(f"{name} holds"))
        case "text":
            return choice(run, name, ("x", "y"))
        case _:
            return None


def edges(begin: int, length: int) -> tuple[int, ...]:
    """Return the ends of consecutive stretches of one length."""
    return tuple(begin + length * times for times in range(1, MULTIPLES + 1))


def times(factor: int, number: int) -> int:
    """Return the product of a factor and a number."""
    return factor * number


def shifted(time: int, by: int) -> int:
    """Return a time that is later by a number of milliseconds."""
    return time + by
