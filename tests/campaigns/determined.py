"""When the algebra's matches are determined: from which moment of an input no continuation can take one away.

The criterion is read off the syntax of a rule and knows nothing of the machine: each event of the match is there, and
what each of its negated patterns forbids can come no more. An event that a rule emits is there when its match is
determined, and can come as long as some match is open that would emit it. So it is sufficient; of what conditions say
of events that are still to come it makes nothing, which is why it is not necessary.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from parte.algebra.partelang.evaluate import holds
from parte.algebra.partelang.mapping import condition_beside
from parte.algebra.partelang.patterns import variables_in
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Arrival, Event
from parte.semantics.events.match import Match
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.syntax import core

Key = tuple[str, tuple[tuple[str, str], ...]]
"""A rule and the events that its variables are bound to."""


def key_of(match: Match) -> Key:
    """What tells a match from others."""
    return match.rule, match.bindings


@dataclass(frozen=True, slots=True)
class Known:
    """What is known at some moment of an input: the events that are there, those that rules emit too, the matches that
    are determined, and for each template the least timestamp of an event that may still come."""

    events: Mapping[str, Event]
    determined: frozenset[Key]
    promises: Mapping[str, int]


class Criterion:
    """The criterion for one program, one domain and all matches of one input."""

    def __init__(self, program: core.Program, domain: Predicates, matches: Iterable[Match]) -> None:
        self.program, self.domain = program, domain
        self.matches = tuple(matches)
        self.of_rule = {
            rule.name: [match for match in self.matches if match.rule == rule.name] for rule in program.rules
        }

    def known(self, seen: Iterable[Arrival], pairs: Iterable[tuple[str, str]], *, turns: Container[str] = ()) -> Known:
        """What is known after some arrivals, if events come from these pairs of source and template only.

        Events of the templates `turns` are there only when all their sources have promised what their own had before.
        """
        came: list[tuple[Event, int]] = []
        bounds = dict.fromkeys(pairs, NEGATIVE_INFINITY)
        for arrival in seen:
            if arrival.event is not None:
                came.append((arrival.event, bounds[arrival.source, arrival.template]))
            bounds[arrival.source, arrival.template] = arrival.bound
        promises = {template.name: POSITIVE_INFINITY for template in self.program.templates}
        for (_, template), bound in bounds.items():
            promises[template] = min(promises[template], bound)
        events = {
            event.id: event
            for event, before in came
            if event.template not in turns or before <= promises[event.template]
        }
        determined: set[Key] = set()
        for rules in self.program.rules_by_stratum():
            for rule in rules:
                for match in self.of_rule[rule.name]:
                    if self.decided(rule, match, events, promises):
                        determined.add(key_of(match))
                        events.update((event.id, event) for event in match.emits)
            for rule in rules:
                for emission in rule.emissions:
                    least = self.least(rule, emission, events, promises, determined)
                    promises[emission.template] = min(promises[emission.template], least)
        return Known(events, frozenset(determined), promises)

    def decided(self, rule: core.Rule, match: Match, events: Mapping[str, Event], promises: Mapping[str, int]) -> bool:
        """Whether a match is determined: its events are there, and nothing can come into a window that is closed."""
        if not all(event in events for _, event in match.bindings):
            return False
        times = {variable: events[event].timestamp for variable, event in match.bindings}
        for pattern in rule.patterns:
            if pattern.negated:
                opens, closes = window_of(rule, pattern, times)
                if opens <= closes and promises[pattern.template] <= closes:
                    return False
        return True

    # --- What a rule may still emit ----------------------------------------------------------------------------------

    def least(
        self,
        rule: core.Rule,
        emission: core.Emission,
        events: Mapping[str, Event],
        promises: Mapping[str, int],
        determined: set[Key],
    ) -> int:
        """The least timestamp that an emission may give to a match that is not determined."""
        least_time = POSITIVE_INFINITY
        for chosen in self.choices(rule, rule.positive, {}, events, promises):
            bindings = tuple((variable, event.id) for variable, event in chosen.items() if event is not None)
            if len(bindings) == len(chosen) and (rule.name, bindings) in determined:
                continue
            times = earliest(rule, chosen, promises)
            if times is not None and not self.defeated(rule, chosen, events):
                least_time = min(least_time, emitted_at(emission.at, times))
        return least_time

    def choices(
        self,
        rule: core.Rule,
        patterns: Sequence[core.Pattern],
        chosen: dict[str, Event | None],
        events: Mapping[str, Event],
        promises: Mapping[str, int],
    ) -> Iterator[dict[str, Event | None]]:
        """For each variable an event that is there, or None for one that is still to come, as far as both may match."""
        if not patterns:
            yield dict(chosen)
            return
        first, *others = patterns
        options: list[Event | None] = [event for event in events.values() if event.template == first.template]
        if promises[first.template] <= GREATEST_INTEGER:
            options.append(None)
        for option in options:
            chosen[first.variable] = option
            if self.possible(first, chosen) and earliest(rule, chosen, promises) is not None:
                yield from self.choices(rule, others, chosen, events, promises)
            del chosen[first.variable]

    def possible(self, pattern: core.Pattern, chosen: Mapping[str, Event | None]) -> bool:
        """Whether no condition of a pattern fails, as far as the events that it speaks of are there."""
        there = {variable: event for variable, event in chosen.items() if event is not None}
        value = frozenset(there.items())
        return all(
            holds(condition, value, self.domain)
            for condition in pattern.conditions
            if core.variables_of(condition) <= there.keys()
        )

    def defeated(self, rule: core.Rule, chosen: Mapping[str, Event | None], events: Mapping[str, Event]) -> bool:
        """Whether an event that is there defeats every match of the events that are chosen."""
        there = {variable: event for variable, event in chosen.items() if event is not None}
        for pattern in rule.patterns:
            if not pattern.negated:
                continue
            condition = condition_beside(rule, pattern)
            if variables_in(condition) - {pattern.variable} <= there.keys():
                for event in events.values():
                    value = frozenset({**there, pattern.variable: event}.items())
                    if event.template == pattern.template and holds(condition, value, self.domain):
                        return True
        return False


def window_of(rule: core.Rule, pattern: core.Pattern, times: Mapping[str, int]) -> tuple[int, int]:
    """Where an event would have to lie to fill a negated pattern."""
    constraints = [constraint for constraint in rule.constraints if constraint.subject == pattern.variable]
    opens = max(times[constraint.reference] + constraint.begins for constraint in constraints)
    return opens, min(times[constraint.reference] + constraint.upper for constraint in constraints)


def earliest(rule: core.Rule, chosen: Mapping[str, Event | None], promises: Mapping[str, int]) -> dict[str, int] | None:
    """The least times that the constraints between these variables allow; None if they allow none.

    What satisfies differences is closed under the minimum, so there is a least.
    """
    template = {pattern.variable: pattern.template for pattern in rule.positive}
    times = {
        variable: max(promises[template[variable]], LEAST_INTEGER) if event is None else event.timestamp
        for variable, event in chosen.items()
    }
    edges = []
    for constraint in rule.constraints:
        if constraint.subject in times and constraint.reference in times:
            edges.append((constraint.reference, constraint.subject, constraint.begins))
            edges.append((constraint.subject, constraint.reference, -constraint.upper))
    for _ in range(len(times) + 1):
        moved = False
        for origin, target, distance in edges:
            least = times[origin] + distance
            if least > times[target]:
                if chosen[target] is not None or least > GREATEST_INTEGER:
                    return None
                times[target], moved = least, True
        if not moved:
            return times
    return None


def emitted_at(at: core.TimestampExpression, times: Mapping[str, int]) -> int:
    """`at` on these times, in exact integers."""
    match at:
        case core.TimestampOf(variable=variable):
            return times[variable]
        case core.Shift(operand=operand, milliseconds=milliseconds):
            return emitted_at(operand, times) + milliseconds
        case core.Aggregate():
            raise NotImplementedError("sets")
        case core.Combination(function=name, operands=operands):
            values = [emitted_at(operand, times) for operand in operands]
            return min(values) if name == "min" else max(values) if name == "max" else sum(values) // len(values)
