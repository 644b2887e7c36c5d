"""Whole runs on small traces, at all times at once: the machine finds what the algebra says, watched or quick.

The other lemmas are about single steps, and `docs/proofs.md` puts them together by argument. Here nothing is put
together: compiler, machine and schedule run as they are, on events at arbitrary times. What is small is the trace.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from parte.algebra.parte.evaluate import evaluate
from parte.algebra.parte.mapping import pattern_of
from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.parte.settings import choice, event_at
from parte.proofs.parte.statements import at_most
from parte.proofs.symbolic import Body, Claims, Run
from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival
from parte.semantics.parte.compilation import compile_program
from parte.semantics.parte.machine import Machine
from parte.semantics.parte.network import Network
from parte.semantics.parte.repairs import Family, Model
from parte.semantics.parte.schedules import RoundRobin
from parte.semantics.parte.syntax import core, parse

EVENTS = 3
ONE_B = ((0,), (1,), (2,))
MIXED = (*ONE_B, (0, 1), (0, 2), (1, 2), ())
"""Which of the events may be of template B; the others are of A."""
_TEMPLATES = "template A {} template B {} template C {} "
PROGRAMS = {
    "join": "rule R where a: A, b: B when b in a [-2 ms, 3 ms] then",
    "self-join": "rule R where a: A, b: A when b in a [0 ms, 5 ms] then",
    "chain": "rule R where a: A, b: B, c: A when b in a [0 ms, 4 ms] c in b [-1 ms, 2 ms] then",
    "not": "rule R where a: A, no b: B when no b in a [-1 ms, 2 ms] then",
    "not-first": "rule R where a: A, no b: B, c: A when no b in a [0 ms, 2 ms] c in a [1 ms, 4 ms] then",
}


@cache
def _compiled(name: str) -> tuple[core.Program, Network]:
    program = parse(f"{_TEMPLATES}{PROGRAMS[name]}")
    return program, compile_program(program, {}, {"A": ("s",), "B": ("s",)})


def _arrivals(run: Run, orders: Sequence[tuple[int, ...]]) -> Sequence[Arrival]:
    """Events of one source and two templates, in any order that keeps its promises, which are the events' times."""
    bs = choice(run, "which are Bs", orders)
    last: dict[str, int] = {}
    arrivals = []
    for number in range(EVENTS):
        template = "B" if number in bs else "A"
        timestamp = run.integer(f"timestamp of {number}")
        run.assume(at_most(last.get(template, LEAST_INTEGER), timestamp), at_most(timestamp, GREATEST_INTEGER))
        last[template] = timestamp
        arrivals.append(Arrival("s", template, timestamp, event_at(f"e{number}", timestamp, template)))
    return (*arrivals, *(Arrival("s", template, POSITIVE_INFINITY, None) for template in ("A", "B")))


def finds(name: str, *, watched: bool) -> Body:
    """A run from the first arrival to the last token."""

    def body(run: Run) -> Claims:
        program, network = _compiled(name)
        arrivals = _arrivals(run, ONE_B if "c:" in PROGRAMS[name] else MIXED)
        model = Model("any", Family.FEATHERWEIGHT, run.repairs)
        machine = Machine(network, model, recorder=(lambda _: None) if watched else None)
        RoundRobin().drive(machine, arrivals)
        found = [[identity for _, identity in match.bindings] for match in machine.matches]
        (rule,) = program.rules
        values = evaluate(pattern_of(rule), [one.event for one in arrivals if one.event is not None], {})
        meant = [[dict(value)[pattern.variable].id for pattern in rule.positive] for value in values]
        return (
            ("every token is processed", machine.finished),
            ("the matches are those of the algebra", sorted(found) == sorted(meant)),
        )

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------


_FORGETFUL = Mutant(
    "forget-the-data", "parte.semantics.parte.machine:Machine.proc", "state.data = outcome.data", "pass"
)
_LOSSY = Mutant(
    "lose-the-first-result", "parte.semantics.parte.unbounded:Unbounded._propagate", "in tokens:", "in tokens[1:]:"
)


def _lemma(name: str, watched: bool) -> Lemma:
    how = "watched" if watched else "quick"
    return Lemma(
        f"runs-{how}-{name}",
        f"A {how} run of `{PROGRAMS[name]}` finds exactly what the algebra says.",
        "8.2, 5.4.6, 5.4.7",
        (),
        f"traces of {EVENTS} events at any times, of one source, in any order of templates; round-robin",
        finds(name, watched=watched),
        _FORGETFUL if watched else _LOSSY,
        {SOUND: Verdict.PROVED},
    )


LEMMAS = tuple(_lemma(name, watched) for watched in (True, False) for name in PROGRAMS)
