"""Questions about a query, and the replay of their solutions on the definition."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

from parte.checker.report.collecting import Collector, Decision
from parte.checker.report.contents import Json
from parte.checker.solver import terms
from parte.checker.solver.clock import Undecided
from parte.checker.solver.queries import Session, Status, minimal_core
from parte.checker.solver.terms import Formula
from parte.checker.solver.verdict import Verdict
from parte.languages.eql.algebra.conditions import fits
from parte.languages.eql.algebra.keys import Key, key_of
from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.checker.encoding import Encoding
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import Source
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.languages.eql.semantics.syntax.streams import Stream
from parte.semantics.events.event import Event
from parte.semantics.events.trace import trace_lines
from parte.semantics.source.spans import Span

Trace = tuple[Event, ...]

LONGEST = 24
"""The length of the longest trace that the definition evaluates."""


@dataclass(frozen=True, slots=True)
class Actor:
    """An event of a question: the name of its attributes in the encoding, the stage that it is chosen for, and its
    category."""

    name: str
    stage: tree.Stage
    category: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A trace that is a solution; or none, with the labels of formulas that contradict each other. `result` has the
    ids of the events of the result that the question is about."""

    trace: Trace | None
    core: tuple[str, ...] = ()
    result: tuple[str, ...] = ()


@dataclass(frozen=True)
class Work:
    """A query, readings, and what is known so far. `timeout` is in seconds, for one question."""

    source: Source
    readings: Readings
    collector: Collector
    timeout: float

    @property
    def query(self) -> tree.Query:
        """The query."""
        return self.source.query

    @cached_property
    def stages(self) -> tuple[tree.Stage, ...]:
        """The stages or items of the query; its event as a stage."""
        match self.query:
            case tree.Sequence(stages=stages) | tree.Sample(items=stages):
                return stages
            case tree.Single(event=event):
                return (tree.Stage(event, span=event.span),)

    @property
    def until(self) -> tree.Stage | None:
        """The events that end a chain."""
        return self.query.until if isinstance(self.query, tree.Sequence) else None

    @property
    def events(self) -> tuple[tree.Stage, ...]:
        """The stages or items, and until."""
        return self.stages if self.until is None else (*self.stages, self.until)

    @property
    def satisfiable(self) -> Verdict:
        """The verdict on whether some trace has a result."""
        return self.collector.of("satisfiable")[0].verdict

    def fields(self, stage: tree.Stage) -> tuple[tree.Field, ...]:
        """Return the key fields of a stage."""
        return () if isinstance(self.query, tree.Single) else tree.keys_of(self.query, stage)

    def actor(self, name: str, stage: tree.Stage) -> Actor:
        """Return an event for a stage; if any category will do, one that the query does not name."""
        named = {node.category for node in tree.within(self.query) if isinstance(node, tree.Event)}
        unnamed = "event"
        while unnamed in named:
            unnamed += "_"
        return Actor(name, stage, stage.event.category or unnamed)

    def chain(self) -> list[Actor]:
        """Return an event for each positive stage, or item; runs of a stage have the same attributes."""
        chosen = [(number, stage) for number, stage in enumerate(self.stages) if not stage.missing]
        return [self.actor(f"stage {number}", stage) for number, stage in chosen for _ in range(stage.runs)]

    def encoding(self) -> Encoding:
        """Return the terms for one question."""
        return Encoding(self.query, self.readings)

    def fits(self, encoding: Encoding, actor: Actor, stage: tree.Stage) -> Formula:
        """Return the formula that an event fits a stage, and has a key there."""
        if stage.event.category not in (None, actor.category):
            return terms.FALSE
        true = encoding.truth(actor.name, stage.event.condition).true
        return terms.both(true, encoding.keyed(actor.name, self.fields(stage)))

    def joins(self, encoding: Encoding, actor: Actor, stage: tree.Stage, first: Actor) -> Formula:
        """Return the formula that an event fits a stage with the key of the first event of a chain."""
        key = encoding.same_key(actor.name, self.fields(stage), first.name, self.fields(first.stage))
        return terms.both(self.fits(encoding, actor, stage), key)

    def solved(
        self,
        name: str,
        encoding: Encoding,
        labelled: Mapping[str, Formula],
        placed: Sequence[tuple[Actor, int]],
        shows: Callable[[Trace], bool],
    ) -> Answer:
        """Return a trace of some events, at timestamps in milliseconds, that solves the formulas and `shows` it by the
        definition; or none if there is no solution. Raise Undecided otherwise."""
        for assumed in dict.fromkeys(((*encoding.likely, *encoding.readable), (*encoding.likely,), ())):
            session = Session(self.timeout, self.collector.journal)
            with session.scope(*encoding.definitions, *assumed):
                answer = session.ask(name, labelled=labelled)
                if answer.status is Status.UNSATISFIABLE and not assumed:
                    return Answer(None, minimal_core(session, name, labelled, answer.core).labels)
            if answer.model is not None:
                values = {actor.name: encoding.attributes(answer.model, actor.name) for actor, _ in placed}
                events = tuple(
                    Event(f"e{place}", actor.category, timestamp, values[actor.name])
                    for place, (actor, timestamp) in enumerate(placed, 1)
                )
                if _is_text(events) and shows(events):
                    return Answer(events)
        raise Undecided("no solution that was tried shows it, and the solver did not prove that there is none")

    def key(self, event: Event, stage: tree.Stage) -> Key | None:
        """Return the key with which an event fits a stage, by the definition."""
        return key_of(event, self.fields(stage), self.readings) if fits(event, stage.event, self.readings) else None

    def results(self, events: Sequence[Event], *, without_until: bool = False) -> list[tuple[str, ...]]:
        """Return the ids of the events of each result before pipes: by the definition, of long traces by the machine,
        for the definition takes cubic time for each stage."""
        query = self.query if isinstance(self.query, tree.Sample) else replace(self.query, pipes=())
        if without_until and isinstance(query, tree.Sequence):
            query = replace(query, until=None)
        if len(events) <= LONGEST:
            results = evaluate(query, events, self.readings)
        else:
            machine, stream = Machine(query, self.readings), Stream(self.readings)
            reported = [machine.arrive(stream.add(event), stream.bound) for event in events]
            results = [result for batch in (*reported, machine.end()) for result in batch]
        return [tuple(result["events"]) for result in results]

    @contextmanager
    def deciding(self, name: str, code: str, span: Span, what: str) -> Iterator[Decision]:
        """Decide a guarantee; report under a code if the block leaves `what` undecided."""
        with self.collector.deciding(name) as decision, self.open(code, span, what):
            yield decision

    @contextmanager
    def open(self, code: str, span: Span, what: str) -> Iterator[None]:
        """Report under a code if the block leaves `what` undecided."""
        with self.collector.undecided(code, span, what, "allow more time by `--timeout`, or use fewer functions"):
            yield


def _is_text(events: Sequence[Event]) -> bool:
    """Return whether a trace can be written: the solver has halves of characters."""
    try:
        "".join(trace_lines(events)).encode()
    except UnicodeEncodeError:
        return False
    return True


def lines(trace: Sequence[Event]) -> list[Json]:
    """Return events as the lines of a trace."""
    return [json.loads(line) for line in trace_lines(trace)]
