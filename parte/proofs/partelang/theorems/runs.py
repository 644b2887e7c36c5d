"""Whole runs on small traces, at all times at once: the machine finds the algebra's matches, watched or quick.

The other lemmas are about single steps, and `docs/proofs.md` combines them by argument. Here the compiler, the machine
and the schedule run as a whole, on events at arbitrary times. Only the trace is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from parte.algebra.partelang.evaluate import evaluate
from parte.algebra.partelang.mapping import pattern_of
from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import event_at
from parte.proofs.statements import at_most
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax import core, parse

EVENTS = 3
ONE_B = ((0,), (1,), (2,))
MIXED = (*ONE_B, (0, 1), (0, 2), (1, 2), ())
"""The events that may be of template B; the others are of A."""
_TEMPLATES = "template A { k : Integer } template B {} template C {} "
REACTION, JOINED, VALUES = "reaction", "joined-reaction", "values"
PROGRAMS = {
    "sources": "rule R where a: A, b: B when b in a [-1 ms, 1 ms] then",
    REACTION: "rule R where a: A then emit C at a.timestamp with {} "
    "rule S where b: B, no c: C when no c in b [1 ms, 2 ms] then",
    JOINED: "rule R where a: A, d: A when d in a [0 ms, 3 ms] then emit C at a.timestamp with {} "
    "rule S where b: B, no c: C when no c in b [1 ms, 2 ms] then",
    "join": "rule R where a: A, b: B when b in a [-2 ms, 3 ms] then",
    VALUES: "rule R where a: A { k = 1 }, b: A { 1 = k }, c: A { k != 1 } "
    "when b in a [-2 ms, 3 ms] c in a [0 ms, 2 ms] then",
    "self-join": "rule R where a: A, b: A when b in a [0 ms, 5 ms] then",
    "chain": "rule R where a: A, b: B, c: A when b in a [0 ms, 4 ms] c in b [-1 ms, 2 ms] then",
    "not": "rule R where a: A, no b: B when no b in a [-1 ms, 2 ms] then",
    "not-first": "rule R where a: A, no b: B, c: A when no b in a [0 ms, 2 ms] c in a [1 ms, 4 ms] then",
}


@cache
def _compiled(name: str) -> tuple[core.Program, Network]:
    program = parse(f"{_TEMPLATES}{PROGRAMS[name]}")
    return program, compile_program(program, {}, {"A": _sources(name), "B": ("s",), "C": ("s",)})


def _sources(name: str) -> tuple[str, ...]:
    """Return the sources of the As."""
    return ("s", "t") if name == "sources" else ("s",)


def _arrivals(run: Run, name: str) -> Sequence[Arrival]:
    """Return events of two templates, in any order that keeps the promises of their sources: the events' times.

    The Bs end as soon as there are no more, the others at the end.
    """
    bs: tuple[int, ...] = ()
    if name != VALUES:
        bs = choice(run, "which are Bs", ONE_B if "c: A" in PROGRAMS[name] else MIXED)
    last: dict[tuple[str, str], int] = {}
    arrivals, end_of_bs = [], [Arrival("s", "B", POSITIVE_INFINITY, None)]
    for number in range(EVENTS):
        if end_of_bs and not any(later in bs for later in range(number, EVENTS)):
            arrivals.append(end_of_bs.pop())
        template, sources = ("B", ("s",)) if number in bs else ("A", _sources(name))
        source, timestamp = choice(run, f"source of {number}", sources), run.integer(f"timestamp of {number}")
        run.assume(
            at_most(last.get((source, template), LEAST_INTEGER), timestamp), at_most(timestamp, GREATEST_INTEGER)
        )
        last[source, template] = timestamp
        event = event_at(f"e{number}", timestamp, template)
        if name == VALUES:
            event = replace(event, attributes={"k": choice(run, f"k of {number}", (1, 2))})
        arrivals.append(Arrival(source, template, timestamp, event))
    ends = (*((source, "A") for source in _sources(name)), ("s", "C"))
    return (*arrivals, *end_of_bs, *(Arrival(*pair, POSITIVE_INFINITY, None) for pair in ends))


def _matches(machine: Machine, arrivals: Sequence[Arrival]) -> list[list[str]]:
    RoundRobin().drive(machine, arrivals)
    return sorted([match.rule, *(identity for _, identity in match.bindings)] for match in machine.matches)


def _machine(run: Run, name: str, *, watched: bool) -> Machine:
    model = run.model
    return Machine(_compiled(name)[1], model, recorder=(lambda _: None) if watched else None)


def finds(name: str, *, watched: bool) -> Body:
    """A run from the first arrival to the last token, and a second run after a reset."""

    def body(run: Run) -> Claims:
        (rule,) = _compiled(name)[0].rules
        arrivals, machine = _arrivals(run, name), _machine(run, name, watched=watched)
        values = evaluate(pattern_of(rule), [arrival.event for arrival in arrivals if arrival.event is not None], {})
        meant = [[rule.name, *(dict(value)[pattern.variable].id for pattern in rule.positive)] for value in values]
        matches = _matches(machine, arrivals)
        if not machine.finished:
            return (("every token is processed", False),)
        machine.reset()
        return (
            ("the matches are those of the algebra", matches == sorted(meant)),
            ("after a reset they are found again", matches == _matches(machine, arrivals)),
        )

    return body


def alike(name: str) -> Body:
    """A watched and a quick run of a program whose emissions are events of a higher stratum."""

    def body(run: Run) -> Claims:
        arrivals = _arrivals(run, name)
        machines = [_machine(run, name, watched=watched) for watched in (True, False)]
        watched, quick = (_matches(machine, arrivals) for machine in machines)
        return (("they find the same", watched == quick), ("both end", all(machine.finished for machine in machines)))

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------


_FORGETFUL = Mutant(
    "forget-the-data", "parte.semantics.partelang.machine:Machine.proc", "state.data = outcome.data", "pass"
)
_LOSSY = Mutant(
    "lose-the-first-result",
    "parte.semantics.partelang.unbounded:Unbounded._take",
    "in reversed(produced):",
    "in reversed(produced[1:]):",
)


def _lemma(name: str, watched: bool) -> Lemma:
    how = "watched" if watched else "quick"
    return Lemma(
        f"runs-{how}-{name}",
        f"A {how} run of `{PROGRAMS[name]}` finds exactly what the algebra says.",
        "8.2, 5.4.6, 5.4.7",
        (),
        f"traces of {EVENTS} events at any times, in any order of templates; round-robin",
        finds(name, watched=watched),
        _FORGETFUL if watched else _LOSSY,
        {SOUND: Verdict.PROVED},
    )


def _alike(name: str) -> Lemma:
    return Lemma(
        f"runs-alike-{name}",
        f"A quick run of `{PROGRAMS[name]}` finds what a watched one finds.",
        "5.4.6, 5.4.7",
        (),
        f"traces of {EVENTS} events at any times, in any order of templates; round-robin",
        alike(name),
        Mutant(
            "anybody's",
            "parte.semantics.partelang.unbounded:Unbounded._take",
            "if slot.source is not None:",
            "if False:",
        ),
        {SOUND: Verdict.PROVED},
    )


LEMMAS = (
    *(_lemma(name, watched) for watched in (True, False) for name in PROGRAMS if name not in (REACTION, JOINED)),
    *map(_alike, (REACTION, JOINED)),
)
