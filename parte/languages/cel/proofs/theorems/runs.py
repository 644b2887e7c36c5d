"""Whole runs on small streams: the machine finds the results of the definition, for all types and numbers together.

The other lemmas are about single steps. Here construction, determinisation, evaluation and enumeration run unchanged,
on events of arbitrary types with arbitrary attributes, times or streams. The streams are small, and the queries are
fixed; together they have every operator and clause.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial

from parte.languages.cel.algebra.queries import evaluate
from parte.languages.cel.algebra.readings import USUAL
from parte.languages.cel.proofs.statements import total
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse_source
from parte.proofs.lemma import HOLDS, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import number
from parte.proofs.statements import at_most
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event, Value
from parte.semantics.events.records import read_records
from parte.semantics.source.packages import data_file


@dataclass(frozen=True, slots=True)
class Shape:
    """A query, and the scope of its lemma: the types and streams of events, whether they have an attribute `v` that is
    a number or missing, and times; the number of events, and of processes that share the results."""

    name: str
    text: str
    rules: tuple[str, ...]
    types: str = "AB"
    streams: str = "s"
    valued: bool = False
    missing: bool = False
    timed: bool = False
    window: bool = False
    events: int = 4
    processes: int = 1
    rivals: str = "interval"
    defects: tuple[int, ...] = ()


_MACHINE = "parte.languages.cel.semantics.machine:Machine"

SHAPES = read_records(data_file("parte.languages.cel.proofs.theorems", "runs.toml"), "run", Shape)


@cache
def _query(text: str) -> tree.Query:
    return parse_source(text).query


def _events(run: Run, shape: Shape) -> list[Event]:
    events: list[Event] = []
    for place in range(shape.events):
        attributes: dict[str, Value] = {}
        if shape.valued and not (shape.missing and run.truth(f"v of {place} is missing")):
            attributes["v"] = number(run, f"v of {place}")
        time = number(run, f"time of {place}") if shape.timed else 0
        if events:
            run.assume(at_most(events[-1].timestamp, time))
        template, source = (
            choice(run, f"{what} of {place}", tuple(among))
            for what, among in (("type", shape.types), ("stream", shape.streams))
        )
        events.append(Event(f"e{place}", template, time, attributes, source))
    return events


def finds(run: Run, shape: Shape) -> Claims:
    """A run from the first event to the last, by every process."""
    query, events = _query(shape.text), _events(run, shape)
    if shape.window:
        length = number(run, "length of the window")
        run.assume(at_most(0, length))
        window: tree.Window = tree.TimeWindow(((length, tree.Unit.MS),)) if shape.timed else tree.EventWindow(length)
        query = replace(query, window=window)
    meant = evaluate(query, events, replace(USUAL, rivals=shape.rivals))
    machines = [Machine(query, run.model, shape.processes, index, shape.rivals) for index in range(shape.processes)]
    claims: list[tuple[str, bool]] = []
    for place, event in enumerate(events):
        shares = [machine.event(event) for machine in machines]
        printed = sorted(result for share in shares for result in share)
        sizes = sorted(map(len, shares))
        claims += [
            (
                "after each event come the results that end there, each once",
                printed == [result for result in meant if result.end == place],
            ),
            ("no process has over one more than another", sizes[-1] in (sizes[0], total(sizes[0], 1))),
        ]
    return claims


def _lemma(shape: Shape) -> Lemma:
    varied = {
        f"types {' '.join(shape.types)}": True,
        "streams": shape.streams != "s",
        "numbers": shape.valued,
        "missing attributes": shape.missing,
        "times that do not fall": shape.timed,
        "any length of the window": shape.window,
    }
    kinds = ", ".join(kind for kind, there in varied.items() if there)
    shared = "" if shape.processes == 1 else f"; {shape.processes} processes"
    return Lemma(
        f"runs-{shape.name}",
        f"A run of `{shape.text}` finds exactly what the definition says, event by event.",
        "3, 4, 5",
        tuple(f"CORE/{rule}" for rule in shape.rules),
        f"{shape.events} events of any {kinds}{shared}",
        partial(finds, shape=shape),
        _SILENT,
        REPAIRED if shape.defects else HOLDS,
        shape.defects,
    )


_SILENT = Mutant(
    "lose-the-first-result", f"{_MACHINE}.event", "list(self.results(event))", "list(self.results(event))[1:]"
)

LEMMAS = tuple(map(_lemma, SHAPES))
