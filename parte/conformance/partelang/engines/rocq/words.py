"""Programs, sources and events as words for the extracted program: templates and events by number, times in binary.

Nothing is computed here: constraints keep their form in `when`, as the closure is part of the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import prod

from parte.conformance.engines.foreign import Inexpressible
from parte.proofs.partelang.evaluator.words import Words, joint, own, timestamp
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event
from parte.semantics.partelang.capacities import NodeCapacities
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations

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
    """The numbers of templates and events, which both sides use; rules with their cases, in the order of the strata."""

    program: core.Program
    rules: tuple[tuple[core.Rule, ...], ...] = field(init=False)
    templates: Mapping[str, int] = field(init=False)
    events: list[Event] = field(default_factory=list)
    _numbers: dict[Event, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        strata = self.program.rules_by_stratum()
        self.rules = tuple(chain.from_iterable(map(core.cases_of, strata)))
        self.templates = {template.name: number for number, template in enumerate(self.program.templates)}

    def number(self, event: Event) -> int:
        """Return the number of an event."""
        if event not in self._numbers:
            self._numbers[event] = len(self.events)
            self.events.append(event)
        return self._numbers[event]

    def case_of(self, rule: int, bound: Mapping[str, Event]) -> core.Rule:
        """Return the first case of a rule whose patterns of these variables have the templates of these events."""
        for case in self.rules[rule]:
            templates = {pattern.variable: pattern.template for pattern in case.patterns}
            if all(templates[variable] == event.template for variable, event in bound.items()):
                return case
        raise KeyError(f"no case of {self.rules[rule][0].reported} binds {bound}")

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
            rules = tuple(core.cases_of(by_stratum[stratum])) if stratum < len(by_stratum) else ()
            yield from (len(names), *map(self.templates.__getitem__, names), len(rules))
            for cases in rules:
                yield from self._rule(cases)

    def _rule(self, cases: Sequence[core.Rule]) -> Words:
        rule = cases[0]
        positions = {pattern.variable: number for number, pattern in enumerate(rule.positive)}
        first, *further = (
            (_role(patterns[0]), tuple(_alternatives(patterns)))
            for patterns in zip(*(case.patterns for case in cases), strict=True)
        )
        if prod(len(choices) for _, choices in (first, *further)) != len(cases):
            raise Inexpressible(f"the rule {rule.reported} lacks a case for a choice of alternatives")
        yield len(first[1])
        for template, alone, _ in first[1]:
            yield from (self.templates[template], alone)
        yield len(further)
        for (role, choices), pattern in zip(further, rule.patterns[1:], strict=True):
            yield role
            if pattern.positive:
                yield len(choices)
            for template, *demands in choices:
                yield from (self.templates[template], *demands)
            if not pattern.positive:
                against = [c for c in rule.constraints if c.negated and c.subject == pattern.variable]
                yield len(against)
                for constraint in against:
                    begins = "ever" if constraint.lower is None else f"{constraint.lower:b}"
                    yield from (positions[constraint.reference], begins, f"{constraint.upper:b}")
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
            yield from timestamp(emission.at, rule, positions, TIMESTAMP_FUNCTIONS)


def _role(pattern: core.Pattern) -> int:
    return 2 if pattern.collected else int(pattern.negated)


def _alternatives(patterns: Sequence[core.Pattern]) -> Iterator[tuple[str, int, int]]:
    """Yield the templates that a pattern has in the cases of its rule; whether there is a condition on an event of it
    alone, and on other events too."""
    for template in dict.fromkeys(pattern.template for pattern in patterns):
        chosen = [pattern for pattern in patterns if pattern.template == template]
        yield template, int(any(map(own, chosen))), int(any(map(joint, chosen)))


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
