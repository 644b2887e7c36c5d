"""The least fixpoint, duration by duration: the one model to which none is preferred (specification: etalis-models)."""

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
    events, latest, waiting = set(given), set(given), set[IntervalEvent]()
    effort = effort or Effort()
    simple = replace(program, rules=tuple(rule for rule in program.rules if is_simple(rule.body)))
    others = replace(program, rules=tuple(rule for rule in program.rules if not is_simple(rule.body)))
    ends: Counter[Number] = Counter()
    while True:
        # A simple body finds in several events what it finds in each, so it is asked of each event once: a chain of
        # 2000 events takes 2000 findings instead of their square.
        waiting |= set(derived(simple, interpretation(latest), readings, effort))
        new = waiting - events
        if others.rules:
            new |= set(derived(others, interpretation(events), readings, effort)) - events
        if not new:
            return events - given
        # Nothing of a shorter duration is left to be found, so what is absent up to here is absent for good.
        shortest = min(each.end - each.start for each in new)
        latest = {each for each in new if each.end - each.start == shortest}
        events |= latest
        waiting -= latest
        ends.update(each.end for each in latest)
        check_count(ends)


def is_simple(pattern: tree.Pattern) -> bool:
    """Whether whatever a pattern finds, it finds in a single event."""
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
    """What the rules ask of an interpretation: that I(pattern) is part of I(head)."""
    for rule in program.rules:
        findings = meaning(rule.body, events, readings, effort)
        effort.spend(len(findings))
        for found in findings:
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


def check_count(ends: Counter[Number]) -> None:
    """TooManyEvents if too many end at one instant, of which it is known how many do."""
    for time, count in ends.most_common(1):
        if count > MOST:
            raise TooManyEvents(f"more than {MOST} events end at {time}")
