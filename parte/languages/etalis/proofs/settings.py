"""Arbitrary intervals, goals and rules as the subjects of the lemmas about ETALIS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, cast

from parte.languages.etalis.algebra.patterns import Finding
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.semantics import negation, operators
from parte.languages.etalis.semantics.binarisation import BinaryRule, binarised
from parte.languages.etalis.semantics.goals import Goals
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.parser import parse_source
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant
from parte.languages.etalis.semantics.syntax.values import Number
from parte.proofs.any_length import understood_by
from parte.proofs.numbers import number, rational
from parte.proofs.sorted_sequences import THE_PLACE, Line
from parte.proofs.statements import at_most, before, both, equal, implies
from parte.proofs.symbolic import Run, choice

understood_by(vars(operators), vars(negation))

PLACE = cast(int, THE_PLACE)
"""The place of the goal that a lemma about lists of goals examines."""


class Interval(NamedTuple):
    """The start and end of an event."""

    start: Number
    end: Number

    @property
    def duration(self) -> Number:
        """The length of the interval."""
        return self.end - self.start

    @property
    def finding(self) -> Finding:
        """The interval as a finding of the definition, without variables."""
        return Finding((), self.start, self.end)


def interval(run: Run, name: str) -> Interval:
    """Return an arbitrary interval."""
    arbitrary = Interval(rational(run, f"start of {name}"), rational(run, f"end of {name}"))
    run.assume(at_most(arbitrary.start, arbitrary.end))
    return arbitrary


def in_turn(run: Run, first: Interval, second: Interval) -> None:
    """Assume that the first event is taken first: it ends no later, and lasts no longer if they end together."""
    shorter = at_most(first.duration, second.duration)
    run.assume(both(at_most(first.end, second.end), implies(equal(first.end, second.end), shorter)))


def earlier(time: Number, length: Number) -> Number:
    """Return the time that is `length` before another."""
    return time - length


def length(run: Run, name: str) -> Number:
    """Return an arbitrary length."""
    arbitrary = rational(run, name)
    run.assume(at_most(0, arbitrary))
    return arbitrary


def goals_with(goal: Interval) -> Goals:
    """Return any number of goals by their ends, of which one is known."""
    nothing: Any = Line(())
    return Goals(cast(Any, Line(goal.start)), cast(Any, Line(goal.end)), nothing)


def lasting(interval: Interval) -> bool:
    """Return whether an interval is no instant."""
    return before(interval.start, interval.end)


def during(run: Run) -> Readings:
    """Return either reading of DURING."""
    return Readings(during="instants" if run.truth("what is during something may be an instant") else "proper")


@cache
def program(text: str) -> tree.Program:
    """Return the program of a text."""
    return parse_source(text).program


def last_rule(text: str) -> BinaryRule:
    """Return the binary rule that derives the head of a rule, as in a machine for this rule alone."""
    return binarised(program(text)).rules[-1]


def stream(run: Run, types: Sequence[str], times: Callable[[Run, str], Number], values: int = 0) -> list[Instant]:
    """Return events, each with a type among some letters, in the order of their times; some may be equal."""
    instants: list[Instant] = []
    for place, among in enumerate(types):
        time = times(run, f"time {place}")
        run.assume(at_most(instants[-1].time if instants else 0, time))
        arguments: Arguments = tuple(number(run, f"value {index} of {place}") for index in range(values))
        atom = choice(run, f"type {place}", tuple(among)), arguments
        if instants and equal(instants[-1].time, time):
            instants[-1] = replace(instants[-1], atoms=instants[-1].atoms | {atom})
        else:
            instants.append(Instant(time, frozenset({atom})))
    return instants


def varied(run: Run, original: tree.Program) -> tree.Program:
    """Return the program with arbitrary moments and lengths, in the order of those in the text; equal ones stay
    equal."""

    def change(node: tree.Pattern) -> tree.Pattern:
        match node:
            case tree.Moment(time=time):
                return replace(node, time=length(run, f"moment {time}"))
            case tree.Lasting(length=most):
                return replace(node, length=length(run, f"length {most}"))
            case _:
                return node

    return replace(
        original, rules=tuple(replace(rule, body=tree.PATTERNS.mapped(rule.body, change)) for rule in original.rules)
    )
