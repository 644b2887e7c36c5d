"""The replay of evidence: the definition and the machine confirm the claims of the checker on a stream."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from parte.checker.report.contents import Json
from parte.checker.solver.clock import Clock
from parte.checker.solver.errors import CheckerBug
from parte.languages.etalis.algebra import fixpoint
from parte.languages.etalis.algebra.evaluation import evaluate
from parte.languages.etalis.algebra.patterns import Effort, TooManyFindings
from parte.languages.etalis.algebra.policies import Recursive
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.checker.unfolding import slice_of
from parte.languages.etalis.semantics.binarisation import Kind
from parte.languages.etalis.semantics.machine import MOST_PARTS, Machine, TooManyEvents
from parte.languages.etalis.semantics.policies import POLICIES
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant, IntervalEvent, in_order
from parte.languages.etalis.semantics.syntax.values import FRACTION, Number, NumberTooLarge, value_to_json

FEW = 300
"""A run with more events at one instant than these counts as endless, where the checker shows something else."""

EFFORT = 60_000
"""The greatest number of findings and pairs in the definition; beyond, only the machine evaluates the stream."""

Event = tuple[str, Arguments, Number]
"""An event of a stream: its name, arguments and time."""


class Watched(Machine):
    """A machine that raises Undecided when its time is over, because one instant may take long; and that allows `most`
    events at one instant, those of subpatterns included."""

    clock: Clock
    most: int

    def _new(self, kind: Kind, arguments: Arguments, start: Number) -> bool:
        self.clock.tick()
        if len(self._happened) > self.most:
            raise TooManyEvents(f"more than {self.most} events, those of subpatterns included, end at {self._now}")
        return Machine._new(self, kind, arguments, start)


def machine(program: tree.Program, policy: str, readings: Readings, clock: Clock, most: int = MOST_PARTS) -> Machine:
    """Return the machine for a program under a policy and readings, with a limit of time and of events."""
    watched = Watched(program, POLICIES[policy], readings.lasting, readings.negation, readings.during)
    watched.clock, watched.most = clock, most
    return watched


def instants_of(events: Iterable[Event]) -> list[Instant]:
    """Return events as a stream, in order of time."""
    by_time: dict[Number, set[tuple[str, Arguments]]] = {}
    for name, arguments, time in events:
        by_time.setdefault(time, set()).add((name, arguments))
    return [Instant(time, frozenset(by_time[time])) for time in sorted(by_time)]


def derived(
    program: tree.Program, instants: Sequence[Instant], policy: str, readings: Readings, clock: Clock
) -> list[IntervalEvent] | None:
    """Return the events of the machine, confirmed by the definition, in order; unconfirmed if they are too many for the
    definition, or recursive under a policy. None if the run has no end."""
    try:
        computed = in_order(machine(program, policy, readings, clock, FEW).run(instants))
    except (TooManyEvents, NumberTooLarge):
        return None
    try:
        defined = evaluate(program, instants, readings, policy, Effort(EFFORT))
    except (TooManyFindings, Recursive):
        return computed
    except (fixpoint.TooManyEvents, NumberTooLarge):
        defined = []
    if defined != computed:
        raise CheckerBug("the machine and the definition differ on a stream of the checker")
    return computed


ROUNDS = 12
"""The number of rounds of the fixpoint that decide what certainly happens if a run has no end."""


def certain(program: tree.Program, instants: Sequence[Instant], readings: Readings) -> set[IntervalEvent]:
    """Return the events of the first rounds of the definition: shorter events come first, so they are final."""
    events = fixpoint.of_stream(instants)
    with suppress(TooManyFindings, NumberTooLarge):
        for _ in range(ROUNDS):
            new = set(fixpoint.derived(program, fixpoint.interpretation(events), readings, Effort(EFFORT))) - events
            shortest = min((event.end - event.start for event in new), default=0)
            events |= {event for event in new if event.end - event.start == shortest}
    return events


def fresh_name(program: tree.Program, name: str = "probe") -> str:
    """Return a name that does not occur in a program."""
    taken = {rule.head.name for rule in program.rules}
    taken |= {
        node.name for rule in program.rules for node in tree.within(rule.body) if isinstance(node, tree.EventPattern)
    }
    while any(used.startswith(name) for used in taken):
        name += "_"
    return name


def probe(pattern: tree.Pattern) -> tree.Rule:
    """Return a rule that derives an event from each finding of a pattern, with the values of all variables."""
    return tree.Rule(tree.EventPattern("", tuple(map(tree.Variable, sorted(tree.bound(pattern))))), pattern)


def found_by(
    program: tree.Program,
    rules: Sequence[tree.Rule],
    events: Iterable[Event],
    policy: str,
    readings: Readings,
    clock: Clock,
) -> list[frozenset[IntervalEvent]] | None:
    """Return the events that each of some rules derives on a stream, in addition to the program, without their name.
    None if the run has no end."""
    name = fresh_name(program)
    probes = tuple(replace(rule, head=replace(rule.head, name=f"{name}{number}")) for number, rule in enumerate(rules))
    needed = slice_of(program, [rule.body for rule in rules])
    events_with_probes = derived(
        replace(needed, rules=(*needed.rules, *probes)), instants_of(events), policy, readings, clock
    )
    if events_with_probes is None:
        return None
    by_rule: list[set[IntervalEvent]] = [set() for _ in rules]
    for event in events_with_probes:
        if event.name.startswith(name):
            by_rule[int(event.name.removeprefix(name))].add(event._replace(name=""))
    return list(map(frozenset, by_rule))


def surely_makes(program: tree.Program, rule: tree.Rule, events: Iterable[Event], readings: Readings) -> bool:
    """Return whether a rule certainly derives something on a stream on which the run has no end."""
    name = fresh_name(program)
    needed = slice_of(program, [rule.body])
    with_rule = replace(needed, rules=(*needed.rules, replace(rule, head=replace(rule.head, name=name))))
    return any(event.name == name for event in certain(with_rule, instants_of(events), readings))


def trace(events: Sequence[Event]) -> list[Json]:
    """Return a stream as the lines of a trace."""
    return list(_lines(events))


def _lines(events: Sequence[Event]) -> Iterator[Json]:
    for name, arguments, time in sorted(events, key=lambda event: event[2]):
        line: dict[str, Json] = {"template": name, "timestamp": value_to_json(time)}
        yield line | ({"arguments": [*map(value_to_json, arguments)]} if arguments else {})


def expressible(events: Iterable[Event]) -> bool:
    """Return whether a trace can contain these events: no string would be read as a number."""
    return not any(isinstance(value, str) and FRACTION.fullmatch(value) for _, values, _ in events for value in values)


def stream_text(events: Sequence[Event]) -> str:
    """Return a stream as short text, such as `a(1)@0 b@3`."""
    parts = []
    for name, arguments, time in sorted(events, key=lambda event: event[2]):
        inside = ", ".join(json.dumps(value_to_json(value), ensure_ascii=False) for value in arguments)
        parts.append(f"{name}({inside})@{value_to_json(time)}" if arguments else f"{name}@{value_to_json(time)}")
    return " ".join(parts)
