"""Whole runs on small traces, at all times at once: the machine finds the algebra's matches, watched or quick.

The other lemmas are about single steps, and `docs/proofs.md` combines them by argument. Here the compiler, the machine
and the schedule run as a whole, on events at arbitrary times. Only the trace is small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations

from parte.algebra.partelang.programs import Naive, strata
from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import event_at
from parte.proofs.statements import at_most
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.schedules import RoundRobin
from parte.semantics.partelang.syntax import core, parse

EVENTS = 3
TELLING = (1, 2, 3, 100)
"""Arrivals between two tellings of bounds; after 100 is never, on these traces. Users run with `PATIENCE`."""
WATCHED = 0
_TEMPLATES = "template A { k : Integer } template B {} template C {} "
VALUES = "values"
PROGRAMS = {
    "sources": "rule R where a: A, b: B when b in a [-1 ms, 1 ms] then",
    "reaction": "rule R where a: A then emit C at a.timestamp - 2 ms with {} "
    "rule S where b: B, no c: C when no c in b [1 ms, 2 ms] then",
    "joined-reaction": "rule R where a: A, d: A when d in a [0 ms, 3 ms] then emit C at max(a.timestamp, d.timestamp) "
    "with {} rule S where b: B, no c: C when no c in b [1 ms, 2 ms] then",
    "join": "rule R where a: A, b: B when b in a [-2 ms, 3 ms] then",
    VALUES: "rule R where a: A { k = 1 }, b: A { 1 = k }, c: A { k != 1 } "
    "when b in a [-2 ms, 3 ms] c in a [0 ms, 2 ms] then",
    "self-join": "rule R where a: A, b: A when b in a [0 ms, 5 ms] then",
    "chain": "rule R where a: A, b: B, c: A when b in a [0 ms, 4 ms] c in b [-1 ms, 2 ms] then",
    "not": "rule R where a: A, no b: B when no b in a [-1 ms, 2 ms] then",
    "not-first": "rule R where a: A, no b: B, c: A when no b in a [0 ms, 2 ms] c in a [1 ms, 4 ms] then",
}
LATE = ("join", "not")
"""The programs whose sources may promise anything that they keep; the others promise the times of their events."""
TRACES = {"reaction": ("ABC", "AAB", "BCC"), "joined-reaction": ("AAB", "ABC"), VALUES: ("AAA",)}
"""The templates of the events of a trace, in any order; of other programs at most one or two are Bs."""


@cache
def _compiled(name: str) -> tuple[core.Program, Network]:
    program = parse(f"{_TEMPLATES}{PROGRAMS[name]}")
    return program, compile_program(program, {}, {"A": _sources(name), "B": ("s",), "C": ("s",)})


@cache
def _traces(name: str) -> Sequence[tuple[str, ...]]:
    """Return the orders of templates in the traces of a program."""
    usual = ("AAB",) if "c: A" in PROGRAMS[name] else ("AAB", "ABB", "AAA")
    return tuple(sorted({order for templates in TRACES.get(name, usual) for order in permutations(templates)}))


def _sources(name: str) -> tuple[str, ...]:
    """Return the sources of the As."""
    return ("s", "t") if name == "sources" else ("s",)


def _arrivals(run: Run, name: str) -> Sequence[Arrival]:
    """Return events in any order that keeps the promises of their sources, which may lag behind the events.

    The Bs end as soon as there are no more, the others at the end.
    """
    promised: dict[tuple[str, str], int] = {}
    arrivals, end_of_bs = [], [Arrival("s", "B", POSITIVE_INFINITY, None)]
    templates = choice(run, "templates", _traces(name))
    for number, template in enumerate(templates):
        if end_of_bs and "B" not in templates[number:]:
            arrivals.append(end_of_bs.pop())
        source = choice(run, f"source of {number}", _sources(name) if template == "A" else ("s",))
        timestamp = run.integer(f"timestamp of {number}")
        bound = run.integer(f"promise of {number}") if name in LATE else timestamp
        before = promised.get((source, template), LEAST_INTEGER)
        run.assume(at_most(before, timestamp), at_most(before, bound), at_most(timestamp, GREATEST_INTEGER))
        promised[source, template] = bound
        event = event_at(f"e{number}", timestamp, template)
        if name == VALUES:
            event = replace(event, attributes={"k": choice(run, f"k of {number}", (1, 2))})
        arrivals.append(Arrival(source, template, bound, event))
    ends = (*((source, "A") for source in _sources(name)), ("s", "C"))
    return (*arrivals, *end_of_bs, *(Arrival(*pair, POSITIVE_INFINITY, None) for pair in ends))


def _contents(matches: Iterable[Match]) -> list[tuple[object, ...]]:
    """Return rules, bindings and emitted events, in an order that does not depend on times."""
    ordered = sorted(matches, key=lambda match: (match.rule, match.bindings))
    return [(match.rule, match.bindings, *map(_content, match.emits)) for match in ordered]


def _content(event: Event) -> tuple[object, ...]:
    return event.id, event.template, event.timestamp, tuple(event.attributes.items())


def agreement(
    run: Run, program: core.Program, network: Network, arrivals: Sequence[Arrival], tellings: Sequence[int]
) -> Claims:
    """Compare a run from the first arrival to the last token with the algebra, and with a second run after a reset.

    `tellings` are numbers of arrivals between two tellings of bounds in a quick run; `WATCHED` is a watched run.
    """
    telling = choice(run, "arrivals between tellings", tellings)
    machine = Machine(network, run.model, recorder=None if telling else lambda _: None)
    if machine.unbounded is not None:
        machine.unbounded.patience = telling
    algebra = Naive({})
    algebra.extend(arrival.event for arrival in arrivals if arrival.event is not None)
    meant = _contents(strata(program, algebra, {})[0])
    RoundRobin().drive(machine, arrivals)
    if not machine.finished:
        return (("every token is processed", False),)
    matches = _contents(machine.matches)
    machine.reset()
    RoundRobin().drive(machine, arrivals)
    return (
        ("the matches and what they emit are those of the algebra", matches == meant),
        ("after a reset they are found again", matches == _contents(machine.matches)),
    )


def finds(name: str, *, watched: bool) -> Body:
    """A run on a small trace."""

    def body(run: Run) -> Claims:
        return agreement(run, *_compiled(name), _arrivals(run, name), (WATCHED,) if watched else TELLING)

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


def _listed(name: str) -> str:
    return " or ".join(sorted({"".join(sorted(templates)) for templates in _traces(name)}))


def _lemma(name: str, watched: bool) -> Lemma:
    how = "watched" if watched else "quick"
    return Lemma(
        f"runs-{how}-{name}",
        f"A {how} run of `{PROGRAMS[name]}` finds exactly what the algebra says.",
        "8.2, 5.4.6, 5.4.7",
        (),
        f"traces of {EVENTS} events at any times, {_listed(name)} in any order, with "
        + ("any promises that they keep" if name in LATE else "their times as promises of a source, in order")
        + ("; round-robin" if watched else "; bounds told after 1, 2 or 3 arrivals, or never"),
        finds(name, watched=watched),
        _FORGETFUL if watched else _LOSSY,
        {SOUND: Verdict.PROVED},
    )


LEMMAS = tuple(_lemma(name, watched) for watched in (True, False) for name in PROGRAMS)
