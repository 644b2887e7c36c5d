"""Whole runs with many of everything: patterns, conditions, sources, rules, emissions, strata, stored events.

In the runs of `runs.py` every event is at any time, so their programs and traces are small. Here one event is at any
time, and all others are at given times. Code that is right for the first few of something and wrong from the nth on is
refuted here, up to the stated numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.subjects import FREE, SUBJECTS, Subject
from parte.proofs.partelang.theorems.runs import WATCHED, agreement
from parte.proofs.statements import at_most
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.bounds import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.events.event import POSITIVE_INFINITY, Arrival, Event
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.syntax import core, parse


@cache
def _compiled(name: str) -> tuple[core.Program, Network]:
    subject = SUBJECTS[name]
    program = parse(subject.text)
    return program, compile_program(program, {}, subject.sources)


def _arrivals(subject: Subject, number: int, place: int, event: Event) -> Iterator[Arrival]:
    """Yield the events, the given one at its place; its source ends with it, the others at the end."""
    remaining = [timed for index, timed in enumerate(subject.events) if index != number]
    for timed in (*remaining[:place], event, *remaining[place:]):
        if timed is event:
            yield from (
                Arrival(FREE, template, POSITIVE_INFINITY, None)
                for template in subject.sources
                if template != event.template
            )
            yield Arrival(FREE, event.template, event.timestamp, event)
            yield Arrival(FREE, event.template, POSITIVE_INFINITY, None)
        else:
            bound = LEAST_INTEGER if subject.lagging else timed.timestamp
            yield Arrival(timed.source, timed.template, bound, timed)
    for template, sources in subject.sources.items():
        yield from (Arrival(source, template, POSITIVE_INFINITY, None) for source in sources if source != FREE)


def finds_many(name: str) -> Body:
    """A run in one of the situations of a subject."""

    def body(run: Run) -> Claims:
        subject = SUBJECTS[name]
        situation = choice(run, "situation", subject.situations)
        timestamp = run.integer("time")
        run.assume(at_most(LEAST_INTEGER, timestamp), at_most(timestamp, GREATEST_INTEGER))
        event = subject.events[situation.number]
        changed = replace(
            event, timestamp=timestamp, source=FREE, attributes={**event.attributes, **situation.attributes}
        )
        arrivals = tuple(_arrivals(subject, situation.number, situation.place, changed))
        return agreement(run, *_compiled(name), arrivals, subject.tellings)

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_CODE = "parte.semantics.partelang"
_FOUR_TARGETS = (f"{_CODE}.unbounded:Unbounded._take", "for target in targets:", "for target in targets[:4]:")
_MUTANTS = {
    "patterns": (f"{_CODE}.kernel:lifetime_closes", "timestamps, maxima", "timestamps[:4], maxima"),
    "absences": (f"{_CODE}.kernel:lifetime_opens", "timestamps, minima", "timestamps[:4], minima"),
    "sets": (f"{_CODE}.kernel:lifetime_opens", "timestamps, minima", "timestamps[1:], minima[1:]"),
    "timestamps": (f"{_CODE}.kernel:latest", "highest(timestamps)", "highest(timestamps[:4])"),
    "elements": (f"{_CODE}.suppression:waiting_with", "tuple(more)", "tuple(more[:64])"),
    "sources": (f"{_CODE}.kernel:entry_bound", "lowest(bounds)", "lowest(bounds[:4])"),
    "rules": (f"{_CODE}.unbounded:_grouped", "tuple(several)", "tuple(several[:4])"),
    "alternatives": _FOUR_TARGETS,
    "negations": (f"{_CODE}.kernel:is_stale", "ends < bound", "ends <= bound"),
    "strata": _FOUR_TARGETS,
    "emissions": _FOUR_TARGETS,
    "left-events": (f"{_CODE}.histories:IndexedHistory.overlapping", "[index:] if", "[index : index + 64] if"),
    "right-events": (f"{_CODE}.unbounded:Unbounded.settle", "self._take(", "self._arrived == 63 or self._take("),
    "left-events-unordered": (f"{_CODE}.histories:_Bucket.add", "self.entries[-1].closes", "self.entries[0].closes"),
    "right-events-unordered": (f"{_CODE}.histories:_Bucket.add", "lo=self.head", "lo=self.head + 1"),
}
"""A fault in each subject; not one of the compiler, which compiles a program once."""


def _lemma(name: str, subject: Subject) -> Lemma:
    tellings = " or ".join(str(telling) for telling in subject.tellings if telling != WATCHED)
    return Lemma(
        f"runs-many-{name}",
        f"A run with {subject.summary} finds exactly what the algebra says.",
        "8.2, 5.4.6, 5.4.7",
        (),
        f"a trace of {len(subject.events)} events, of which one is at any time: {len(subject.situations)} choices of "
        f"this event, its place and its attributes; a quick run with bounds told after {tellings} arrivals"
        + (", and a watched one" if WATCHED in subject.tellings else ""),
        finds_many(name),
        Mutant(f"many-{name}", *_MUTANTS[name]),
        {SOUND: Verdict.PROVED},
    )


LEMMAS = tuple(_lemma(name, subject) for name, subject in SUBJECTS.items())
