"""Evidence, replayed: the definition and the machine find on a stream what the checker says of it."""

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
"""More events of one instant than these are taken for a run without end, where something else is to be shown."""

EFFORT = 60_000
"""The definition may look at so many findings and pairs; beyond, the machine alone is asked."""

Event = tuple[str, Arguments, Number]
"""An event of a stream: its name, arguments and time."""


class Watched(Machine):
    """A machine that stops, as undecided, when its time is over, for what happens at one instant may take long; and
    that admits so many events of one instant, those of subpatterns included."""

    clock: Clock
    most: int

    def _new(self, kind: Kind, arguments: Arguments, start: Number) -> bool:
        self.clock.tick()
        if len(self._happened) > self.most:
            raise TooManyEvents(f"more than {self.most} events, those of subpatterns included, end at {self._now}")
        return Machine._new(self, kind, arguments, start)


def machine(program: tree.Program, policy: str, readings: Readings, clock: Clock, most: int = MOST_PARTS) -> Machine:
    """The machine for a program under a policy and readings, which has so much time and admits so many events."""
    watched = Watched(program, POLICIES[policy], readings.lasting, readings.negation, readings.during)
    watched.clock, watched.most = clock, most
    return watched


def instants_of(events: Iterable[Event]) -> list[Instant]:
    """Events as a stream, in order of time."""
    found: dict[Number, set[tuple[str, Arguments]]] = {}
    for name, arguments, time in events:
        found.setdefault(time, set()).add((name, arguments))
    return [Instant(time, frozenset(found[time])) for time in sorted(found)]


def derived(
    program: tree.Program, instants: Sequence[Instant], policy: str, readings: Readings, clock: Clock
) -> list[IntervalEvent] | None:
    """What the machine finds and the definition says, in order; what is too much for the definition, or recursive under
    a policy, is what the machine finds. None if the run has no end."""
    try:
        found = in_order(machine(program, policy, readings, clock, FEW).run(instants))
    except (TooManyEvents, NumberTooLarge):
        return None
    try:
        said = evaluate(program, instants, readings, policy, Effort(EFFORT))
    except (TooManyFindings, Recursive):
        return found
    except (fixpoint.TooManyEvents, NumberTooLarge):
        said = []
    if said != found:
        raise CheckerBug("the machine and the definition differ on a stream of the checker")
    return found


ROUNDS = 12
"""So many rounds of the fixpoint say what happens for certain where a run has no end."""


def certain(program: tree.Program, instants: Sequence[Instant], readings: Readings) -> set[IntervalEvent]:
    """What the definition says before long: what is shorter comes first, so it stays."""
    events = fixpoint.of_stream(instants)
    with suppress(TooManyFindings, NumberTooLarge):
        for _ in range(ROUNDS):
            new = set(fixpoint.derived(program, fixpoint.interpretation(events), readings, Effort(EFFORT))) - events
            shortest = min((each.end - each.start for each in new), default=0)
            events |= {each for each in new if each.end - each.start == shortest}
    return events


def fresh_name(program: tree.Program, name: str = "probe") -> str:
    """A name that a program does not have."""
    taken = {rule.head.name for rule in program.rules}
    taken |= {
        node.name for rule in program.rules for node in tree.within(rule.body) if isinstance(node, tree.EventPattern)
    }
    while any(each.startswith(name) for each in taken):
        name += "_"
    return name


def probe(pattern: tree.Pattern) -> tree.Rule:
    """A rule that makes an event with the values of all its variables of whatever a pattern finds."""
    return tree.Rule(tree.EventPattern("", tuple(map(tree.Variable, sorted(tree.bound(pattern))))), pattern)


def found_by(
    program: tree.Program,
    rules: Sequence[tree.Rule],
    events: Iterable[Event],
    policy: str,
    readings: Readings,
    clock: Clock,
) -> list[frozenset[IntervalEvent]] | None:
    """What each of some rules makes on a stream, beside those of the program, without the name. None if the run has no
    end."""
    name = fresh_name(program)
    probes = tuple(replace(rule, head=replace(rule.head, name=f"{name}{number}")) for number, rule in enumerate(rules))
    needed = slice_of(program, [rule.body for rule in rules])
    found = derived(replace(needed, rules=(*needed.rules, *probes)), instants_of(events), policy, readings, clock)
    if found is None:
        return None
    made: list[set[IntervalEvent]] = [set() for _ in rules]
    for event in found:
        if event.name.startswith(name):
            made[int(event.name.removeprefix(name))].add(event._replace(name=""))
    return list(map(frozenset, made))


def surely_makes(program: tree.Program, rule: tree.Rule, events: Iterable[Event], readings: Readings) -> bool:
    """Whether a rule makes something on a stream on which the run has no end."""
    name = fresh_name(program)
    needed = slice_of(program, [rule.body])
    asked = replace(needed, rules=(*needed.rules, replace(rule, head=replace(rule.head, name=name))))
    return any(event.name == name for event in certain(asked, instants_of(events), readings))


def trace(events: Sequence[Event]) -> list[Json]:
    """A stream as the lines of a trace."""
    return list(_lines(events))


def _lines(events: Sequence[Event]) -> Iterator[Json]:
    for name, arguments, time in sorted(events, key=lambda each: each[2]):
        line: dict[str, Json] = {"template": name, "timestamp": value_to_json(time)}
        yield line | ({"arguments": [*map(value_to_json, arguments)]} if arguments else {})


def tellable(events: Iterable[Event]) -> bool:
    """Whether a trace can hold these events: none has a string that would be read as a number."""
    return not any(isinstance(value, str) and FRACTION.fullmatch(value) for _, values, _ in events for value in values)


def shown(events: Sequence[Event]) -> str:
    """A stream in a few words: `a(1)@0 b@3`."""
    parts = []
    for name, arguments, time in sorted(events, key=lambda each: each[2]):
        inside = ", ".join(json.dumps(value_to_json(value), ensure_ascii=False) for value in arguments)
        parts.append(f"{name}({inside})@{value_to_json(time)}" if arguments else f"{name}@{value_to_json(time)}")
    return " ".join(parts)
