"""`parte check` on wild queries of CEL: each claim against the definition and the machine, on all short streams."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, cast

from parte.checker.report.contents import Finding, Report
from parte.checker.report.json_form import report_to_json
from parte.checker.report.text import render
from parte.checker.solver.verdict import Verdict
from parte.conformance.fuzz.draw import Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.cel.algebra.denotation import TooManyValuations
from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.checker.check import check
from parte.languages.cel.conformance.drawing import Shape, drawn_events, drawn_query
from parte.languages.cel.conformance.generation import GENERATION, Case
from parte.languages.cel.semantics.evaluation import live
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.semantics.events.event import Event
from parte.semantics.events.trace import read_trace
from tests.campaigns.running import Broken

TIMEOUT = 2.0
"""Seconds for one question."""

OVERRUN = 40.0
"""A check that takes longer hangs."""

_SHAPES = (
    *[Shape(), Shape(depth=2), Shape(depth=4)] * 2,
    Shape(conditions=False),
    Shape(clauses=False),
    Shape(links=True, depth=2),
)


class Queries:
    """The campaign."""

    name = "queries"

    def __init__(self, *, streams: int = 300) -> None:
        self._streams = streams

    def draw(self, source: random.Random) -> Case:
        """A query, with a stream whose events the short streams are made of."""
        draw = Seeded(source)
        return Case(drawn_query(draw, source.choice(_SHAPES)), drawn_events(draw, 6))

    def smaller(self, case: Case) -> Iterator[Case]:
        """The case as fuzzing makes it smaller."""
        yield from smaller(GENERATION, case)

    def show(self, case: Case) -> str:
        """The query, and the events."""
        return f"{case.text}{case.items}\n"

    def attack(self, case: Case, counts: Counter[str]) -> None:
        """Check the query, and hold what is said against streams."""
        started = time.perf_counter()
        report = check(case.text, TIMEOUT)
        if time.perf_counter() - started > OVERRUN:
            raise Broken("a check takes longer than it may", f"{time.perf_counter() - started:.1f} s")
        json.dumps(report_to_json(report))
        render(report, verbose=True)
        query = parse(case.text)
        for guarantee in report.guarantees:
            counts[f"{guarantee.name}: {guarantee.verdict.value}"] += 1
        for finding in report.findings:
            counts[f"{finding.code}: {finding.verdict.value}"] += 1
            if finding.verdict is Verdict.NOT_PROVED:
                counts[f"open because {finding.reason[0]}"] += 1
        replayed(query, report, counts)
        streams = list(short_streams(query, [item for item in case.items if isinstance(item, Event)], self._streams))
        for stream in streams:
            claims(query, report, stream, counts)


# --- Streams ----------------------------------------------------------------------------------------------------------


def letters(query: tree.Query) -> list[Event]:
    """Events that the query tells apart, found by trying values around its constants: not by the solver."""
    nodes = list(tree.within(query.formula))
    constants = [node.value for node in nodes if isinstance(node, tree.Literal)]
    names = sorted({node.name for node in nodes if isinstance(node, tree.Attribute)} | set(query.attributes))
    names += sorted({n for node in nodes if isinstance(node, tree.Link) for n in (node.left_attribute,)})
    values: list[Any] = [None, 0, "b", True, *constants[:4]]
    values += [value + 1 for value in constants[:4] if type(value) is int and value < 2**62]
    types = sorted({node.name for node in nodes if isinstance(node, tree.EventType)})
    events = [
        Event("", type_, 0, {n: v for n, v in zip(names, row, strict=True) if v is not None}, source)
        for type_ in types
        for row in product(values, repeat=min(len(names), 2))
        for source in (query.streams[:1] or ("s",))
        if len(row) == len(names)
    ]
    return [*events, Event("", "D", 0, dict.fromkeys(query.attributes, 0), query.streams[0] if query.streams else "s")]


def short_streams(query: tree.Query, drawn: Sequence[Event], most: int) -> Iterator[tuple[Event, ...]]:
    """Streams of up to five events: some of drawn events, and all over a few letters of the query."""
    rng = random.Random(repr(query) + repr(len(drawn)))
    every = [*letters(query), *drawn]
    few = rng.sample(every, min(3, len(every)))
    for length in range(1, 5):
        for row in product(few, repeat=length):
            yield placed(row, [1] * length)
    for _ in range(most):
        length = rng.randint(1, 5)
        yield placed([rng.choice(every) for _ in range(length)], [rng.choice((0, 0, 1, 1, 3)) for _ in range(length)])


def placed(events: Sequence[Event], gaps: Sequence[int]) -> tuple[Event, ...]:
    """The events in order, with ids and times."""
    now, shifted = 0, []
    for number, (event, gap) in enumerate(zip(events, gaps, strict=True)):
        now += gap
        shifted.append(replace(event, id=f"e{number}", timestamp=now))
    return tuple(shifted)


# --- Claims -----------------------------------------------------------------------------------------------------------


def claims(query: tree.Query, report: Report, stream: Sequence[Event], counts: Counter[str]) -> None:
    """Nothing that the report says of all streams is contradicted by one."""
    try:
        complex_events = evaluate(query, stream)
    except TooManyValuations:
        return
    counts["streams"] += 1
    verdict = {guarantee.name: guarantee for guarantee in report.guarantees}
    if verdict["satisfiable"].verdict is Verdict.REFUTED and complex_events:
        raise Broken("unsatisfiable, but there is a result", str(stream))
    if verdict["events-in-results"].verdict is Verdict.PROVED and any(
        not complex_event.positions for complex_event in complex_events
    ):
        raise Broken("a result without events", str(stream))
    bound = verdict["bounded-results"].evidence.get("results at one event")
    if bound is not None and complex_events:
        most = max(Counter(complex_event.end for complex_event in complex_events).values())
        counts["a stream has as many results as are possible"] += most == bound
        if most > cast(int, bound):
            raise Broken("more results than are possible", f"{most} of {bound}: {stream}")
    for finding in report.findings:
        without = finding.evidence.get("without")
        if without is not None and evaluate(parse(str(without)), stream) != complex_events:
            raise Broken(f"{finding.code}, but it counts", f"{without}: {stream}")
        if finding.verdict is Verdict.REFUTED and finding.code == "unsatisfiable-part":
            part = parse(f"SELECT * WHERE {finding.evidence['part']}")
            if evaluate(replace(part, attributes=query.attributes, streams=query.streams), stream):
                raise Broken("an unsatisfiable part, but it fits", str(stream))
    if verdict["bounded-states"].verdict is Verdict.PROVED:
        limits = sizes_in(report)
        for name, count in needed(query, stream).items():
            limit = limits.get(name)
            if limit is not None and count > limit:
                raise Broken("a size is exceeded", f"{name}: {count} of {limit}: {stream}")


def sizes_in(report: Report) -> dict[str, int | None]:
    """The sizes that a report gives."""
    sizes: dict[str, int | None] = {}
    for guarantee in report.guarantees:
        if guarantee.name in ("bounded-states", "bounded-space"):
            sizes |= cast(dict[str, int | None], guarantee.evidence)
    return sizes


def needed(query: tree.Query, stream: Sequence[Event]) -> dict[str, int]:
    """What a run needs at most of each thing that has a size."""
    machine = Machine(query)
    most: Counter[str] = Counter()
    held: dict[int, list[int]] = {}
    for event in stream:
        counts_before = {id(substream): substream.evaluation.tecs.count for substream in machine.substreams.values()}
        taken = machine.take(event)
        if taken is None:
            continue
        substream, _, least = taken
        evaluation = substream.evaluation
        evaluation.roots(least)
        tecs = evaluation.tecs
        live_nodes = tecs.remembered if tecs.bounded else sum(1 for _ in live(evaluation))
        now = {
            "length of union-lists": max(map(len, evaluation.table.values()), default=0),
            "nodes made for an event": tecs.count - counts_before.get(id(substream), 0),
            "nodes kept": live_nodes,
        }
        if isinstance(query.window, tree.TimeWindow):
            least = event.timestamp - query.window.milliseconds
            times = [time for time in (*held.get(id(substream), ()), event.timestamp) if time >= least]
            held[id(substream)] = times
            now["nodes kept for each event in the window"] = -(-live_nodes // len(times))
        most.update({name: count - most[name] for name, count in now.items() if count > most[name]})
    most["deterministic states"] = len(machine.determinised._states)
    return dict(most)


# --- Evidence ---------------------------------------------------------------------------------------------------------


def stream_in(evidence: Any) -> tuple[Event, ...]:
    """The trace of evidence, read as any trace is."""
    items = read_trace([json.dumps(line) for line in evidence["trace"]])
    return tuple(item for item in items if isinstance(item, Event))


def found_on(query: tree.Query, stream: Sequence[Event]) -> list[Any]:
    """What both say of a stream."""
    said = evaluate(query, stream)
    try:
        complex_events = sorted(Machine(query).run(stream))
    except Unsupported:
        return said
    assert said == complex_events
    return said


def replayed(query: tree.Query, report: Report, counts: Counter[str]) -> None:
    """Evidence shows what it is evidence of."""
    for guarantee in report.guarantees:
        evidence: Any = guarantee.evidence
        if guarantee.name == "satisfiable" and guarantee.verdict is Verdict.PROVED:
            counts["replayed"] += 1
            if not found_on(query, stream_in(evidence)):
                raise Broken("evidence without a result")
        for counting in evidence.get("counting", ()):
            counts["replayed"] += 1
            stream = stream_in(counting)
            if found_on(query, stream) == found_on(parse(counting["without"]), stream):
                raise Broken("a part that is said to count does not", counting["part"])
        if guarantee.name == "bounded-results" and "trace" in evidence:
            counts["replayed"] += 1
            stream = stream_in(evidence)
            most = sum(result.end == len(stream) - 1 for result in found_on(query, stream))
            if most != evidence["results at one event"]:
                raise Broken("evidence with other results", f"{most}")
    for finding in report.findings:
        if "trace" in finding.evidence:
            counts["replayed"] += 1
            _family(query, finding)


def _family(query: tree.Query, finding: Finding) -> None:
    stream = stream_in(finding.evidence)
    if finding.code == "empty-result":
        if all(result.positions for result in found_on(query, stream)):
            raise Broken("evidence without an empty result")
        return
    evidence: Any = finding.evidence
    first = evidence["replayed"][0]
    if finding.code in ("exponential-results", "polynomial-results"):
        if len(stream) > 12:
            return
        count = sum(result.end == len(stream) - 1 for result in found_on(query, stream))
        if count != first["found"] or count < first["n"]:
            raise Broken("evidence with other results", f"{count}")


# --- How near to the sizes --------------------------------------------------------------------------------------------


def climbed(text: str, name: str, *, seed: int, steps: int, length: int = 40) -> int:
    """How much of something a search finds that a run needs: a stream is changed a little, and what needs no less is
    kept."""
    query = parse(text)
    rng = random.Random(f"{text} {name} {seed}")
    every = letters(query)
    row = [rng.choice(every) for _ in range(length)]
    best = 0
    for _ in range(steps):
        changed = list(row)
        for _ in range(rng.randint(1, 6)):
            match rng.randrange(3):
                case 0:
                    changed[rng.randrange(length)] = rng.choice(every)
                case 1:
                    place = rng.randrange(length)
                    changed.insert(place, changed.pop(rng.randrange(length)))
                case _:
                    start, stop = sorted(rng.sample(range(length + 1), 2))
                    changed = (changed[:start] + changed[start:stop] * 2 + changed[stop:])[:length]
        count = needed(query, placed(changed, [1] * length)).get(name, 0)
        if count >= best:
            best, row = count, changed
    return best
