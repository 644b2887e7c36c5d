"""Lemmas on whole runs on small streams: the net finds what the definition says, for all times, durations and values.

The other lemmas are about single steps. Here translation, firing and reporting run unchanged, on events of arbitrary
types at arbitrary times. Only the streams are small, and the rules are fixed; together they have every construct.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.proofs.settings import AnySchedule, events_of, rule_of
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Phase, Transition, Weight
from parte.languages.lead.semantics.syntax.readings import CHOICES, USUAL, Readings
from parte.proofs.lemma import HOLDS, IN_SOUND, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import before, every
from parte.proofs.symbolic import Claims, Run

_SILENT = Mutant(
    "lose-the-first-result",
    "parte.languages.lead.semantics.machine:Machine.run",
    "self.reported(run.run(group), keys)",
    "self.reported(run.run(group)[1:], keys)",
)


def _unranked(function: str, before: str, after: str) -> Mutant:
    """Return a mutant whose transition does not wait for those below it, as some orders of firing show."""
    return Mutant(
        "wait-for-nothing", f"parte.languages.lead.semantics.translation:_Translation.{function}", before, after
    )


def _unread(function: str, before: str, after: str) -> Mutant:
    """Return a mutant that ignores a reading, or applies it too late."""
    return Mutant("read-otherwise", f"parte.languages.lead.semantics.{function}", before, after)


@dataclass(frozen=True, slots=True)
class Shape:
    """A rule, and the scope of its lemma: the types that each event may have; whether events have an attribute `v`,
    which is a number or missing, and a key `k`; the first schedule or every one; and the readings."""

    text: str
    rules: tuple[str, ...]
    types: str = "AB AB AB"
    valued: bool = False
    missing: bool = False
    keyed: bool = False
    every_schedule: bool = False
    section: str = "3.3, 5"
    defects: tuple[int, ...] = ()
    mutant: Mutant = _SILENT
    readings: Readings = USUAL

    @property
    def rule(self) -> str:
        """The rule in full."""
        if self.text.startswith("FROM"):
            return self.text
        return f"FROM {', '.join(sorted(set(self.types).difference(' ')))} MATCH {self.text}"


SHAPES: dict[str, Shape] = {
    # Core operators
    "event": Shape("all(A)", ("SOURCE", "CONSUME", "STEP", "SINK"), defects=(31,)),
    "sequence": Shape("all(A -> B -> A)", ("SEQ", "SOURCE"), defects=(2, 21, 22, 31)),
    "conjunction": Shape("all(A and B and A)", ("AND", "ENABLE"), defects=(2, 3, 31)),
    "conjunction-behind": Shape("all(A -> (B and C))", ("AND", "SEQ", "ENABLE"), types="A AB AB C"),
    "alternatives": Shape("all(A or B or A)", ("OR", "ENABLE"), defects=(2, 21, 26, 31)),
    "alternatives-that-end-together": Shape("all((A -> B) or B or (A and B))", ("OR", "AND", "SEQ")),
    "conjunction-of-many": Shape("all(A and B and C and D and A)", ("AND", "ENABLE"), types="A B C D A"),
    "alternatives-of-many": Shape("all(A or B or C or D or E)", ("OR", "ENABLE"), types="A B C D E"),
    "sequence-of-many": Shape("all(A -> B -> not C -> not D -> E -> A)", ("SEQ", "UNTIL"), types="A B CDA E A"),
    "conjunction-of-one-stream": Shape("all(A and A and A)", ("AND", "ENABLE"), types="A A A A"),
    "conjunction-of-two-streams": Shape("all(A and B and A and B)", ("AND", "ENABLE"), types="A B A B"),
    "filter": Shape(
        "all((A AS a -> B AS b) FILTER (a.v < b.v))", ("FILTER",), types="A AB B", valued=True, defects=(31,)
    ),
    "none-between": Shape("all(A -> not B -> A)", ("UNTIL",), defects=(2, 21, 22, 31)),
    "none-of-some-between": Shape(
        "all(A -> not (B AS b FILTER (b.v > 1)) -> B AS c)", ("UNTIL", "FILTER"), types="A B B", valued=True
    ),
    "list-between": Shape(
        "all(A -> collect(B) accept (B.v > 1) invalidate (count() > 1) FILTER (count(list) > 0) -> A)",
        ("UNTIL",),
        types="A B AB A",
        valued=True,
    ),
    "last-between": Shape("all(A -> last(B) -> A)", ("UNTIL",), types="A B AB A"),
    # Every order of firing that ranks allow
    "conjunction-in-any-order": Shape("all(A and B)", ("AND", "ENABLE"), types="A B", every_schedule=True),
    "alternatives-in-any-order": Shape(
        "all(A or B)",
        ("OR", "ENABLE"),
        types="A B",
        every_schedule=True,
        mutant=_unranked("_pair", "max(left.rank, right.rank)", "0"),
    ),
    "sequence-in-any-order": Shape("all(A -> B)", ("SEQ", "SOURCE"), types="A B", every_schedule=True),
    "first-in-any-order": Shape(
        "first(A)",
        ("FIRST",),
        types="A A",
        every_schedule=True,
        mutant=_unranked("_selection", "inner.rank, inner.out", "0, inner.out"),
    ),
    "every-in-any-order": Shape("every(A -> B)", ("EVERY",), types="A B", every_schedule=True),
    "list-in-any-order": Shape(
        "all(collect(A) terminate (count() >= 2))",
        ("COLLECT",),
        types="A A",
        every_schedule=True,
        mutant=_unranked("_repetition", "inner.rank, inner.out", "0, inner.out"),
    ),
    "consumption-in-any-order": Shape(
        "all(A -> B) consume (A)",
        ("CONSUME",),
        types="A B B",
        every_schedule=True,
        mutant=_unranked("_consume", "inner.rank, inner.out", "0, inner.out"),
    ),
    # Repetition
    "repetition": Shape("all(A -> collect(B) terminate (count() >= 2))", ("COLLECT",), types="A B AB AB"),
    "repetition-with-conditions": Shape(
        "collect(A) accept (A.v > 0) terminate (count() >= 2) invalidate (sum(l.v) > 5) AS l",
        ("COLLECT",),
        types="A A",
        valued=True,
        missing=True,
        defects=(25, 31),
    ),
    "repetition-of-pairs": Shape("collect(all(A -> B)) terminate (count() >= 2)", ("COLLECT", "CONSUME")),
    "repetition-in-time": Shape(
        "FROM A, B DEFINE TimeEvent t(A.event_time + A.v, A.event_time + 3 ms) "
        "MATCH all(A -> collect(B) terminate (!t or count() == 2))",
        ("COLLECT",),
        types="A B B",
        valued=True,
        defects=(23, 28, 31),
    ),
    "greatest-list": Shape(
        "max(collect(A) terminate (count() >= 2) AS l, sum(l.v))",
        ("PICK",),
        types="A A A",
        valued=True,
        defects=(21, 31),
    ),
    "least-list-in-time": Shape(
        "FROM A DEFINE TimeEvent t(x.event_time, x.event_time + 3 ms) "
        "MATCH A AS x -> min(collect(A) accept (A.v > 0) terminate (!t) AS l, sum(l.v))",
        ("PICK",),
        types="A A A",
        valued=True,
    ),
    # Time
    "within": Shape("all((A -> B) within 3 ms)", ("WITHIN",), types="A AB", defects=(23, 31)),
    "within-from-a-name": Shape("all(A -> A AS x -> B within 3 ms from A)", ("WITHIN", "SEQ"), types="A AB AB"),
    "none-within": Shape("all(A -> not B within 3 ms)", ("NOT",), types="A AB AB"),
    "no-absence-within": Shape("not (not A within 2 ms) within 3 ms", ("NOT",), types="A A", defects=(31,)),
    "last-within": Shape("all(A -> last(B) within 3 ms)", ("LAST",), types="A AB AB"),
    "list-within": Shape(
        "all(A -> (collect(B) FILTER (count(list) < 2)) within 3 ms)", ("COLLECT", "FILTER"), types="A AB AB"
    ),
    "wait": Shape("all(wait(A, 3 ms))", ("WAIT",), types="A A", defects=(27, 31)),
    "wait-behind": Shape("all(A -> wait(B, 3 ms))", ("WAIT",), types="A AB AB"),
    "wait-for-none": Shape("all(A -> wait(not B, 3 ms))", ("NOT", "WAIT"), types="A AB AB", defects=(21, 22, 24, 31)),
    "wait-for-the-last": Shape("all(A -> wait(last(B), 3 ms) -> A)", ("LAST",), types="A B AB", defects=(31,)),
    "within-from": Shape("all(B within 3 ms from A)", ("WITHIN-FROM",), types="A AB B", defects=(23, 31)),
    "within-from-a-sequence": Shape(
        "all(B within 3 ms from (A -> A AS x))",
        ("WITHIN-FROM", "SEQ"),
        types="A AB AB",
        defects=(2, 21, 22, 23, 29, 31),
    ),
    "none-within-from": Shape("all((not B) within 3 ms from A)", ("NOT", "SEQ"), types="AB AB"),
    # Policies
    "first": Shape("A -> (A or B)", ("DEFAULT", "FIRST"), defects=(2, 21, 26, 31)),
    "first-of-parts": Shape("A -> all(B) -> A", ("DEFAULT", "FIRST", "CONSUME")),
    "every": Shape("every(A -> B)", ("EVERY",), types="A AB AB B", defects=(21, 31)),
    "adjacent": Shape("adj(A -> B -> A)", ("ADJ", "UNTIL"), types="A AB AB A"),
    "adjacent-either-way": Shape("adj(A and B)", ("ADJ", "FIRST", "UNTIL"), defects=(21, 31)),
    "consumption": Shape("all(A -> B) consume (A, B)", ("CONSUME",), types="A AB AB B"),
    # Sub-contexts
    "branches": Shape(
        "collect(A) terminate (count() >= 2) AS l "
        "Subcontext(i ==> l.RANGE(1,1) (MATCH B AS b within 3 ms EMIT Event Found(i.v, b.v))) AS m",
        ("SUB", "COLLECT"),
        types="A AB AB",
        valued=True,
    ),
    "branches-of-some": Shape(
        "collect(A) terminate (count() >= 2) AS l Subcontext(i ==> l.FILTER(i.v > 1) (MATCH not B within 3 ms)) AS m",
        ("SUB", "NOT"),
        types="A A B",
        valued=True,
    ),
    "branches-of-two-lists": Shape(
        "all(A -> collect(B) terminate (count() >= 1) AS l) Subcontext(i ==> l (MATCH first(C within 3 ms))) AS m",
        ("SUB", "COLLECT"),
        types="A A B C",
    ),
    "branches-that-wait": Shape(
        "(A -> collect(A AS a) AS l within 2 ms) Subcontext(i ==> l (MATCH wait(not B, 3 ms))) AS m",
        ("SUB", "NOT"),
        types="A A B",
    ),
    "branches-disabled": Shape(
        "collect(A) terminate (count() >= 2) AS l "
        "Subcontext(i ==> l (MATCH A AS b within 3 ms)) terminate (ANY (l.v > 1)) AS m",
        ("SUB",),
        types="A A",
        valued=True,
        defects=(2, 21, 23, 30, 31),
    ),
    # Rules
    "partition": Shape(
        "FROM A, B MATCH A -> B PARTITION BY A.k EMIT Event Found(k, B.v)",
        ("SINK",),
        types="A AB B",
        valued=True,
        keyed=True,
        defects=(31,),
    ),
    "check-first": Shape(
        "FROM A, B DEFINE EventType One(int v, int w (7)) EventType Two() MATCH all(A -> B) CHECK FIRST "
        "WHERE (A.v < B.v) EMIT Event One(B.v) WHERE (A.v < 3) CHECK ANY WHERE (B.v < 3) EMIT Event Two() "
        "WHERE (A.v == B.v) EMIT Event Two() END END",
        ("SINK",),
        types="A B",
        valued=True,
        section="4",
        defects=(31,),
    ),
    # Readings
    "default-events": Shape(
        "A -> not B within 3 ms",
        ("DEFAULT", "FIRST"),
        types="A AB A",
        mutant=_unread("translation:translated", "readings.default), readings.default)", "readings.default))"),
        readings=Readings(default="events"),
    ),
    "within-open": Shape(
        "all(B within 3 ms from A)",
        ("WITHIN-FROM",),
        types="A AB B",
        mutant=_unread("translation:_Translation._within_from", "else 1", "else 0"),
        readings=Readings(within="open"),
    ),
    "wait-conjunction": Shape(
        "all(wait(A, 3 ms))",
        ("WAIT",),
        types="A A A",
        mutant=_unread("translation:_Translation._timed", '== "WAIT" and', '== "WITHIN" and'),
        readings=Readings(wait="conjunction"),
    ),
    "wait-conjunction-in-a-branch": Shape(
        "collect(A) terminate (count() == 1) AS l Subcontext(i ==> l (MATCH wait(B within 3 ms, 3 ms))) AS m",
        ("SUB", "WAIT"),
        types="A B B",
        mutant=_unread("timing:wait", "and not run.stored(site.clock, token.activation):", "and True:"),
        readings=Readings(wait="conjunction"),
    ),
    "last-open": Shape(
        "all(last(B) -> A)",
        ("UNTIL",),
        types="B B AB A",
        mutant=_unread("translation:_Translation._unit", '== "open"', '== "closed"'),
        readings=Readings(last="open"),
    ),
    "every-before": Shape(
        "every(A within 3 ms)",
        ("EVERY",),
        types="A A A",
        mutant=_unread("translation:_Translation._selection", '== "before"', '== "meets"'),
        readings=Readings(every="before"),
    ),
    "every-before-a-list": Shape(
        "every(collect(B) terminate (count() == 0) -> wait(A, 3 ms))",
        ("EVERY",),
        types="A AB A",
        mutant=_unread("policies:every", "run.due(site.timer, least.end + 1,", "run.due(site.timer, least.end + 2,"),
        readings=Readings(every="before"),
    ),
    "adjacent-least": Shape("adj(A -> B)", ("ADJ", "UNTIL"), types="A A B", readings=Readings(adjacent="least")),
}


def ranks(run: Run) -> Claims:
    """The nets of all these rules: what puts tokens where a transition is triggered, or where another one takes all."""
    claims = []
    for name, shape in SHAPES.items():
        net = Machine(rule_of(run, shape.rule), run.model, readings=shape.readings).net
        transitions = [transition for transition in net.transitions if transition.phase is not Phase.DUE_FIRST]
        pairs = [
            (putting, firing)
            for firing in transitions
            for putting in transitions
            if firing.rank != 0 and putting is not firing and _waits(firing, putting)
        ]
        below = every(before(putting.rank, firing.rank) for putting, firing in pairs)
        claims.append((f"{name}: it has less rank", below))
    return claims


def _waits(firing: Transition, putting: Transition) -> bool:
    """Return whether a transition must see what another one puts in the same instant. Those of one construct order
    their own tokens."""
    put = [arc.place for arc in putting.puts]
    triggered = firing.phase is Phase.READY and firing.trigger in put
    taken = [arc.place for arc in firing.takes if arc.weight is Weight.ALL and not arc.reads]
    return triggered or (firing.identity != putting.identity and any(place in put for place in taken))


def finds(run: Run, shape: Shape) -> Claims:
    """A run from the first event until no guard is due."""
    rule = rule_of(run, shape.rule)
    events = events_of(run, shape.types.split(), shape.valued, shape.missing, shape.keyed)
    meant = evaluate(rule, events, shape.readings)
    schedule = AnySchedule(run) if shape.every_schedule else None
    matches = Machine(rule, run.model, schedule, shape.readings).run(events)
    # This is one claim: which of several claims breaks first would depend on the order of sets.
    same = matches == meant and [(match.start, match.emits) for match in matches] == [
        (match.start, match.emits) for match in meant
    ]
    return (("the matches are those of the definition, in order, with their beginnings and what they emit", same),)


def _lemma(name: str, shape: Shape) -> Lemma:
    varied = {
        "durations": any(unit in shape.rule for unit in (" ms",)),
        "numbers": shape.valued,
        "missing attributes": shape.missing,
        "keys": shape.keyed,
    }
    kinds = "".join(f", {kind}" for kind, there in varied.items() if there)
    schedules = "; every schedule" if shape.every_schedule else ""
    read = [
        f"{reading}={choice}"
        for reading in CHOICES
        if (choice := getattr(shape.readings, reading)) != getattr(USUAL, reading)
    ]
    under = f" under {', '.join(read)}" if read else ""
    return Lemma(
        f"runs-{name}",
        f"A run of `{shape.text}` finds exactly what the definition says{under}.",
        shape.section,
        tuple(f"LEAD/{rule}" for rule in shape.rules),
        f"events of types {', '.join(map(' or '.join, shape.types.split()))}, at any times{kinds}{schedules}",
        partial(finds, shape=shape),
        shape.mutant,
        REPAIRED if shape.defects else IN_SOUND,
        shape.defects,
    )


LEMMAS = (
    *(_lemma(name, shape) for name, shape in SHAPES.items()),
    Lemma(
        "ranks-rise",
        "What puts a token where a transition is triggered, or one of another construct takes all, has less rank.",
        "5",
        ("LEAD/STEP", "LEAD/ENABLE"),
        f"the nets of the {len(SHAPES)} rules above; transitions of rank 0 only enable",
        ranks,
        _unranked("_sequence", "site.out, rank + 1)", "site.out, rank)"),
        HOLDS,
    ),
)
