"""The least fixpoint, duration by duration: the one model to which no other is preferred (specification:
etalis-models)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from parte.languages.etalis.algebra.patterns import Effort, Finding, Interpretation, meaning
from parte.languages.etalis.algebra.readings import USUAL, Readings
from parte.languages.etalis.algebra.terms import value
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant, IntervalEvent
from parte.languages.etalis.semantics.syntax.values import Number

MOST = 2000
"""The greatest number of derived events that end at one instant: functions in heads can derive events without end."""


class TooManyEvents(RuntimeError):
    """More events end at one instant than a run allows."""


def of_stream(instants: Iterable[Instant]) -> set[IntervalEvent]:
    """Return the events of a stream, each an instant."""
    return {
        IntervalEvent(name, arguments, instant.time, instant.time)
        for instant in instants
        for name, arguments in instant.atoms
    }


def consequences(
    program: tree.Program, instants: Iterable[Instant], readings: Readings = USUAL, effort: Effort | None = None
) -> set[IntervalEvent]:
    """Return the events that follow from a stream, without those of the stream. Raise TooManyEvents, NumberTooLarge or
    TooManyFindings."""
    in_stream = of_stream(instants)
    events, latest, waiting = set(in_stream), set(in_stream), set[IntervalEvent]()
    effort = effort or Effort()
    simple = replace(program, rules=tuple(rule for rule in program.rules if is_simple(rule.body)))
    others = replace(program, rules=tuple(rule for rule in program.rules if not is_simple(rule.body)))
    ends: Counter[Number] = Counter()
    while True:
        # The findings of a simple body in several events are those in each event, so each event is evaluated once: a
        # chain of 2000 events takes 2000 findings instead of their square.
        waiting |= set(derived(simple, interpretation(latest), readings, effort))
        new = waiting - events
        if others.rules:
            new |= set(derived(others, interpretation(events), readings, effort)) - events
        if not new:
            return events - in_stream
        # No event of a shorter duration follows any more, so what is absent up to here stays absent.
        shortest = min(event.end - event.start for event in new)
        latest = {event for event in new if event.end - event.start == shortest}
        events |= latest
        waiting -= latest
        ends.update(event.end for event in latest)
        check_count(ends)


def is_simple(pattern: tree.Pattern) -> bool:
    """Return whether each finding of a pattern comes from a single event."""
    match pattern:
        case tree.EventPattern():
            return True
        case tree.Where(operand=operand) | tree.Lasting(operand=operand):
            return is_simple(operand)
        case tree.Joined(left=left, operator=tree.Operator.OR, right=right):
            return is_simple(left) and is_simple(right)
        case _:
            return False


def derived(
    program: tree.Program, events: Interpretation, readings: Readings, effort: Effort
) -> Iterator[IntervalEvent]:
    """Yield the events that the rules require in an interpretation: I(pattern) is part of I(head)."""
    for rule in program.rules:
        findings = meaning(rule.body, events, readings, effort)
        effort.spend(len(findings))
        for finding in findings:
            arguments = head(rule, finding)
            if arguments is not None:
                yield IntervalEvent(rule.head.name, arguments, finding.start, finding.end)


def head(rule: tree.Rule, finding: Finding) -> Arguments | None:
    """Return the arguments of a rule's head; None if one has no value."""
    values = [value(term, dict(finding.assignment)) for term in rule.head.arguments]
    arguments = tuple(argument for argument in values if argument is not None)
    return arguments if len(arguments) == len(values) else None


def interpretation(events: Iterable[IntervalEvent]) -> Interpretation:
    """Return events by their names."""
    by_name: defaultdict[str, list[tuple[Arguments, Number, Number]]] = defaultdict(list)
    for name, arguments, start, end in events:
        by_name[name].append((arguments, start, end))
    return by_name


def check_count(ends: Counter[Number]) -> None:
    """Raise TooManyEvents if too many events end at one instant; `ends` has the number for each instant."""
    for time, count in ends.most_common(1):
        if count > MOST:
            raise TooManyEvents(f"more than {MOST} events end at {time}")
