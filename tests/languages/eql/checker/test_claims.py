"""Claims of the checker about drawn queries, against the definition and the machine on drawn traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.environment.schedule import QuerySchedule
from parte.checker.report.contents import Report
from parte.checker.solver.verdict import Verdict
from parte.conformance.fuzz.draw import seeded
from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.checker.check import check
from parte.languages.eql.conformance.drawing import CATEGORIES, Shape, drawn_events, drawn_query
from parte.languages.eql.conformance.generation import drawn_case
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.eql.semantics.syntax.readings import USUAL, Readings, readings_of
from parte.languages.eql.semantics.syntax.streams import Stream
from parte.semantics.events.event import Event
from parte.semantics.events.rates import Rate

DRAWN, TRACES = 40, 25
Json = Any


def evidence(report: Report, guarantee: str) -> Json:
    (record,) = [entry.evidence for entry in report.guarantees if entry.name == guarantee]
    return record


def events_of(lines: Sequence[Mapping[str, Json]]) -> tuple[Event, ...]:
    """The events of evidence."""
    return tuple(
        Event(line["id"], line["template"], line["timestamp"], {n: _value(v) for n, v in line["attributes"].items()})
        for line in lines
    )


def _value(value: Json) -> Json:
    return tuple(value) if isinstance(value, list) else value


def reduced(query: tree.Query, report: Report) -> tree.Query:
    """The query without the parts that rule nothing out."""
    codes = {"useless-absence", "useless-until"}
    places = {f.span for f in report.findings if f.code in codes and f.verdict is Verdict.REFUTED}
    if not isinstance(query, tree.Sequence):
        return query
    until = None if query.until is not None and query.until.span in places else query.until
    return replace(query, stages=tuple(stage for stage in query.stages if stage.span not in places), until=until)


@pytest.mark.parametrize("seed", range(DRAWN))
def test_claims_hold_on_drawn_traces(seed: int) -> None:
    case = drawn_case(seeded(seed), Shape())
    readings, query = readings_of(case.options), parse(case.text)
    report = check(case.text, 3.0, readings)
    lists = 25 if readings.lists == "any" else 0
    holds(query, readings, report, [drawn_events(seeded(1_000 * seed + number), 8, lists) for number in range(TRACES)])


def holds(query: tree.Query, readings: Readings, report: Report, traces: Sequence[Sequence[Event]]) -> None:
    """Each claim holds on traces, and each witness shows what it is a witness of, by definition and machine."""
    shorter = parse(evidence(report, "every-condition-counts").get("without", print_query(query)))
    plain = reduced(query, report)
    for trace in traces:
        results = evaluate(query, trace, readings)
        assert not results or report.verdict("satisfiable") is not Verdict.REFUTED
        assert evaluate(shorter, trace, readings) == results
        if readings.absence == "each":  # without a first or last absence, `together` means something else
            assert evaluate(plain, trace, readings) == results
    if "trace" in evidence(report, "satisfiable"):
        witness = events_of(evidence(report, "satisfiable")["trace"])
        assert evaluate(query, witness, readings) == run(query, witness, readings) != []
    query = query if isinstance(query, tree.Sample) else replace(query, pipes=())
    for lines in evidence(report, "effective-absences").values():
        witness = events_of(lines)
        results = evaluate(query, witness, readings)
        assert results == run(query, witness, readings)
        smaller = [witness[:place] + witness[place + 1 :] for place in range(len(witness))]
        assert any(result not in results for trace in smaller for result in evaluate(query, trace, readings))


def run(query: tree.Query, trace: Sequence[Event], readings: Readings) -> Json:
    """The results of the machine."""
    machine, stream = Machine(query, readings), Stream(readings)
    reported = [machine.arrive(stream.add(event), stream.bound) for event in trace]
    return [result for batch in (*reported, machine.end()) for result in batch]


def test_most_claims_about_drawn_queries_are_decided() -> None:
    counts: Counter[Verdict] = Counter()
    for seed in range(DRAWN):
        report = check(print_query(drawn_query(seeded(seed))), 3.0)
        counts.update(entry.verdict for entry in report.guarantees if entry.name != "bounded-waiting")
    assert counts[Verdict.REFUTED] > 20
    assert counts[Verdict.NOT_PROVED] < counts.total() / 20


# --- Sizes ------------------------------------------------------------------------------------------------------------

LATE = 4
RATE = Rate(3, 5)
DEPLOYMENT = Deployment((Source("s", tuple(Emits(category, RATE) for category in CATEGORIES), LATE),))
ABOUT_ONE_KEY = Shape(conditions=False, events=0)


def arrivals(rng: Random, count: int) -> Iterator[Event]:
    """Events that keep to the rates, as late as the deployment allows."""
    sent: dict[str, list[int]] = {category: [] for category in CATEGORIES}
    now = 0
    for number in range(count):
        now += rng.choice((0, 0, 0, 1, 2))
        time, category = now - rng.choice((0, 0, LATE, rng.randint(0, LATE))), rng.choice(CATEGORIES)
        times = sorted((*sent[category], time))
        if all(after - before >= RATE.period for before, after in zip(times, times[RATE.events :], strict=False)):
            sent[category].append(time)
            yield Event(f"e{number}", category, time, {"k": rng.choice((1, 2, number)), "v": 1, "s.t": 1})


def occupied(query: tree.Query, events: Iterator[Event]) -> Counter[str]:
    """The most that a run keeps, by kind; `slots of a key` is that of the only key, if there is one."""
    machine, stream, most = Machine(query, USUAL), Stream(USUAL, disorder=LATE), Counter[str]()
    for event in events:
        machine.arrive(stream.add(event), stream.bound)
        most |= Counter(machine.stored())
    return most


@pytest.mark.parametrize("seed", [*range(DRAWN), 169])  # 169: an event is of two keys, by two missing stages
def test_a_run_keeps_no_more_than_the_sizes(seed: int) -> None:
    query = drawn_query(seeded(seed), replace(ABOUT_ONE_KEY, kinds=("sequence",)))
    sizes = evidence(check(print_query(query), 2.0, deployment=DEPLOYMENT), "bounded-keys")
    for number in range(6):
        most = occupied(query, arrivals(Random(100 * seed + number), 150))
        for name in ("keys", "slots", "waiting", "held back"):
            assert name not in sizes or most[name] <= sizes[name], (print_query(query), name)
        if isinstance(query, tree.Sequence) and not query.by and not query.stages[0].by:
            assert most["slots"] <= sizes["slots of a key"]


@pytest.mark.parametrize(
    ("text", "name", "share"),
    [
        ("sequence by k with maxspan=10ms [A where true] [B where true]", "keys", 0.6),
        ("sequence with maxspan=10ms [A where true] [B where true] [C where true]", "slots of a key", 1.0),
        ("sequence with maxspan=10ms [A where true] ![B where false]", "waiting", 0.6),
        ("sequence with maxspan=10ms [A where true] [B where true]", "held back", 0.6),
    ],
)
def test_a_search_comes_near_to_a_size(text: str, name: str, share: float) -> None:
    sizes = evidence(check(text, 2.0, deployment=DEPLOYMENT), "bounded-keys")
    query, most = parse(text), 0
    for seed in range(40):
        stored = occupied(query, arrivals(Random(seed), 150))
        most = max(most, stored["slots" if name == "slots of a key" else name])
    assert share * sizes[name] <= most <= sizes[name]


# --- Query schedules --------------------------------------------------------------------------------------------------


def reports(query: tree.Query, trace: Sequence[Event], late: Sequence[int], schedule: QuerySchedule, run: int) -> Json:
    """The results of a run."""
    arriving = [(event, event.timestamp + delay) for event, delay in zip(trace, late, strict=True)]
    return evaluate(query, [event for event, arrival in arriving if schedule.reads(run, event, arrival)], USUAL)


@pytest.mark.parametrize("seed", range(DRAWN))
def test_claims_about_schedules_hold_for_every_phase(seed: int) -> None:
    rng, draw = Random(seed), seeded(seed)
    query = drawn_query(draw, Shape(conditions=False, keys=False, events=0))
    query = query if isinstance(query, tree.Sample) else replace(query, pipes=())
    schedule = QuerySchedule(rng.randint(1, 3), rng.randint(0, 9), rng.choice((0, 0, 1, 2)), rng.random() < 0.3)
    report = check(print_query(query), 2.0, schedule=schedule)
    for _ in range(25):
        trace = tuple(replace(event, timestamp=event.timestamp % 8) for event in drawn_events(draw, 5))
        late = [rng.randint(0, schedule.delay) for _ in trace]
        order = sorted(
            range(len(trace)), key=lambda place: (trace[place].timestamp, trace[place].timestamp + late[place])
        )
        trace, late = tuple(trace[place] for place in order), [late[place] for place in order]
        results = evaluate(query, trace, USUAL)
        runs = range(-1, 8 + schedule.delay + schedule.lookback + schedule.every)
        reported = {run: reports(query, trace, late, schedule, run) for run in runs}
        if report.verdict("reports-stay-true") is Verdict.PROVED:
            assert all(result in results for several in reported.values() for result in several)
        if report.verdict("seen-by-a-run") is Verdict.PROVED:
            for phase, result in product(range(schedule.every), results):
                assert any(result in reported[run] for run in runs if run % schedule.every == phase)


@pytest.mark.parametrize("seed", range(DRAWN))
def test_witnesses_about_schedules_replay(seed: int) -> None:
    query = drawn_query(seeded(seed), Shape(conditions=False, events=0))
    schedule = QuerySchedule(1 + seed % 4, seed % 7, seed % 3, seed % 5 == 0)
    report = check(print_query(query), 2.0, schedule=schedule)
    for finding in (*report.of("unseen-result"), *report.of("refuted-report")):
        assert finding.verdict is Verdict.REFUTED
        record: Json = finding.evidence
        trace = events_of(record["trace"])
        late = [record["arrivals"][event.id] - event.timestamp for event in trace]
        assert all(0 <= delay <= schedule.delay for delay in late)
        whole = [result["events"] for result in evaluate(query, trace, USUAL)]
        for described in record["runs"]:
            reported = [result["events"] for result in reports(query, trace, late, schedule, described["at"])]
            assert (record["result"] in reported) is described["reports"] is (finding.code == "refuted-report")
        assert (record["result"] in whole) is (finding.code == "unseen-result")
