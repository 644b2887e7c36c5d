"""One bucket after the other, batch by batch, without Spark: what queries find, and what is retained for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parte.algebra.partelang.programs
from parte.algebra.partelang.incremental.horizons import horizons
from parte.algebra.partelang.incremental.places import places_of
from parte.algebra.partelang.incremental.tables import Layout
from parte.conformance.partelang.strategies import programs
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.outcome import EmissionFailure, in_order
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang.syntax import core, parse
from parte.spark_adapter.partitioning import groups_of, router_of
from parte.spark_adapter.stream.blocks import Routed, block_of
from parte.spark_adapter.stream.bucket import Bucket, buckets_of
from parte.spark_adapter.stream.retained import Retained
from tests.campaigns.determined import window_of
from tests.sampling import sampled
from tests.spark_adapter.stream.drawn import Batches, batches_of, streams
from tests.spark_adapter.stream.test_agreement import has_queries

WITHOUT_SPARK = True

Part = tuple[int, int]


@dataclass
class Memory:
    """Segments in a dictionary."""

    held: dict[tuple[str, str], bytes] = field(default_factory=dict)

    def read(self, segment: str, template: str) -> bytes:
        return self.held[segment, template]

    def write(self, segment: str, template: str, content: bytes) -> None:
        assert (segment, template) not in self.held
        self.held[segment, template] = content

    def remove(self, segment: str, template: str) -> None:
        del self.held[segment, template]


@dataclass
class Simulation:
    """What Spark does with a program: batches by bucket, state, timers, one promise for all."""

    program: core.Program
    count: int
    forgets: bool = False
    """Whether a worker keeps nothing in memory."""
    predicates: Predicates = field(default_factory=dict)
    failures: list[EmissionFailure] = field(default_factory=list)
    promise: int = NEGATIVE_INFINITY
    matches: list[Match] = field(default_factory=list)
    late: list[Event] = field(default_factory=list)
    states: dict[Part, Retained] = field(default_factory=dict)
    stores: dict[Part, Memory] = field(default_factory=dict)
    timers: dict[Part, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.groups = groups_of(self.program)
        self.layouts = [Layout.of(group.program) for group in self.groups]
        self.routes = [
            buckets_of(group, self.predicates, places_of(group.program), self.count) for group in self.groups
        ]
        self.workers: dict[int, Bucket] = {}

    def worker(self, number: int) -> Bucket:
        if self.forgets or number not in self.workers:
            self.workers[number] = Bucket(self.groups[number], self.predicates)
        return self.workers[number]

    def close(self) -> None:
        """Give the databases up."""
        for worker in self.workers.values():
            worker.close()

    def batch(self, events: tuple[Event, ...], promise: int) -> None:
        """A batch: the promise is that of all events before it."""
        self.promise = promise
        parts: dict[Part, dict[str, list[Routed]]] = {}
        for event in events:
            first = True
            for number, route in enumerate(self.routes):
                for bucket, fills in route(event).items():
                    own = parts.setdefault((number, bucket), {})
                    own.setdefault(event.template, []).append((event, fills, first))
                    first = False
        for part, timer in self.timers.items():
            if timer <= promise:
                parts.setdefault(part, {})
        for part, routed in parts.items():
            layout, worker = self.layouts[part[0]], self.worker(part[0])
            blocks = [block_of(layout, template, some) for template, some in routed.items()]
            new, late = worker.admitted(blocks, promise)
            self.late.extend(late)
            before = self.states.pop(part, None)
            if before is None and not new:
                continue
            store = self.stores.setdefault(part, Memory())
            done = worker.run(before, store, new, promise)
            self.matches.extend(done.matches)
            self.failures.extend(done.failures)
            self.timers.pop(part, None)
            # What is remembered and what is waited for go together: else it would never be looked at again.
            assert (done.retained is None) == (done.timer is None)
            named = {(s.name, t) for s in (done.retained.segments if done.retained else ()) for t in s.templates}
            assert named == set(store.held)
            if done.retained is not None and done.timer is not None:
                assert done.timer > promise
                again = Retained.of_json(done.retained.to_json())
                assert again == done.retained
                self.states[part], self.timers[part] = again, done.timer


def complete(program: core.Program, matches: Sequence[Match], batches: Batches) -> list[Match]:
    """The matches that are complete after some batches, by timestamps alone: their events are there, and each of their
    negated patterns has an empty window, or one that has ended."""
    promise, lags = batches[-1][1], horizons(program).lags
    there = {event.id: event.timestamp for events, _ in batches for event in events}
    completed = []
    for rule in (rule for rules in program.rules_by_stratum() for rule in rules):
        negated = [pattern for pattern in rule.patterns if pattern.negated]
        for match in matches:
            if match.rule == rule.name and all(identity in there for _, identity in match.bindings):
                stamps = {variable: there[identity] for variable, identity in match.bindings}
                known = [(window_of(rule, pattern, stamps), lags[pattern.template]) for pattern in negated]
                if all(opens > closes or closes + lag < promise for (opens, closes), lag in known):
                    completed.append(match)
                    there.update({event.id: event.timestamp for event in match.emits})
    return completed


@given(programs(), streams(late=2), st.integers(1, 3), st.booleans())
def test_each_match_is_found_in_the_batch_that_completes_it(
    program: core.Program, batches: Batches, count: int, forgets: bool
) -> None:
    """What is late is told as the machine tells it, and counts for nothing."""
    stream = tuple((tuple(event for event in some if event.timestamp >= least), least) for some, least in batches)
    everything = [event for events, _ in stream for event in events]
    expected = parte.algebra.partelang.programs.run(program, everything)
    simulation = Simulation(program, count, forgets)
    for number, (events, promise) in enumerate(batches, 1):
        simulation.batch(events, promise)
        assert canonical(simulation.matches) == canonical(complete(program, expected.matches, stream[:number]))
    assert canonical(simulation.matches) == list(expected.matches)
    assert in_order(simulation.failures) == tuple(expected.failures)
    assert not simulation.states
    assert not simulation.timers
    routes = [router_of(group, {}) for group in simulation.groups]
    below = [event for some, least in batches for event in some if event.timestamp < least]
    assert {event.id: event for event in simulation.late} == {
        event.id: event for event in below if any(route(event) for route in routes)
    }
    assert len(simulation.late) == len({event.id for event in simulation.late})


@pytest.mark.parametrize("part", [pytest.param(part, marks=sampled(part, usual=3, quick=6)) for part in range(6)])
def test_the_suite_in_batches(part: int) -> None:
    wrong = []
    for fixture in islice(load_suite(PARTELANG).cases.values(), part, None, 6):
        if fixture.expected.rejected is not None:
            continue
        program = parse(fixture.text)
        if not has_queries(program):
            continue  # which they reject by name (test_agreement)
        if any(constraint.lower is None for rule in program.rules for constraint in rule.constraints):
            continue  # and streams reject `-ever` (test_level_2_ever)
        predicates = bind_domain(program, read_domain(fixture.domain))
        events = [
            item for item in conform(program, read_trace(fixture.trace_text, nulls=True)) if isinstance(item, Event)
        ]
        simulation = Simulation(program, 2, predicates=predicates)
        for some, promise in batches_of(events):
            simulation.batch(some, promise)
        expected = parte.algebra.partelang.programs.run(program, events, predicates)
        simulation.close()
        if (canonical(simulation.matches), in_order(simulation.failures)) != (
            list(expected.matches),
            tuple(expected.failures),
        ):
            wrong.append(fixture.id)
    assert wrong == []


def test_an_event_is_there_as_long_as_it_matters_and_no_longer() -> None:
    program = parse("""
        template A { } template B { } template C { }
        rule R where a: A, c: C, b: B when b in a [10 ms, 10 ms], b in c [1000 ms, 1000 ms] then
    """)
    simulation = Simulation(program, 1)
    simulation.batch((Event("c", "C", -931, {}),), NEGATIVE_INFINITY)
    for number in range(60):
        # Those of C matter long, so that no segment goes as a whole.
        longer = (Event(f"c{number}", "C", number, {}),) if number % 5 == 0 else ()
        shorter = tuple(Event(f"a{number},{index}", "A", number, {}) for index in range(3))
        simulation.batch((*longer, *shorter), number)
        # At most 46 matter; of what is held a third does, in few segments.
        assert simulation.states[0, 0].rows <= 3 * 46
        assert len(simulation.states[0, 0].segments) <= 6
    # So many that all segments are merged, under the last promise with which the first event of C matters.
    many = tuple(Event(f"d{index}", "C", 69, {}) for index in range(100))
    for events, count in (((Event("first", "B", 69, {}), *many), 3), ((Event("last", "B", 69, {}),), 6)):
        simulation.batch(events, 69)
        assert len(simulation.matches) == count
    simulation.batch((), 1069)
    assert simulation.states
    simulation.batch((), 1070)
    assert not simulation.states
    simulation.close()


def test_one_template_fills_more_patterns_than_a_column_has_bits() -> None:
    rules = [f"rule R{n} where a: A {{ k = {n} }} then emit D at a.timestamp with {{ }}" for n in range(130)]
    program = parse(" ".join(["template A { k: Integer } template D { }", *rules, "rule Both where d: D then"]))
    simulation = Simulation(program, 1)
    events = [Event(f"e{n}", "A", n, {"k": n}) for n in (0, 61, 62, 63, 64, 123, 124, 129)]
    simulation.batch(tuple(events[::2]), NEGATIVE_INFINITY)
    simulation.batch(tuple(events[1::2]), NEGATIVE_INFINITY)
    assert canonical(simulation.matches) == list(parte.algebra.partelang.programs.run(program, events).matches)
    simulation.close()


def test_what_fills_only_rules_that_match_nothing_is_told_if_it_is_late() -> None:
    """As the machine tells it, which asks of an event what its conditions say, not whether its rule can match."""
    program = parse("""
        template A { k: Integer } template B { k: Integer }
        rule Never where a: A { k = 1 }, b: B { k = 1, k = a.k } when b in a [1 ms, 2 ms], a in b [1 ms, 2 ms] then
        rule Other where a: A { k = 2 }, other: A { k = 2, k = a.k } when other in a [0 ms, 5 ms] then
    """)
    simulation = Simulation(program, 2)
    early = [Event(f"e{n}", "AB"[n % 2], 4, {"k": n // 2}) for n in range(6)]
    simulation.batch((*early, Event("later", "B", 7, {"k": 1})), 5)
    assert sorted(event.id for event in simulation.late) == ["e2", "e3", "e4"]
    assert not simulation.states
    simulation.close()


def test_nothing_waits_for_the_end_of_a_window_that_no_match_can_need() -> None:
    """A negated pattern is decided when the first of its windows ends, and what is retained goes when that is past."""
    program = parse("""
        template A { } template B { } template C { }
        rule R where a: A, b: B, no c: C when b in a [0 ms, 0 ms], no c in a [0 ms, 5 ms], no c in b [0 ms, 1000 ms]
        then
    """)
    simulation = Simulation(program, 1)
    simulation.batch((Event("b", "B", 10, {}),), NEGATIVE_INFINITY)
    assert list(simulation.timers.values()) == [16]
    simulation.batch((), 16)
    assert not simulation.states
    simulation.close()


def test_windows_that_exclude_each_other_reach_back_as_far_as_numbers_do() -> None:
    """Such a negated event matters to no match; by how much it is too early is beyond 64 bits."""
    most = 2**63 - 1
    program = parse(f"""
        template A {{ }} template C {{ }}
        rule R where a: A, b: A, no c: C
        when b in a [0 ms, 0 ms], no c in a [0 ms, 0 ms], no c in b [{most} ms, {most} ms] then
    """)
    simulation = Simulation(program, 1)
    simulation.batch((Event("c", "C", -5, {}), Event("a", "A", -5, {})), NEGATIVE_INFINITY)
    simulation.batch((), -4)
    assert [dict(match.bindings) for match in simulation.matches] == [{"a": "a", "b": "a"}]
    assert not simulation.states
    simulation.close()


def test_a_timer_stands_where_the_next_window_closes() -> None:
    program = parse("""
        template A { k: Integer } template B { } template D { }
        rule Open where a: A { k = 1 }, no b: B when no b in a [-10 ms, 5 ms] then emit D at a.timestamp - 3 ms with { }
        rule Silent where a: A { k = 2 }, no d: D when no d in a [0 ms, 4 ms] then
        rule Long where a: A { k = 3 }, d: D when d in a [1 ms, 15 ms] then
    """)
    simulation = Simulation(program, 1)
    changes: list[tuple[int, list[int], int]] = []
    simulation.batch(tuple(Event(f"e{k}", "A", 99 - k, {"k": k}) for k in (1, 2, 3)), 90)
    for promise in range(91, 125):
        timers = list(simulation.timers.values())
        if not changes or changes[-1][1:] != (timers, len(simulation.matches)):
            changes.append((promise, timers, len(simulation.matches)))
        simulation.batch((), promise)
    # What is emitted may lie 8 ms behind: the window of e2, of 97, ends with 101 of D, and so with 109; and e3, of 96,
    # may meet one up to 111 until 119.
    assert changes == [(91, [104], 0), (105, [110], 1), (111, [120], 2), (121, [], 2)]
    simulation.close()


def test_a_segment_that_is_large_enough_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parte.spark_adapter.stream.retained._MOST_ROWS", 8)
    program = parse("template A { } rule R where a: A, b: A when b in a [99 ms, 99 ms] then")
    simulation = Simulation(program, 1)
    for number in range(9):
        simulation.batch(tuple(Event(f"e{number},{index}", "A", number, {}) for index in range(3)), number)
    assert [segment.rows for segment in simulation.states[0, 0].segments] == [6, 6, 6, 6, 3]
    simulation.close()


@pytest.mark.parametrize("ends", [6, POSITIVE_INFINITY])
def test_what_is_emitted_fills_all_that_it_can_in_this_batch_and_later(ends: int) -> None:
    program = parse("""
        template A { } template B { } template D { }
        rule Emit where a: A, no b: B when no b in a [0 ms, 5 ms] then emit D at a.timestamp with { }
        rule Both where d: D, other: D when other in d [0 ms, 3 ms] then
        rule Alone where d: D, no other: D when no other in d [1 ms, 3 ms] then
    """)
    events = [Event("e0", "A", 0, {}), Event("e2", "A", 2, {})]
    simulation = Simulation(program, 1)
    for some, promise in ((tuple(events), NEGATIVE_INFINITY), ((), ends), ((), POSITIVE_INFINITY)):
        simulation.batch(some, promise)
    assert canonical(simulation.matches) == list(parte.algebra.partelang.programs.run(program, events).matches)
    assert [match.rule for match in simulation.matches].count("Both") == 3
    assert not simulation.states
    simulation.close()


@pytest.mark.parametrize("last", [3, 7])
@pytest.mark.parametrize("ends", [(5, 8, 9), (9, 5, 8), (8, 9, 5)])
def test_of_several_windows_the_first_to_end_decides(ends: tuple[int, int, int], last: int) -> None:
    first, second, third = (f"[0 ms, {end} ms]" for end in ends)
    program = parse(f"""
        template A {{ }} template N {{ }} template M {{ }}
        rule R where a: A, b: A, c: A, no n: N, no m: M
        when b in a [1 ms, 1 ms], c in b [1 ms, 1 ms], no n in a {first}, no n in b {second}, no n in c {third},
             no m in c [0 ms, 50 ms], no m in a [0 ms, {last} ms] then
    """)
    simulation = Simulation(program, 1)
    simulation.batch(tuple(Event(f"e{n}", "A", n, {}) for n in range(3)), NEGATIVE_INFINITY)
    counts = []
    for promise in range(15):
        simulation.batch((), promise)
        counts.append(len(simulation.matches))
    complete_at = max(min(start + end for start, end in enumerate(ends)), last) + 1
    assert counts == [0] * complete_at + [1] * (15 - complete_at)
    simulation.close()


def test_a_timer_asks_the_pattern_whose_event_the_window_is_about() -> None:
    program = parse("""
        template A { k: Integer } template B { }
        rule R where a: A { k = 1 }, other: A { k = 2 }, no b: B
        when other in a [0 ms, 20 ms], no b in other [0 ms, 5 ms] then
    """)
    simulation = Simulation(program, 1)
    simulation.batch((Event("a", "A", 95, {"k": 1}), Event("other", "A", 100, {"k": 2})), NEGATIVE_INFINITY)
    assert list(simulation.timers.values()) == [106]
    simulation.close()


def test_emissions_without_a_value_are_told_of_all_strata() -> None:
    program = parse("""
        template A { k: Integer } template D { k: Float } template E { k: Float }
        rule Low where a: A then emit D at a.timestamp with { k = 1 / a.k - 1 }
        rule High where d: D then emit E at d.timestamp with { k = 1 / d.k }
    """)
    events = (Event("e0", "A", 0, {"k": 0}), Event("e1", "A", 0, {"k": 1}))
    simulation = Simulation(program, 1)
    simulation.batch(events, NEGATIVE_INFINITY)
    assert {failure.rule for failure in simulation.failures} == {"Low", "High"}
    assert in_order(simulation.failures) == tuple(parte.algebra.partelang.programs.run(program, events).failures)
    simulation.close()


def batch_by_batch(program: core.Program, *batches: Sequence[Event], predicates: Predicates | None = None) -> list[int]:
    """How many matches each batch gives; all together are those of the algebra, and emit the same events."""
    simulation = Simulation(program, 1, predicates=predicates or {})
    counts: list[int] = []
    for batch in batches:
        simulation.batch(tuple(batch), NEGATIVE_INFINITY)
        counts.append(len(simulation.matches) - sum(counts))
    simulation.batch((), POSITIVE_INFINITY)
    events = [event for batch in batches for event in batch]
    assert canonical(simulation.matches) == list(
        parte.algebra.partelang.programs.run(program, events, predicates or {}).matches
    )
    assert len(simulation.matches) == sum(counts)
    simulation.close()
    return counts


def test_what_comes_and_what_is_emitted_meet_in_one_batch() -> None:
    program = parse("""
        template A { } template D { k: Integer }
        rule Make where a: A then emit D at a.timestamp with { k = 1 }
        rule Pair where d: D { k = 1 }, other: D { k = 2 } when other in d [0 ms, 10 ms] then
    """)
    assert batch_by_batch(program, [Event("a", "A", 0, {}), Event("d", "D", 5, {"k": 2})]) == [2]


def test_what_two_strata_emit_is_there_for_later_batches() -> None:
    program = parse("""
        template A { } template B { } template C { } template D { }
        rule First where a: A then emit B at a.timestamp with { } emit D at a.timestamp with { }
        rule Second where b: B then emit D at b.timestamp with { }
        rule Later where d: D, c: C when c in d [0 ms, 10 ms] then
    """)
    assert batch_by_batch(program, [Event("a", "A", 0, {})], [Event("c", "C", 5, {})]) == [2, 2]


def test_ids_with_delimiters_are_quoted_in_those_that_are_emitted() -> None:
    program = parse("""
        template A { } template B { } template C { }
        rule Make where a: A, other: A when other in a [1 ms, 5 ms] then emit B at a.timestamp with { }
        rule Again where b: B, a: A when a in b [0 ms, 5 ms] then emit C at b.timestamp with { }
    """)
    odd = ["x,y=(1)", 'quo"ted', "plain"]
    assert sum(batch_by_batch(program, *([Event(name, "A", at, {})] for at, name in enumerate(odd)))) > 3


def test_an_emission_asks_a_predicate() -> None:
    program = parse("""
        predicate large(Integer)
        template A { k: Integer } template B { large: Boolean }
        rule Make where a: A then emit B at a.timestamp with { large = large(a.k) }
    """)
    events = [Event("a", "A", 0, {"k": 1}), Event("b", "A", 0, {"k": 9})]
    predicates = bind_domain(program, {"large": lambda k: isinstance(k, int) and k > 5})
    assert batch_by_batch(program, events, predicates=predicates) == [2]
