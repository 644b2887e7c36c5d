"""When `sound` reports a match: never before it is determined, and how long after.

Wild programs are fed one input after the other, events and promises of several sources. After each the matches that the
machine has found, once it is at rest, are compared with those that are determined (`determined.py`). Continuations that
keep the promises, made to defeat what is said to be determined, are put to the algebra. What comes later than the
specification allows (prompt-reports, prompt-lag, prompt-turns) is a failure; what comes late is counted by cause.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.algebra.partelang.programs import run as algebra
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Arrival, Event
from parte.semantics.events.match import Match
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.retention import retention
from parte.semantics.partelang.schedules import RoundRobin, Schedule, SeededRandom
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns import wild
from tests.campaigns.determined import Criterion, Key, key_of, window_of
from tests.campaigns.running import Broken
from tests.campaigns.wild import Wild

SOURCES = ("s", "t", "u")
ROOMY = Capacities(NodeCapacities(left=10_000, right=10_000, inbox=1, outbox=10_000))
"""Limits that are never reached."""

CONTINUATIONS = 3
"""So many for each moment at which something is new."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Fed:
    """A program, the pairs of source and template that may speak, and what they say, in order."""

    program: Wild
    pairs: tuple[Pair, ...]
    feed: tuple[Arrival, ...]

    @property
    def whole(self) -> tuple[Arrival, ...]:
        """The feed, and the end of every pair."""
        return (*self.feed, *(Arrival(source, template, POSITIVE_INFINITY, None) for source, template in self.pairs))

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the feed."""
        return events_of(self.feed)


class Lateness:
    """The campaign."""

    name = "lateness"

    def draw(self, source: random.Random) -> Fed:
        """A program and a feed of up to three sources."""
        strata = source.random() < 0.3
        while True:
            program = wild.wild(source, extreme=0.1, traces=source.choice((1, 2, 3)))
            if not strata or _negates_what_rules_emit(program):
                return fed(source, program)

    def smaller(self, case: Fed) -> Iterator[Fed]:
        """The case with less of the feed, or of the program."""
        for number in range(len(case.feed)):
            yield replace(case, feed=(*case.feed[:number], *case.feed[number + 1 :]))
        for number, pair in enumerate(case.pairs):
            if not any((arrival.source, arrival.template) == pair for arrival in case.feed):
                yield replace(case, pairs=(*case.pairs[:number], *case.pairs[number + 1 :]))
        for program in wild.smaller(case.program):
            yield replace(case, program=program)

    def show(self, case: Fed) -> str:
        """The program and the feed."""
        said = (
            f"{arrival.source} {arrival.template} promises {arrival.bound}"
            + (
                ""
                if arrival.event is None
                else f" with {arrival.event.id} at {arrival.event.timestamp} {arrival.event.attributes}"
            )
            for arrival in case.feed
        )
        return replace(case.program, traces=()).show() + f"pairs: {case.pairs}\n" + "\n".join(said)

    def attack(self, case: Fed, counts: Counter[str]) -> None:
        """Feed it, and compare."""
        try:
            program = parse(case.program.text)
        except ProgramError:
            counts["no program"] += 1
            return
        empty: dict[str, object] = {predicate.name: {"true_for": []} for predicate in program.predicates}
        _Attack(program, bind_domain(program, read_domain({**empty, **case.program.tables})), case, counts).run()


def _negates_what_rules_emit(program: Wild) -> bool:
    return any(
        pattern.negated and pattern.template in wild.EMITTED for rule in program.rules for pattern in rule.patterns
    )


def events_of(arrivals: Sequence[Arrival]) -> tuple[Event, ...]:
    """The events that came."""
    return tuple(arrival.event for arrival in arrivals if arrival.event is not None)


# --- Feeds ------------------------------------------------------------------------------------------------------------


def fed(source: random.Random, program: Wild) -> Fed:
    """What several sources say of a program: the events of its traces, each with a promise that is kept, and promises
    between them. Some sources say little; a few rules share what they emit with a source."""
    read = {pattern.template for rule in program.rules for pattern in rule.patterns}
    emitted = sorted(read & set(wild.EMITTED))
    pairs = [(name, template) for template in wild.EXTERNAL for name in SOURCES[: source.choice((1, 2, 2, 3))]]
    pairs += [("s", template) for template in emitted if source.random() < 0.2]
    queues: dict[Pair, list[Event]] = {pair: [] for pair in pairs}
    for number, trace in enumerate(program.traces):
        for event in trace:
            template = source.choice(emitted) if emitted and source.random() < 0.1 else event.template
            pair = source.choice([pair for pair in pairs if pair[1] == template] or pairs)
            sent = replace(event, id=f"{event.id}.{number}", template=pair[1], source=pair[0])
            queues[pair].append(sent)
    for queue in queues.values():
        if source.random() < 0.8:
            queue.sort(key=lambda event: event.timestamp)
    return Fed(program, tuple(pairs), tuple(_said(source, program, queues)))


def _said(source: random.Random, program: Wild, queues: Mapping[Pair, list[Event]]) -> Iterator[Arrival]:
    """The events of each pair in their order, and promises that they keep."""
    distances = [end for rule in program.rules for window in rule.windows for end in (window.lower, window.upper)]
    times = [event.timestamp for queue in queues.values() for event in queue] or [0]
    bounds = dict.fromkeys(queues, NEGATIVE_INFINITY)
    talkative = {pair: source.choice((0.0, 0.5, 0.9)) for pair in queues}
    for _ in range(4 * len(times) + 8):
        pair = source.choice(sorted(queues))
        queue = queues[pair]
        event = queue.pop(0) if queue and source.random() < 0.7 else None
        if event is None and source.random() > talkative[pair]:
            continue
        most = min((event.timestamp for event in queue), default=POSITIVE_INFINITY)
        if event is None:
            wish = source.choice((*times, most)) + source.choice((0, *distances)) + source.choice((0, 0, 1))
        else:
            wish = source.choice((event.timestamp, event.timestamp, bounds[pair]))
        bound = max(bounds[pair], min(wish, most))
        if event is not None or bound > bounds[pair]:
            bounds[pair] = bound
            yield Arrival(*pair, bound, event)


def continuation(
    source: random.Random, case: Fed, seen: Sequence[Arrival], windows: Sequence[tuple[str, int, int]]
) -> list[Event]:
    """Events that may still come, most of them where they do harm: in windows, each given with its template."""
    bounds = dict.fromkeys(case.pairs, NEGATIVE_INFINITY)
    bounds.update({(arrival.source, arrival.template): arrival.bound for arrival in seen})
    still = [pair for pair in case.pairs if bounds[pair] <= GREATEST_INTEGER]
    if not still or not case.events:
        return []
    events: list[Event] = []
    for number in range(source.choice((1, 2, 4))):
        model, pair = source.choice(case.events), source.choice(still)
        time = source.choice(case.events).timestamp + source.randint(-6, 6)
        if windows and source.random() < 0.8:
            template, opens, closes = source.choice(windows)
            pair = source.choice([candidate for candidate in still if candidate[1] == template] or still)
            time = source.choice((opens, closes, (opens + closes) // 2))
        time = min(max(time, bounds[pair], LEAST_INTEGER), GREATEST_INTEGER)
        events.append(Event(f"later{number}", pair[1], time, model.attributes, pair[0]))
    return events


# --- The attack -------------------------------------------------------------------------------------------------------


class _Attack:
    def __init__(self, program: core.Program, domain: Predicates, case: Fed, counts: Counter[str]) -> None:
        self.program, self.domain, self.case, self.counts = program, domain, case, counts
        self.matches = {key_of(match): match for match in self.after(case.events)}
        self.emitter = {event.id: match for match in self.matches.values() for event in match.emits}
        emitted = (event for match in self.matches.values() for event in match.emits)
        self.times = {event.id: event.timestamp for event in (*case.events, *emitted)}
        self.source = random.Random(len(case.feed))
        sources: dict[str, list[str]] = {}
        for name, template in case.pairs:
            sources.setdefault(template, []).append(name)
        self.network = compile_program(program, domain, sources)

    def after(self, events: Sequence[Event]) -> tuple[Match, ...]:
        """What the algebra finds."""
        return algebra(self.program, events, self.domain, "indexed").matches

    def run(self) -> None:
        """Feed the machine, with limits and without, and compare moment by moment."""
        whole, criterion = self.case.whole, Criterion(self.program, self.domain, self.matches.values())
        moments = range(len(whole) + 1)
        determined, in_turn = (
            first_moments(
                [criterion.known(whole[:number], self.case.pairs, turns=turns).determined for number in moments]
            )
            for turns in (frozenset[str](), joined(self.program))
        )
        self.counts["matches"] += len(self.matches)
        if determined.keys() != self.matches.keys():
            raise Broken("a match is never determined")
        reported_at = reported(self.network, whole, RoundRobin())
        self.compare("", reported_at, determined, determined)
        self.compare("any schedule: ", reported(self.network, whole, SeededRandom(len(whole))), determined, determined)
        self.compare("limited: ", reported(self.network, whole, RoundRobin(), ROOMY), determined, in_turn)
        self.continue_in_all_ways(determined, reported_at)

    def compare(
        self, kind: str, moments: Mapping[Key, int], determined: Mapping[Key, int], promised: Mapping[Key, int]
    ) -> None:
        """What a machine reports, and when, against what is determined and what the specification promises."""
        if moments.keys() != self.matches.keys():
            raise Broken("other matches than the algebra has", kind)
        for key, match in self.matches.items():
            if moments[key] < determined[key]:
                self.counts[f"{kind}before the criterion says so"] += 1
            if moments[key] > determined[key]:
                self.counts[f"{kind}late"] += 1
            if promised[key] > determined[key]:
                self.counts[f"{kind}late: sources take turns"] += 1
            if moments[key] == promised[key]:
                continue
            self.counts[f"{kind}late: what rules may emit"] += 1
            if not any(self.waits_for_a_rule(ancestor) for ancestor in self.derivation(match)):
                raise Broken("at another moment than promised", f"{kind}{key}: {moments[key]}, not {promised[key]}")
            if moments[key] > self.with_lags(match, promised):
                raise Broken("later than the lag allows", f"{kind}{key}: {moments[key]}")

    def derivation(self, match: Match) -> Iterator[Match]:
        """A match, and those that emitted its events, directly or not."""
        yield match
        for _, event in match.bindings:
            if event in self.emitter:
                yield from self.derivation(self.emitter[event])

    def windows(self, match: Match) -> list[tuple[str, int, int]]:
        """The negated templates of a match, and where their events must not lie."""
        rule = self.program.rule(match.rule)
        times = {variable: self.times[event] for variable, event in match.bindings}
        return [(pattern.template, *window_of(rule, pattern, times)) for pattern in rule.patterns if pattern.negated]

    def waits_for_a_rule(self, match: Match) -> bool:
        """Whether something that a rule emits could fill a negated pattern of a match."""
        emitted = {emission.template for rule in self.program.rules for emission in rule.emissions}
        return any(opens <= closes and template in emitted for template, opens, closes in self.windows(match))

    def with_lags(self, match: Match, promised: Mapping[Key, int]) -> int:
        """When at the latest: all is there, and every source that feeds what is negated has promised more than the end
        of the window and the lag of the template."""
        streams = retention(self.network, {}).streams
        lags = {name.removeprefix("entry:"): stream.lag for name, stream in streams.items()}
        moment = max(promised[key_of(ancestor)] for ancestor in self.derivation(match))
        for ancestor in self.derivation(match):
            for template, opens, closes in self.windows(ancestor):
                feeding = {pair for pair in self.case.pairs if pair[1] in feeders(self.program, template)}
                if opens <= closes and feeding:
                    moment = max(moment, self.when_promised(feeding, closes + lags[template]))
        return moment

    def when_promised(self, pairs: set[Pair], time: int) -> int:
        """After how many inputs each of these pairs has promised more than a time."""
        behind = set(pairs)
        for number, arrival in enumerate(self.case.whole, 1):
            if arrival.bound > time:
                behind.discard((arrival.source, arrival.template))
            if not behind:
                return number
        raise AssertionError("every pair ends")

    def continue_in_all_ways(self, determined: Mapping[Key, int], moments: Mapping[Key, int]) -> None:
        """No continuation takes away what is determined, or what has been reported."""
        for number in sorted({*determined.values(), *moments.values()}):
            fixed = {key for key in self.matches if min(determined[key], moments[key]) <= number}
            for key in fixed - self.left_by_some(number, fixed):
                what = "determined" if determined[key] <= number else "reported"
                raise Broken(f"what is {what} is taken away", f"{key} after {number} inputs")
        for key in self.matches:
            before = determined[key] - 1
            bound = {event for match in self.derivation(self.matches[key]) for _, event in match.bindings}
            if bound <= {event.id for event in events_of(self.case.whole[:before])} | self.emitter.keys():
                is_kept = key in self.left_by_some(before, {key})
                self.counts[f"one input before: {'not ' * is_kept}taken away"] += 1

    def left_by_some(self, number: int, keys: set[Key]) -> set[Key]:
        """Those of the matches that some continuations of the first inputs have left."""
        seen = self.case.whole[:number]
        concerned = [ancestor for key in keys for ancestor in self.derivation(self.matches[key])]
        windows = [window for ancestor in concerned for window in self.windows(ancestor)]
        left = set(keys)
        for _ in range(CONTINUATIONS):
            later = continuation(self.source, self.case, seen, windows)
            left &= {key_of(match) for match in self.after((*events_of(seen), *later))}
            self.counts["continuations"] += 1
        return left


def feeders(program: core.Program, template: str) -> set[str]:
    """The templates from which events of a template come, itself and, through rules, others."""
    templates = {template}
    for rule in program.rules:
        if any(emission.template == template for emission in rule.emissions):
            for pattern in rule.patterns:
                templates |= feeders(program, pattern.template)
    return templates


def joined(program: core.Program) -> frozenset[str]:
    """The templates whose events get, through rules too, to where two patterns are compared."""
    templates: set[str] = set()
    for rule in reversed([rule for rules in program.rules_by_stratum() for rule in rules]):
        if len(rule.patterns) > 1 or any(emission.template in templates for emission in rule.emissions):
            templates.update(pattern.template for pattern in rule.patterns)
    return frozenset(templates)


def first_moments(sets: Sequence[frozenset[Key]]) -> dict[Key, int]:
    """The first moment at which each is there."""
    moments: dict[Key, int] = {}
    for number, keys in enumerate(sets):
        for key in keys:
            moments.setdefault(key, number)
    return moments


def reported(
    network: Network, arrivals: Sequence[Arrival], schedule: Schedule, capacities: Capacities = UNBOUNDED
) -> dict[Key, int]:
    """After how many inputs `sound`, which comes to rest after each, has found each match."""
    machine = Machine(network, capacities=capacities)
    moments: dict[Key, int] = {}
    for number, arrival in enumerate(arrivals, 1):
        schedule.drive(machine, (arrival,))
        for match in machine.matches:
            moments.setdefault(key_of(match), number)
    return moments
