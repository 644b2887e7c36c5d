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


@dataclass(frozen=True, slots=True)
class Shape:
    """A query, and the scope of its lemma: the types and streams of events, whether they have an attribute `v` that is
    a number or missing, and times; the number of events, and of processes that share the results."""

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

SHAPES: dict[str, Shape] = {
    "sequence": Shape("SELECT * WHERE A; B; A", ("CEA-SEQ", "CEA-TYPE"), defects=(1, 20)),
    "alternatives": Shape("SELECT * WHERE (A OR B); (B OR A; B)", ("CEA-OR", "ROOT"), defects=(1, 20)),
    "iteration": Shape("SELECT * WHERE (A; B+)+", ("CEA-PLUS", "ULIST-INSERT", "EVAL-ADD"), defects=(1, 20)),
    "iterations": Shape("SELECT * WHERE ((A OR B)+ OR A+); A", ("CEA-PLUS", "TECS-UNION"), defects=(1, 20)),
    "iterations-of-iterations": Shape("SELECT * WHERE ((A:+)+ OR (B+):+); A", ("CEA-PLUS",), defects=(1, 20)),
    "contiguous": Shape("SELECT * WHERE A : (B:+ OR A) : B", ("CEA-SEQ", "CEA-PLUS")),
    "named": Shape(
        "SELECT x, B WHERE (A; B+) AS x FILTER x[v > 1]",
        ("CEA-AS", "CEA-FILTER", "CEA-PROJ"),
        events=3,
        valued=True,
        missing=True,
        defects=(1, 20),
    ),
    "projection": Shape("SELECT * WHERE PROJ(B)(A; B+); A", ("CEA-PROJ", "EVAL-SKIP"), defects=(1, 20)),
    "nothing-marked": Shape("SELECT NONE WHERE A+; B", ("CEA-PROJ", "EVAL-SKIP", "ROOT"), defects=(1, 20)),
    "conditions": Shape(
        "SELECT * WHERE (A AS x; (A OR B) AS y) FILTER x[v < 1] OR y[v >= 1 AND NOT v = 2]",
        ("CEA-FILTER", "CEA-FILTER-OR", "CEA-FILTER-AND"),
        events=2,
        valued=True,
        missing=True,
        defects=(1,),
    ),
    "window": Shape("SELECT * WHERE A+; B WITHIN 1 EVENTS", ("Q-WITHIN", "FORGET"), window=True, defects=(1, 20)),
    "time": Shape(
        "SELECT * WHERE A+ WITHIN 1 MS", ("Q-WITHIN", "FORGET"), types="A", timed=True, window=True, defects=(1, 3, 20)
    ),
    "streams": Shape(
        "SELECT * FROM s, t WHERE A; A WITHIN 1 EVENTS",
        ("Q-FROM", "Q-WITHIN"),
        events=3,
        types="A",
        streams="stu",
        window=True,
        defects=(1, 5, 20),
    ),
    "partition": Shape(
        "SELECT * WHERE A; A PARTITION BY [v] WITHIN 2 EVENTS",
        ("Q-PARTITION", "Q-WITHIN"),
        types="A",
        valued=True,
        missing=True,
        defects=(1, 4, 6, 20),
    ),
    "strict": Shape("SELECT STRICT A WHERE A; (A OR B)+", ("CEA-STRICT",), defects=(1, 20)),
    "nxt": Shape("SELECT NXT * WHERE A; (A OR B)+", ("CEA-NXT",), defects=(1, 20)),
    "last": Shape("SELECT LAST * WHERE A; (A OR B)+", ("CEA-LAST",), defects=(1, 20)),
    "max": Shape("SELECT MAX B WHERE A; (A OR B)+; A", ("CEA-MAX",), defects=(1, 20)),
    "nxt-of-all": Shape("SELECT NXT * WHERE A; (A OR B)+", ("CEA-NXT",), rivals="end", defects=(1,)),
    "last-of-all": Shape("SELECT LAST * WHERE A; (A OR B)+", ("CEA-LAST",), rivals="end", defects=(1,)),
    "max-of-all": Shape("SELECT MAX * WHERE A; (A OR B)+", ("CEA-MAX",), rivals="end", defects=(1,)),
    "nxt-of-pairs": Shape("SELECT NXT * WHERE A; B", ("CEA-NXT",), rivals="end", defects=(1,)),
    "last-of-pairs": Shape("SELECT LAST * WHERE A; B", ("CEA-LAST",), rivals="end", defects=(1,)),
    "nxt-of-the-last": Shape("SELECT NXT B WHERE A; B+", ("CEA-NXT",), rivals="end", defects=(1, 20)),
    "last-of-the-last": Shape("SELECT LAST B WHERE A; B+", ("CEA-LAST",), rivals="end", defects=(1, 20)),
    "max-of-the-last": Shape("SELECT MAX B WHERE A; B+", ("CEA-MAX",), rivals="end", defects=(1, 20)),
    "max-of-what-began-later": Shape(
        "SELECT MAX x WHERE (A : A : A : A AS x) OR (A : (A : A) AS x)", ("CEA-MAX",), rivals="end"
    ),
    "max-of-what-began-before": Shape(
        "SELECT MAX x WHERE (A : A : A AS x) OR (A : A : (A : A) AS x)", ("CEA-MAX",), rivals="end"
    ),
    "max-of-what-marks-more-before": Shape(
        "SELECT MAX x WHERE ((A : A : A : A) AS x) OR ((A : A) AS x)",
        ("CEA-MAX",),
        types="A",
        events=5,
        rivals="end",
    ),
    "consumption-of-all": Shape("SELECT NXT * WHERE A; B CONSUME BY ANY", ("Q-CONSUME",), rivals="end", defects=(1,)),
    "consumption": Shape("SELECT * WHERE A; B CONSUME BY ANY", ("Q-CONSUME",), defects=(1, 20)),
    "consumption-by-partition": Shape(
        "SELECT * WHERE A; A PARTITION BY [v] CONSUME BY PARTITION",
        ("Q-CONSUME", "Q-PARTITION"),
        types="A",
        valued=True,
        defects=(1, 4),
    ),
    "consumption-everywhere": Shape(
        "SELECT * WHERE A; A PARTITION BY [v] CONSUME BY ANY",
        ("Q-CONSUME", "Q-PARTITION"),
        types="A",
        valued=True,
        defects=(1, 4),
    ),
    "links": Shape(
        "SELECT * WHERE (A AS x; A AS y) FILTER x[v] < y[v]",
        ("REWRITE", "REFINE"),
        types="A",
        valued=True,
        missing=True,
        defects=(1, 12, 20),
    ),
    "links-of-variables": Shape(
        "SELECT x WHERE ((A AS x; A AS y) OR (A AS y; A AS x)) FILTER x[v] < y[v]",
        ("REWRITE", "REFINE"),
        types="A",
        valued=True,
        defects=(1, 12),
    ),
    "links-in-a-window": Shape(
        "SELECT * WHERE (A AS x; A AS y) FILTER x[v] < y[v] WITHIN 1 EVENTS",
        ("REWRITE", "REFINE", "Q-WITHIN"),
        types="A",
        valued=True,
        window=True,
        defects=(1, 12, 20),
    ),
    "links-in-time": Shape(
        "SELECT * WHERE (A AS x; A AS y) FILTER x[v] = y[v] WITHIN 1 MS",
        ("REWRITE", "REFINE", "Q-WITHIN"),
        types="A",
        events=3,
        valued=True,
        timed=True,
        window=True,
        defects=(1, 3, 20),
    ),
    "shares-of-links": Shape(
        "SELECT x WHERE (A AS x; A AS y) FILTER x[v] < y[v]",
        ("SHARE", "REFINE"),
        types="A",
        valued=True,
        processes=2,
        defects=(1, 12),
    ),
    "shares-and-consumption": Shape(
        "SELECT * WHERE A; B CONSUME BY ANY", ("SHARE", "Q-CONSUME"), processes=3, defects=(1, 20, 21)
    ),
    "shares-and-consumption-of-links": Shape(
        "SELECT * WHERE (A AS x; A AS y) FILTER x[v] < y[v] CONSUME BY ANY",
        ("SHARE", "REFINE", "Q-CONSUME"),
        types="A",
        events=3,
        valued=True,
        processes=2,
        defects=(1, 12, 20, 21),
    ),
    "shares": Shape(
        "SELECT * WHERE A+ OR A; B", ("SHARE", "TECS-PATHS", "ENUM-UNION", "ROOT"), processes=2, defects=(1, 20, 21, 24)
    ),
    "shares-of-the-last": Shape(
        "SELECT B WHERE A; B WITHIN 1 EVENTS",
        ("SHARE", "TECS-PATHS"),
        window=True,
        processes=2,
        defects=(1, 20, 21, 22),
    ),
    "shares-in-a-window": Shape(
        "SELECT * WHERE A+ WITHIN 1 EVENTS",
        ("SHARE", "TECS-PATHS", "ENUM-UNION"),
        types="A",
        window=True,
        processes=3,
        defects=(1, 20, 21, 22, 23),
    ),
}


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


def _lemma(name: str, shape: Shape) -> Lemma:
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
        f"runs-{name}",
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

LEMMAS = tuple(_lemma(name, shape) for name, shape in SHAPES.items())
