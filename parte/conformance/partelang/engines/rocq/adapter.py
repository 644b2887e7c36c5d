"""The extracted machine behind the protocol, and the extracted definition.

The proof covers matching: windows, absences, and the strata of emissions. It leaves the values of expressions open, so
the algebra's evaluator computes each condition and each emission.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

from parte.algebra.partelang.evaluate import holds
from parte.algebra.partelang.programs import react
from parte.conformance.engines.foreign import EngineFailure
from parte.conformance.partelang.engines.rocq.replay import Replay, ReplayEnded
from parte.conformance.partelang.engines.rocq.words import Numbers, joint, own, queues_of
from parte.conformance.protocol import Greeting
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.match import Match, production_source
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
        answers = _Answers(numbers, domain)
        replay.load(numbers.case(queues_of(program, arrivals)))
        if self._algebra:
            events = [arrival.event for arrival in arrivals if arrival.event is not None]
            reply = replay.ask(answers, "meaning", *numbers.stream(events))
        else:
            replay.ask(answers, "rest", len(arrivals))
            reply = replay.ask(answers, "reported")
        return [answers.match(rule, events) for rule, events in numbers.matches(reply)]


class _Answers:
    """The values of conditions and emissions, by rule, pattern or emission, and events."""

    def __init__(self, numbers: Numbers, domain: Predicates) -> None:
        self._numbers, self._domain = numbers, domain
        self._emitted: dict[tuple[int, int, tuple[Event, ...]], Event | None] = {}

    def __call__(self, question: Sequence[str]) -> str:
        kind, rule, part, *event_numbers = question
        named = self._numbers.rules[int(rule)]
        events = tuple(self._numbers.events[int(number)] for number in event_numbers)
        if kind == "emit":
            event = self._emits(named, int(part), events)
            self._emitted[int(rule), int(part), events] = event
            return "none" if event is None else f"{self._numbers.number(event)} {event.timestamp:b}"
        pattern = named.patterns[int(part)]
        if kind == "own":
            conditions, variables = own(pattern), [pattern.variable]
        else:
            earlier = (
                earlier_pattern.variable
                for earlier_pattern in named.patterns[: int(part)]
                if not earlier_pattern.negated
            )
            conditions, variables = joint(pattern), [*earlier, pattern.variable]
        value = frozenset(zip(variables, events, strict=True))
        return str(int(all(holds(condition, value, self._domain) for condition in conditions)))

    def _emits(self, rule: core.Rule, position: int, events: Sequence[Event]) -> Event | None:
        reaction, _ = react(rule, _valuation(rule, events), self._domain)
        source = production_source(rule.name, position)
        return next((event for event in reaction.emits if event.source == source), None)

    def match(self, rule: int, events: tuple[Event, ...]) -> Match:
        """Return a match with its emissions. EngineFailure if the program never requested one of them."""
        named = self._numbers.rules[rule]
        try:
            emits = [self._emitted[rule, position, events] for position in range(1, len(named.emissions) + 1)]
        except KeyError:
            raise EngineFailure(f"rule {named.name} has a match that emitted nothing") from None
        bindings = tuple((variable, event.id) for variable, event in _valuation(named, events).items())
        return Match(named.name, bindings, tuple(event for event in emits if event is not None))


def _valuation(rule: core.Rule, events: Sequence[Event]) -> dict[str, Event]:
    return {pattern.variable: event for pattern, event in zip(rule.positive, events, strict=True)}
