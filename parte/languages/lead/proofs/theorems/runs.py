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
from parte.semantics.events.records import read_records
from parte.semantics.source.packages import data_file

_MACHINE = "parte.languages.lead.semantics"


@dataclass(frozen=True, slots=True)
class Shape:
    """A rule, and the scope of its lemma: the types that each event may have; whether events have an attribute `v`,
    which is a number or missing, and a key `k`; the first schedule or every one; and the readings."""

    name: str
    text: str
    rules: tuple[str, ...]
    types: str = "AB AB AB"
    valued: bool = False
    missing: bool = False
    keyed: bool = False
    every_schedule: bool = False
    section: str = "3.3, 5"
    defects: tuple[int, ...] = ()
    mutant: tuple[str, str, str] = (
        "machine:Machine.run",
        "self.reported(run.run(group), keys)",
        "self.reported(run.run(group)[1:], keys)",
    )
    readings: Readings = USUAL

    @property
    def rule(self) -> str:
        """The rule in full."""
        if self.text.startswith("FROM"):
            return self.text
        return f"FROM {', '.join(sorted(set(self.types).difference(' ')))} MATCH {self.text}"


SHAPES = read_records(data_file("parte.languages.lead.proofs.theorems", "runs.toml"), "run", Shape)


def ranks(run: Run) -> Claims:
    """The nets of all these rules: what puts tokens where a transition is triggered, or where another one takes all."""
    claims = []
    for shape in SHAPES:
        net = Machine(rule_of(run, shape.rule), run.model, readings=shape.readings).net
        transitions = [transition for transition in net.transitions if transition.phase is not Phase.DUE_FIRST]
        pairs = [
            (putting, firing)
            for firing in transitions
            for putting in transitions
            if firing.rank != 0 and putting is not firing and _waits(firing, putting)
        ]
        below = every(before(putting.rank, firing.rank) for putting, firing in pairs)
        claims.append((f"{shape.name}: it has less rank", below))
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


def _lemma(shape: Shape) -> Lemma:
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
        f"runs-{shape.name}",
        f"A run of `{shape.text}` finds exactly what the definition says{under}.",
        shape.section,
        tuple(f"LEAD/{rule}" for rule in shape.rules),
        f"events of types {', '.join(map(' or '.join, shape.types.split()))}, at any times{kinds}{schedules}",
        partial(finds, shape=shape),
        _mutant(shape),
        REPAIRED if shape.defects else IN_SOUND,
        shape.defects,
    )


def _mutant(shape: Shape) -> Mutant:
    place, before, after = shape.mutant
    if place.startswith("machine:"):
        name = "lose-the-first-result"
    else:
        name = "wait-for-nothing" if shape.readings == USUAL else "read-otherwise"
    return Mutant(name, f"{_MACHINE}.{place}", before, after)


LEMMAS = (
    *map(_lemma, SHAPES),
    Lemma(
        "ranks-rise",
        "What puts a token where a transition is triggered, or one of another construct takes all, has less rank.",
        "5",
        ("LEAD/STEP", "LEAD/ENABLE"),
        f"the nets of the {len(SHAPES)} rules above; transitions of rank 0 only enable",
        ranks,
        Mutant(
            "wait-for-nothing",
            f"{_MACHINE}.translation:_Translation._sequence",
            "site.out, rank + 1)",
            "site.out, rank)",
        ),
        HOLDS,
    ),
)
