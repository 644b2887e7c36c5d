"""Lemmas on whole runs on short traces: the machine finds what the definition says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.proofs.settings import attributes_of, event, lemma, query_of, time_of
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.syntax.readings import readings_of
from parte.languages.eql.semantics.syntax.streams import Arrived
from parte.proofs.lemma import Lemma
from parte.proofs.statements import at_most, equal
from parte.proofs.symbolic import Claims, Run
from parte.semantics.events.records import read_records
from parte.semantics.source.packages import data_file


@dataclass(frozen=True, slots=True)
class Shape:
    """A query, and the scope of its lemma: the conditions that each event may fulfil, the key fields that it may have,
    and readings. Events that are `late` come in any order that promises allow; those not `timed` have one timestamp."""

    name: str
    text: str
    events: str
    rules: str
    mutant: tuple[str, str, str]
    keys: tuple[str, ...] = ()
    readings: Mapping[str, str] = field(default_factory=dict)
    late: bool = False
    timed: bool = True

    @property
    def query(self) -> str:
        """The query in full: `[a]` is `[any where a]`, and `in` a maxspan."""
        return self.text.replace("[", "[any where ").replace(" in ", " with maxspan=1ms ")


SHAPES = read_records(data_file("parte.languages.eql.proofs.theorems", "runs.toml"), "run", Shape)


def finds(run: Run, shape: Shape) -> Claims:
    """A trace, event by event, and its end."""
    query, readings = query_of(run, shape.query), readings_of(shape.readings)
    events = [
        event(run, f"e{place}", attributes_of(run, f"e{place}", letters, shape.keys))
        for place, letters in enumerate(shape.events.split())
    ]
    bounds = [time_of(run, f"bound behind {item.id}") if shape.late else item.timestamp for item in events]
    run.assume(*(at_most(low, high) for low, high in pairwise(bounds)))
    run.assume(*(at_most(bound, item.timestamp) for bound, item in zip(bounds, events[1:], strict=False)))
    if not shape.timed:
        run.assume(equal(events[0].timestamp, events[-1].timestamp))
    machine, results = Machine(query, readings), []
    arrived = [Arrived((item.timestamp, 1, 0, place), item) for place, item in enumerate(events)]
    for item, bound in zip(arrived, bounds, strict=True):
        results += machine.arrive(item, bound)
    results += machine.end()
    meant = evaluate(query, [item.event for item in sorted(arrived, key=lambda item: item.place)], readings)
    if shape.late or (shape.keys and shape.text.endswith("![c]")):  # waiting results come as they are certain
        results, meant = (sorted(several, key=lambda result: result["events"]) for several in (results, meant))
    return (("the results are those of the definition", results == meant),)


def _lemma(shape: Shape) -> Lemma:
    readings = ", ".join(f"`{reading}={choice}`" for reading, choice in shape.readings.items())
    times = "any times" if shape.timed else "one time"
    scope = (
        f"events that may fulfil {', '.join(map(' or '.join, shape.events.split()))}, at {times}, any maxspan"
        + (f"; any {' and '.join(shape.keys)} or none" if shape.keys else "")
        + ("; in any order that any promises allow" if shape.late else "")
    )
    return lemma(
        f"runs-{shape.name}",
        f"A run of `{shape.text}` finds exactly what the definition says{readings and f' under {readings}'}.",
        "eql-definition",
        shape.rules,
        scope,
        partial(finds, shape=shape),
        shape.mutant,
    )


LEMMAS = tuple(map(_lemma, SHAPES))
