"""Programs, sources and events as words for the extracted program: templates and events by number, times in binary.

Nothing is computed here: constraints keep their form in `when`, as the closure is part of the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from parte.conformance.engines.foreign import Inexpressible
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event
from parte.semantics.partelang.capacities import NodeCapacities
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations

Words = Iterator[object]
Queue = tuple[str, Sequence[Arrival]]
"""A template, and the arrivals of it from one source."""

TIMESTAMP_FUNCTIONS: Implementations[str] = Implementations(
    {"min": "min", "max": "max", "avg": "avg"},
    lambda function: Inexpressible(f"the function {function} of timestamps, which the proofs do not have"),
    of_timestamps=True,
)
"""The words for the functions by which `at` combines timestamps, in `proofs/rocq/replay.ml`."""


@dataclass(slots=True)
class Numbers:
    """The numbers of templates and events, which both sides use; rules in the order of the strata."""

    program: core.Program
    rules: tuple[core.Rule, ...] = field(init=False)
    templates: Mapping[str, int] = field(init=False)
    events: list[Event] = field(default_factory=list)
    _numbers: dict[Event, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rules = tuple(rule for rules in self.program.rules_by_stratum() for rule in rules)
        self.templates = {template.name: number for number, template in enumerate(self.program.templates)}

    def number(self, event: Event) -> int:
        """Return the number of an event."""
        if event not in self._numbers:
            self._numbers[event] = len(self.events)
            self.events.append(event)
        return self._numbers[event]

    def event(self, event: Event) -> Words:
        """Yield an event: its number, its template, its timestamp."""
        yield from (self.number(event), self.templates[event.template], f"{event.timestamp:b}")

    def stream(self, events: Sequence[Event]) -> Words:
        """Yield all events of a trace."""
        yield len(events)
        for event in events:
            yield from self.event(event)

    def case(self, queues: Sequence[Queue], limits: Sequence[tuple[NodeCapacities, bool]] = ()) -> Words:
        """Yield the program, the arrivals of its sources, and for each node its capacities, and whether its sources
        take turns; without `limits` the capacities are unbounded."""
        yield from self._strata()
        yield len(self.templates)
        for template in self.templates:
            own = [number for number, (of, _) in enumerate(queues) if of == template]
            yield from (len(own), *own)
        yield len(queues)
        for _, arrivals in queues:
            yield len(arrivals)
            for arrival in arrivals:
                yield from (f"{arrival.bound:b}", *((-1,) if arrival.event is None else self.event(arrival.event)))
        yield len(limits)
        for capacities, turns in limits:
            rooms = (capacities.left, capacities.right, capacities.inbox, capacities.outbox)
            yield from (*(-1 if room is None else room for room in rooms), int(turns))

    def matches(self, line: str) -> Iterator[tuple[int, tuple[Event, ...]]]:
        """Yield the matches with the numbers of their rules, from the line that lists them."""
        for number, matches in enumerate(line.split("|")):
            for match in filter(None, matches.split(";")):
                yield number, tuple(self.events[int(event)] for event in match.split(","))

    def _strata(self) -> Words:
        strata = dict(self.program.strata)
        by_stratum = tuple(self.program.rules_by_stratum())
        highest = max(strata.values(), default=-1)
        yield highest + 1
        for stratum in range(highest + 1):
            names = [template for template in self.templates if strata[template] == stratum]
            rules = by_stratum[stratum] if stratum < len(by_stratum) else ()
            yield from (len(names), *map(self.templates.__getitem__, names), len(rules))
            for rule in rules:
                yield from self._rule(rule)

    def _rule(self, rule: core.Rule) -> Words:
        positions = {pattern.variable: number for number, pattern in enumerate(rule.positive)}
        first, *further = rule.patterns
        yield from (self.templates[first.template], int(bool(own(first))), len(further))
        for pattern in further:
            against = [c for c in rule.constraints if c.negated and c.subject == pattern.variable]
            demands = int(bool(own(pattern))), int(bool(joint(pattern)))
            yield from (_role(pattern), self.templates[pattern.template], *demands, len(against))
            for constraint in against:
                yield from (positions[constraint.reference], f"{constraint.lower:b}", f"{constraint.upper:b}")
        constraints = [c for c in rule.constraints if not c.negated]
        yield len(constraints)
        for constraint in constraints:
            yield from (
                positions[constraint.subject],
                positions[constraint.reference],
                f"{constraint.lower:b}",
                f"{constraint.upper:b}",
            )
        yield int(bool(rule.having))
        yield len(rule.emissions)
        for emission in rule.emissions:
            yield self.templates[emission.template]
            yield from _timestamp(emission.at, rule, positions)


def _role(pattern: core.Pattern) -> int:
    return 2 if pattern.collected else int(pattern.negated)


def own(pattern: core.Pattern) -> tuple[core.Expression, ...]:
    """Return the conditions of a pattern on its event alone."""
    return tuple(c for c in pattern.conditions if core.variables_of(c) <= {pattern.variable})


def joint(pattern: core.Pattern) -> tuple[core.Expression, ...]:
    """Return the conditions of a pattern that mention other events too."""
    return tuple(c for c in pattern.conditions if not core.variables_of(c) <= {pattern.variable})


def queues_of(program: core.Program, arrivals: Iterable[Arrival]) -> list[Queue]:
    """Return the arrivals of each template from each source, in order. A template without any, which no rule emits, has
    a source that ends at once (specification: silent-templates)."""
    by_pair: dict[tuple[str, str], list[Arrival]] = {}
    for arrival in arrivals:
        by_pair.setdefault((arrival.source, arrival.template), []).append(arrival)
    emitted = {emission.template for rule in program.rules for emission in rule.emissions}
    arriving = {template for _, template in by_pair} | emitted
    silent = (template.name for template in program.templates if template.name not in arriving)
    ends = [(name, [Arrival("", name, POSITIVE_INFINITY, None)]) for name in silent]
    return [*((template, queue) for (_, template), queue in by_pair.items()), *ends]


def _timestamp(at: core.TimestampExpression, rule: core.Rule, positions: Mapping[str, int]) -> Words:
    match at:
        case core.TimestampOf(variable=variable):
            yield from ("v", positions[variable])
        case core.Shift(operand=operand, milliseconds=milliseconds):
            yield from ("s", f"{milliseconds:b}")
            yield from _timestamp(operand, rule, positions)
        case core.Combination(function=function, operands=operands):
            yield from (TIMESTAMP_FUNCTIONS[function], len(operands))
            for operand in operands:
                yield from _timestamp(operand, rule, positions)
        case core.Aggregate(variable=variable):
            # No element of the set is earlier than its window, so neither is its least nor its greatest timestamp.
            opening = [c for c in rule.constraints if c.negated and c.subject == variable]
            yield from ("set", len(opening))
            for constraint in opening:
                yield from ("s", f"{constraint.lower:b}", "v", positions[constraint.reference])
