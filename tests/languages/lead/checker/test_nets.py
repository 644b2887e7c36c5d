"""A second opinion on nets: a coverability tree (Karp, Miller 1969) of the net without colours, and every short stream.

Both are plain search, and share nothing with the checker. Without colours, guards, ranks and garbage more can fire, so
that what is dead or bounded in the tree is so in the net.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import inf

import pytest

from parte.checker.report.collecting import Collector
from parte.checker.solver.queries import Journal, Session
from parte.conformance.fuzz.draw import seeded
from parte.languages.lead.checker.codes import CODES
from parte.languages.lead.checker.liveness import reachable
from parte.languages.lead.checker.places import bounds_of
from parte.languages.lead.checker.work import Work
from parte.languages.lead.conformance.drawing import Shape, drawn_rule
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Net, Run, Transition, Weight
from parte.languages.lead.semantics.partitioning import partitions
from parte.languages.lead.semantics.syntax.matches import Occurrence
from parte.languages.lead.semantics.syntax.parser import parse_source
from parte.languages.lead.semantics.syntax.printer import print_rule
from parte.languages.lead.semantics.tokens import Token
from parte.semantics.events.event import Event

Marking = tuple[float, ...]
MOST_NODES = 3_000


@dataclass(frozen=True, slots=True)
class Plain:
    """A transition of a place/transition net: what it needs and takes, what it only needs, what it gives, by place."""

    takes: Mapping[int, float]
    needs: frozenset[int]
    gives: Mapping[int, float]

    def fired(self, marking: Marking) -> Marking | None:
        """The marking after it; None if it is not enabled."""
        if any(marking[place] < count for place, count in self.takes.items()):
            return None
        if any(marking[place] == 0 for place in self.needs):
            return None
        return tuple(
            count - self.takes.get(place, 0) + self.gives.get(place, 0) if count < inf else inf
            for place, count in enumerate(marking)
        )


def covered(transitions: Sequence[Plain], start: Marking) -> tuple[set[int], Marking] | None:
    """The transitions that fire somewhere in the tree, and the most that each place holds; None if it is too large."""
    fired: set[int] = set()
    most, seen = start, {start}
    waiting: list[tuple[Marking, tuple[Marking, ...]]] = [(start, ())]
    while waiting:
        marking, above = waiting.pop()
        for number, transition in enumerate(transitions):
            after = transition.fired(marking)
            if after is None:
                continue
            fired.add(number)
            for earlier in (*above, marking):
                if all(low <= high for low, high in zip(earlier, after, strict=True)):
                    after = tuple(inf if low < high else high for low, high in zip(earlier, after, strict=True))
            most = tuple(map(max, most, after))
            if after not in seen:
                seen.add(after)
                waiting.append((after, (*above, marking)))
        if len(seen) > MOST_NODES:
            return None
    return fired, most


def test_the_tree_of_nets_that_are_known() -> None:
    ring = (Plain({0: 1}, frozenset(), {1: 1}), Plain({1: 1}, frozenset(), {0: 1}), Plain({2: 1}, frozenset(), {0: 1}))
    assert covered(ring, (1, 0, 0)) == ({0, 1}, (1, 1, 0))
    source = (Plain({0: 1}, frozenset(), {0: 1, 1: 1}), Plain({1: 2}, frozenset({2}), {0: 1}))
    assert covered(source, (1, 0, 0)) == ({0}, (1, inf, 0))
    assert covered(source, (1, 0, 1)) == ({0, 1}, (inf, inf, 1))


# --- The net of a rule ------------------------------------------------------------------------------------------------


def plain(transition: Transition) -> Iterator[Plain]:
    """A transition without colours: what joins gives matches only if there is something to join."""
    takes = {transition.trigger.number: 1.0}
    read = frozenset(arc.place.number for arc in transition.takes)
    joins = transition.identity in ("LEAD/AND", "LEAD/SEQ", "LEAD/SOURCE")
    put = {arc.place: inf if arc.weight is Weight.SOME else 1.0 for arc in transition.puts}
    yield Plain(takes, frozenset(), {place.number: n for place, n in put.items() if place.red or not joins})
    if joins:
        yield Plain(takes, read, {place.number: n for place, n in put.items()})


def tree(net: Net) -> tuple[set[int], Marking] | None:
    """The transitions of a net that fire in the tree, where events may always come, and the most of each place."""
    assert net.root is not None
    arriving = {place.number for _, place in net.arrivals}
    start = tuple(inf if n in arriving else float(n == net.root.number) for n in range(len(net.places)))
    parts = [(number, part) for number, transition in enumerate(net.transitions) for part in plain(transition)]
    coverage = covered([part for _, part in parts], start)
    return coverage and ({parts[number][0] for number in coverage[0]}, coverage[1])


@dataclass(slots=True)
class Seen:
    """What was seen in runs: the transitions that fired, and the most tokens of each place at the end of an instant."""

    fired: set[int]
    most: dict[int, int]


def seen(machine: Machine, streams: Sequence[Sequence[Occurrence]]) -> Seen:
    """Run every stream, instant by instant."""
    seen = Seen(set(), dict.fromkeys((place.number for place in machine.net.places if place.red), 0))
    for number, transition in enumerate(machine.net.transitions):
        transition.action = partial(_noted, observed=seen, number=number, action=transition.action)
    for stream in streams:
        for _, group in partitions(machine.rule, stream):
            run, left = machine.begun(Run), list(group)
            run.begin(left[0].time)
            now: int | None = left[0].time
            while now is not None:
                run.instant(now, [occurrence for occurrence in left if occurrence.time == now])
                left = [occurrence for occurrence in left if occurrence.time > now]
                for place in machine.net.places:
                    if place.red:
                        seen.most[place.number] = max(seen.most[place.number], len(run.all_stored(place)))
                instants = [
                    time for time in (run.next_due, *(occurrence.time for occurrence in left[:1])) if time is not None
                ]
                now = max(now, min(instants)) if instants else None
    return seen


def _noted(run: Run, token: Token, observed: Seen, number: int, action: object) -> None:
    observed.fired.add(number)
    assert callable(action)
    action(run, token)


def streams(machine: Machine, length: int) -> Iterator[list[Occurrence]]:
    """Every stream of so many events of its types, some at one instant and some apart."""
    types = sorted({stream.name for stream in machine.rule.streams})
    for word in product(product(types, (0, 2)), repeat=length):
        now, events = 0, list[Occurrence]()
        for number, (template, gap) in enumerate(word):
            now += gap if events else 0
            attributes = dict.fromkeys("vwk", number % 2)
            events.append(Occurrence((now, number), Event(f"e{number}", template, now, attributes)))
        yield events


def judged(text: str, length: int) -> tuple[int, int, int]:
    """Hold the checker's claims against both; how many places have a bound, how many of these reach it, and how many
    transitions are dead."""
    source, journal = parse_source(text), Journal()
    work = Work(source, Collector(CODES, lambda _: "", journal), Session(1.0, journal), 1.0)
    claims, alive = bounds_of(work.net, source.rule.times), reachable(work)
    known = tree(work.net)
    machine = Machine(source.rule)
    observed = seen(machine, list(streams(machine, length)))
    assert observed.fired <= alive, text
    if known is not None:
        fired, most = known
        assert fired == alive, text
        for number, tokens in observed.most.items():
            assert tokens <= most[number], (text, work.net.places[number].name)
            assert most[number] == inf or (number in claims and claims[number].bounded), (
                text,
                work.net.places[number].name,
            )
    bounds = {number: claim.tokens for number, claim in claims.items() if claim.tokens is not None}
    for number, bound in bounds.items():
        assert observed.most[number] <= bound, (text, work.net.places[number].name)
    reached = sum(observed.most[number] == bound for number, bound in bounds.items())
    return len(bounds), reached, len(work.net.transitions) - len(alive)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("A -> B", (1, 1, 0)), ("adj(A and B)", (4, 4, 0)), ("all(wait(A, 3 ms) -> B within 2 ms)", (3, 2, 0))],
)
def test_claims_of_nets_that_are_known(pattern: str, expected: tuple[int, int, int]) -> None:
    assert judged(f"FROM A, B MATCH {pattern}", 3) == expected


def test_claims_of_wild_nets() -> None:
    places = reached = 0
    for seed in range(12):
        rule = drawn_rule(seeded(seed), Shape(depth=2))
        bounds, exact, _ = judged(print_rule(rule), 3)
        places, reached = places + bounds, reached + exact
    assert places > reached > places // 4 > 4
