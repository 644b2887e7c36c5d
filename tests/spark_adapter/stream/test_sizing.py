"""The state of a key stays within the checker's sizes, however the events are batched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import parte.algebra.partelang.programs
from parte.checker.environment.deployment import Deployment, Emits, Source, read_deployment
from parte.conformance.partelang.strategies import ProgramShape, programs
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event, Value
from parte.semantics.events.match import Match, canonical
from parte.semantics.events.rates import Rate
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.spark_adapter.partitioning import groups_of, router_of
from parte.spark_adapter.stream.job import job_of
from parte.spark_adapter.stream.keyed import KeyedMachine
from parte.spark_adapter.stream.sizing import limits_of

WITHOUT_SPARK = True

Stream = Sequence[tuple[Sequence[Event], int]]


def run(program: core.Program, deployment: Deployment, stream: Stream) -> list[Match]:
    """Every key batch by batch; BoundExceeded if one holds more than the checker says."""
    matches: list[Match] = []
    for group in groups_of(program):
        machine = KeyedMachine(group, {}, sent=deployment.senders(), limits=limits_of(group, deployment))
        route = router_of(group, {})
        states: dict[str, str | None] = {}
        for events, promise in stream:
            parts: dict[str, list[Event]] = {key: [] for key in states}
            for event in events:
                for key in route(event):
                    parts.setdefault(key, []).append(event)
            for key, own in parts.items():
                done = machine.run(key, states.get(key), own, promise)
                matches.extend(done.matches)
                states[key] = done.state
    return canonical(matches)


@st.composite
def deployed(draw: st.DrawFn) -> tuple[Deployment, Stream]:
    """Sources that send as much as they may or a little less, in batches that reach as far as they like."""
    late = draw(st.sampled_from((0, 0, 2)))
    sources: list[Source] = []
    events: list[Event] = []
    for template in "ABC":
        rate = Rate(draw(st.integers(1, 2)), draw(st.integers(1, 3)))
        source = f"s{template}"
        sources.append(Source(source, (Emits(template, rate),), late))
        for tick in range(0, 16, rate.period):
            for number in range(rate.events):
                if draw(st.integers(0, 7)):
                    k, x = draw(st.integers(0, 1)), draw(st.integers(0, 1))
                    attributes: dict[str, Value] = {"k": k, "x": float(x), "s": "", "b": k == x}
                    events.append(Event(f"{template}{tick}.{number}", template, tick, attributes, source))
    batches: list[tuple[Sequence[Event], int]] = []
    promise, rest = NEGATIVE_INFINITY, events
    for after in sorted(draw(st.lists(st.integers(0, 16), max_size=4))):
        reach = after + draw(st.integers(0, 8))
        come = [event for event in rest if event.timestamp < reach]
        rest = [event for event in rest if event.timestamp >= reach]
        batches.append((come, promise))
        promise = after
    return Deployment(tuple(sources)), (*batches, (rest, promise), ((), POSITIVE_INFINITY))


@given(programs(ProgramShape(conditions=False)), deployed())
def test_no_history_outgrows_the_checkers_size(program: core.Program, case: tuple[Deployment, Stream]) -> None:
    deployment, stream = case
    everything = [event for events, _ in stream for event in events]
    assert run(program, deployment, stream) == list(parte.algebra.partelang.programs.run(program, everything).matches)


SCENARIOS = Path(__file__).parents[3] / "examples" / "fraud" / "scenarios.parte"

DOORS = """
template Opened { door: String }
template Badge { door: String }
rule Forced where o: Opened, no b: Badge { door = o.door } when no b in o [-10 seconds, 5 seconds] then
"""
GATES = """
[[source]]
name = "gates"
every = "100 ms"
[[source.emits]]
template = "Opened"
[[source.emits]]
template = "Badge"
"""
EACH_DOOR = """
[[cardinality]]
template = "Opened"
attribute = "door"
at_most = 2
per = "1 minutes"
"""


def test_a_job_says_what_runs_in_parts_and_what_does_not() -> None:
    scenarios = parse(SCENARIOS.read_text(encoding="utf-8"))
    job = job_of(scenarios, {"uncommon_route": lambda _origin, _target: True})
    assert list(job.notes()) == [
        "FraudPassThrough: by incoming.destination, outgoing.originator",
        "FraudDiffusion: by incoming.destination, outgoing_1.originator, outgoing_2.originator, outgoing_3.originator",
    ]
    assert list(job.warnings()) == [
        "FraudRefundScam: on one partition, for no equality condition relates all patterns of rule FraudRefundScam to "
        "one another"
    ]
    bounded = job_of(parse(DOORS), deployment=read_deployment(GATES + EACH_DOOR))
    assert list(bounded.notes())[1] == f"Forced: at most {bounded.machine(0).bound} entries for each key"


def test_a_key_sees_the_events_of_one_value_only() -> None:
    """In the 5 s for which an opening waits, all doors open 51 times, and one of them twice."""
    (group,) = groups_of(parse(DOORS))
    everything = limits_of(group, read_deployment(GATES)).histories["not:Forced.b"]
    keyed = limits_of(group, read_deployment(GATES + EACH_DOOR)).histories["not:Forced.b"]
    assert everything[0] is not None
    assert keyed[0] is not None
    assert everything[0] > 50
    assert keyed[0] < 5
    assert keyed[1] == everything[1]
