"""The least fixpoint, duration by duration: the one model to which none is preferred (specification: etalis-models)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from parte.algebra.etalis.patterns import Effort, Finding, Interpretation, meaning
from parte.algebra.etalis.readings import USUAL, Readings
from parte.algebra.etalis.terms import value
from parte.semantics.etalis.syntax import tree
from parte.semantics.etalis.syntax.streams import Arguments, Instant, IntervalEvent
from parte.semantics.etalis.syntax.values import Number

MOST = 2000
"""Derived events that end at one instant: functions in heads can go on for ever."""


class TooManyEvents(RuntimeError):
    """More events end at one instant than a run can have."""


def of_stream(instants: Iterable[Instant]) -> set[IntervalEvent]:
    """The events of a stream, each an instant."""
    return {IntervalEvent(name, arguments, each.time, each.time) for each in instants for name, arguments in each.atoms}


def consequences(
    program: tree.Program, instants: Iterable[Instant], readings: Readings = USUAL, effort: Effort | None = None
) -> set[IntervalEvent]:
    """The events that follow from a stream, without those that are in it. TooManyEvents, NumberTooLarge,
    TooManyFindings."""
    given = of_stream(instants)
    events = set(given)
    effort = effort or Effort()
    while True:
        new = set(derived(program, interpretation(events), readings, effort)) - events
        if not new:
            return events - given
        # Nothing of a shorter duration is left to be found, so what is absent up to here is absent for good.
        shortest = min(each.end - each.start for each in new)
        events |= {each for each in new if each.end - each.start == shortest}
        check_count(events - given)


def derived(
    program: tree.Program, events: Interpretation, readings: Readings, effort: Effort
) -> Iterator[IntervalEvent]:
    """What the rules ask of an interpretation: that I(pattern) is part of I(head)."""
    for rule in program.rules:
        for found in meaning(rule.body, events, readings, effort):
            arguments = head(rule, found)
            if arguments is not None:
                yield IntervalEvent(rule.head.name, arguments, found.start, found.end)


def head(rule: tree.Rule, found: Finding) -> Arguments | None:
    """The arguments of a rule's head; None if one has no value."""
    values = [value(term, dict(found.assignment)) for term in rule.head.arguments]
    arguments = tuple(each for each in values if each is not None)
    return arguments if len(arguments) == len(values) else None


def interpretation(events: Iterable[IntervalEvent]) -> Interpretation:
    """Events by their names."""
    found: defaultdict[str, list[tuple[Arguments, Number, Number]]] = defaultdict(list)
    for name, arguments, start, end in events:
        found[name].append((arguments, start, end))
    return found


def check_count(events: Iterable[IntervalEvent]) -> None:
    """TooManyEvents if too many end at one instant."""
    for time, count in Counter(each.end for each in events).items():
        if count > MOST:
            raise TooManyEvents(f"more than {MOST} events end at {time}")
