"""The extracted machine behind the protocol, the extracted definition, and the extracted evaluator.

The proof of the machine covers matching: windows, absences, sets, and the strata of emissions. It leaves the values of
expressions open, so the algebra's evaluator computes each condition, `having`, and each emission.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib import metadata
from random import Random
from typing import Any

from parte.algebra.partelang.aggregates import in_place_of_event
from parte.algebra.partelang.evaluate import holds
from parte.algebra.partelang.programs import react
from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.partelang.engines.rocq.replay import Replay, ReplayEnded
from parte.conformance.partelang.engines.rocq.words import Numbers, queues_of
from parte.conformance.protocol import Greeting
from parte.proofs.partelang.evaluator.conversation import EvaluatorEnded
from parte.proofs.partelang.evaluator.evaluation import Evaluation
from parte.proofs.partelang.evaluator.words import NotAdmitted, joint, own
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.match import Match, production_source
from parte.semantics.partelang.execution import sources_of
from parte.semantics.partelang.syntax import core

Json = Any


class RocqAdapter:
    """The machine, which takes its steps in a random order; or the definition, as `algebra`."""

    def __init__(self, algebra: bool = False) -> None:
        self._algebra = algebra
        self._replay: Replay | None = None
        name = "Algebra" if algebra else "Machine"
        self.greeting = Greeting(f"{name} extracted from Rocq", metadata.version("parte"))

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Compile a program."""

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            if self._replay is None:
                self._replay = Replay()
            try:
                return [json.loads(match.to_json()) for match in self._matches(self._replay, program, domain, arrivals)]
            except ReplayEnded as ended:
                self._replay.close()
                self._replay = None
                raise EngineFailure(str(ended)) from None

        return find

    def _matches(
        self, replay: Replay, program: core.Program, domain: Predicates, arrivals: Sequence[Arrival]
    ) -> list[Match]:
        numbers = Numbers(program)
        answers = Answers(numbers, domain)
        replay.load(numbers.case(queues_of(program, arrivals)))
        if self._algebra:
            events = [arrival.event for arrival in arrivals if arrival.event is not None]
            reply = replay.ask(answers, "meaning", *numbers.stream(events))
        else:
            replay.ask(answers, "rest", len(arrivals))
            reply = replay.ask(answers, "reported")
        return [answers.match(rule, events) for rule, events in numbers.matches(reply)]


class EvaluatorAdapter:
    """The extracted evaluator, which gets the arrivals in batches of random sizes."""

    def __init__(self) -> None:
        self.greeting = Greeting("Evaluator extracted from Rocq", metadata.version("parte"))

    def compile(self, program: core.Program, domain: Predicates) -> Callable[[Sequence[Arrival]], list[Json]]:
        """Compile a program."""

        def find(arrivals: Sequence[Arrival]) -> list[Json]:
            try:
                evaluation = Evaluation(program, domain, sources_of(arrivals))
            except NotAdmitted as reason:
                raise Inexpressible(str(reason)) from None
            with closing(evaluation):
                try:
                    matches = [match for batch in _batches(arrivals) for match in evaluation.feed(batch)]
                except EvaluatorEnded as ended:
                    raise EngineFailure(str(ended)) from None
            return [json.loads(match.to_json()) for match in matches]

        return find


def _batches(arrivals: Sequence[Arrival]) -> Iterator[Sequence[Arrival]]:
    rng = Random(len(arrivals))
    start = 0
    while start < len(arrivals):
        end = start + rng.randint(1, 4)
        yield arrivals[start:end]
        start = end


class Answers:
    """The values of conditions and emissions, by rule, pattern or emission, and events."""

    def __init__(self, numbers: Numbers, domain: Predicates) -> None:
        self._numbers, self._domain = numbers, domain
        self._emitted: dict[tuple[int, int, tuple[Event, ...]], Event | None] = {}

    def __call__(self, question: Sequence[str]) -> str:
        kind, number, part, *numbers = question
        rule = int(number)
        events, *sets = self._lists(numbers)
        if kind in ("own", "joint"):
            return str(int(self._meets(rule, int(part), events, alone=kind == "own")))
        case = self._numbers.case_of(rule, _valuation(self._numbers.rules[rule][0], events))
        valuation = _with_sets(case, events, sets)
        if kind == "having":
            value = frozenset(valuation.items())
            return str(int(all(holds(condition, value, self._domain) for condition in case.having)))
        event = self._emits(case, int(part), valuation)
        self._emitted[rule, int(part), events] = event
        return "none" if event is None else f"{self._numbers.number(event)} {event.timestamp:b}"

    def _meets(self, rule: int, part: int, events: tuple[Event, ...], *, alone: bool) -> bool:
        """Return whether the last of these events meets the conditions of a pattern on it alone, or with the others."""
        patterns = self._numbers.rules[rule][0].patterns
        # A set is beside all positive events, any other pattern beside those that are bound before it.
        before = () if alone else patterns if patterns[part].collected else patterns[:part]
        variables = [*(pattern.variable for pattern in before if pattern.positive), patterns[part].variable]
        bound = dict(zip(variables, events, strict=True))
        pattern = self._numbers.case_of(rule, bound).patterns[part]
        value = frozenset(bound.items())
        conditions = own(pattern) if alone else joint(pattern)
        return all(holds(condition, value, self._domain) for condition in conditions)

    def _lists(self, numbers: Iterable[str]) -> list[tuple[Event, ...]]:
        """Return the events of a match, and after each slash those of a set."""
        lists: list[list[Event]] = [[]]
        for number in numbers:
            if number == "/":
                lists.append([])
            else:
                lists[-1].append(self._numbers.events[int(number)])
        return [tuple(events) for events in lists]

    def _emits(self, rule: core.Rule, position: int, valuation: Mapping[str, Event]) -> Event | None:
        reaction, _ = react(rule, valuation, self._domain)
        source = production_source(rule.reported, position)
        return next((event for event in reaction.emits if event.source == source), None)

    def match(self, rule: int, events: tuple[Event, ...]) -> Match:
        """Return a match with its emissions. EngineFailure if the program never requested one of them."""
        named = self._numbers.rules[rule][0]
        try:
            emits = [self._emitted[rule, position, events] for position in range(1, len(named.emissions) + 1)]
        except KeyError:
            raise EngineFailure(f"rule {named.reported} has a match that emitted nothing") from None
        bindings = tuple((variable, event.id) for variable, event in _valuation(named, events).items())
        return Match(named.reported, bindings, tuple(event for event in emits if event is not None))


def _valuation(rule: core.Rule, events: Sequence[Event]) -> dict[str, Event]:
    return {pattern.variable: event for pattern, event in zip(rule.positive, events, strict=True)}


def _with_sets(rule: core.Rule, events: Sequence[Event], sets: Sequence[Sequence[Event]]) -> dict[str, Event]:
    collected = zip(rule.collected, sets, strict=True)
    elements = {pattern.variable: in_place_of_event(frozenset(set_events)) for pattern, set_events in collected}
    return _valuation(rule, events) | elements
