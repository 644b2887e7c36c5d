"""Runs of the extracted evaluator: on a whole trace, or line by line (`parte run --model proved`).

It decides which events match, and stores them. Here are read the trace, the attributes of emitted events, and what
`words` delegates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Final

from parte.algebra.partelang.aggregates import in_place_of_event
from parte.algebra.partelang.compiled import Closure, compile_condition, compile_expression
from parte.algebra.partelang.programs import react
from parte.proofs.partelang.evaluator.conversation import Conversation
from parte.proofs.partelang.evaluator.words import Numbered, suppressing, word
from parte.semantics.events.domain import Predicates, require_predicates
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Arrival, Event
from parte.semantics.events.match import Match, canonical, production_source
from parte.semantics.events.outcome import EmissionFailure, Outcome, SuppressedEmission, in_order
from parte.semantics.events.scenario import Arriving, Scenario
from parte.semantics.partelang.execution import sources_of
from parte.semantics.partelang.suppression import Decision, Undecided
from parte.semantics.partelang.syntax import core
from parte.semantics.rulebook.running import Running

_AT_ONCE: Final = 1_000
"""Arrivals in a batch of a trace that is given as a whole."""
_SPARE: Final = 1_000
"""Events that are stored here before those that no match can bind are sought."""


class Evaluation:
    """A program, its predicates and the sources of each template; arrivals come in batches."""

    def __init__(self, program: core.Program, domain: Predicates, sources: Mapping[str, Iterable[str]]) -> None:
        """Raise NotAdmitted, Unavailable, or MissingPredicate."""
        require_predicates(program, domain)
        self._domain = domain
        self._numbered = Numbered(program)
        self._lines = self._numbered.lines_of(domain)
        self._bounds = {
            name: dict.fromkeys(sources.get(name, ()), NEGATIVE_INFINITY) for name in self._numbered.templates
        }
        self._words = {name: _bound(bounds) for name, bounds in self._bounds.items()}
        self._delegated: list[Closure] = [compile_expression(d.expression, domain) for d in self._numbered.delegated]
        self._events: dict[int, Event] = {}
        self._most = _SPARE
        self._number = 0
        self.failures: list[EmissionFailure] = []
        positions = {rule.reported: suppressing(rule) for rule in self._numbered.rules}
        self._undecided = Undecided({name: numbers for name, numbers in positions.items() if numbers})
        self._conversation = Conversation(self._numbered.words, self._answer)

    def close(self) -> None:
        """End the process."""
        self._conversation.close()

    @property
    def process(self) -> int:
        """The id of the process."""
        return self._conversation.process

    @property
    def stored(self) -> int:
        """The number of events that are stored here, which the evaluator may still mention."""
        return len(self._events)

    def suppressed(self) -> list[SuppressedEmission]:
        """Return the emissions that were suppressed since the last call."""
        suppressed, self._undecided.suppressed = self._undecided.suppressed, []
        return suppressed

    def feed(self, arrivals: Iterable[Arrival]) -> list[Match]:
        """Return the matches that become certain with the next arrivals, when their emissions with `once` are decided.

        EvaluatorEnded if the process fails.
        """
        lines = []
        spoken = set()
        for arrival in arrivals:
            event = arrival.event
            if event is not None and event.template in self._numbered.read:
                lines.append(self._line(event))
            self._bounds[arrival.template][arrival.source] = arrival.bound
            spoken.add(arrival.template)
        for template in spoken:
            self._words[template] = _bound(self._bounds[template])
        matches: list[Match] = []
        for line in self._conversation.batch(lines, self._words.values()):
            match line.split(" "):
                case ["=", limit]:
                    if len(self._events) > self._most:
                        self._forget(limit)
                case ["passed", number]:
                    matches += self._undecided.decided([Decision(self._events[int(number)], None)])
                case ["suppressed", number, by]:
                    decision = Decision(self._events[int(number)], self._events[int(by)].id)
                    matches += self._undecided.decided([decision])
                case [rule, *numbers]:
                    matches += self._undecided.matched(self._match(self._numbered.rules[int(rule)], numbers))
        return matches

    def _line(self, event: Event) -> str:
        number = self._number
        self._number += 1
        self._events[number] = event
        return self._lines[event.template](number, event)

    def _forget(self, limit: str) -> None:
        """Forget the events before the time from which the evaluator needs them."""
        if limit != ".":
            earliest = int(limit)
            self._events = {n: event for n, event in self._events.items() if event.timestamp >= earliest}
            self._most = 2 * len(self._events) + _SPARE

    def _match(self, rule: core.Rule, numbers: Sequence[str]) -> Match:
        match, failures = react(rule, self._valuation(rule, numbers), self._domain)
        self.failures.extend(failures)
        return match

    def _valuation(self, rule: core.Rule, numbers: Sequence[str]) -> dict[str, Event]:
        events, *sets = self._lists(numbers)
        valuation = {pattern.variable: event for pattern, event in zip(rule.positive, events, strict=True)}
        for pattern, elements in zip(rule.collected, sets, strict=True):
            valuation[pattern.variable] = in_place_of_event(frozenset(elements))
        return valuation

    def _lists(self, numbers: Iterable[str]) -> list[list[Event]]:
        """Return the events of a match, and after each slash those of a set."""
        lists: list[list[Event]] = [[]]
        for number in numbers:
            if number == "/":
                lists.append([])
            elif number:
                lists[-1].append(self._events[int(number)])
        return lists

    def _answer(self, question: list[str]) -> str:
        kind, number, *numbers = question
        if kind == "computed":
            delegated = self._numbered.delegated[int(number)]
            (events,) = self._lists(numbers)
            return word(self._delegated[int(number)](dict(zip(delegated.variables, events, strict=True))))
        rule = self._numbered.rules[int(number)]
        if kind == "having":
            valuation = self._valuation(rule, numbers)
            return str(int(all(compile_condition(part, self._domain)(valuation) for part in rule.having)))
        position, *numbers = numbers
        match, _ = react(rule, self._valuation(rule, numbers), self._domain)
        source = production_source(rule.reported, int(position))
        event = next((event for event in match.emits if event.source == source), None)
        if event is None:
            return "none"
        # Those that may be suppressed have their ids before them, in letters with the order of the code points.
        name = event.id.encode("utf-32-be", "surrogatepass").hex()
        return self._line(event) if rule.emissions[int(position) - 1].once is None else f"{name}\t{self._line(event)}"


def _bound(bounds: Mapping[str, int]) -> str:
    """Return the word for the bound of a template: the least of its sources, and a point if nothing comes any more."""
    least = min(bounds.values(), default=POSITIVE_INFINITY)
    return "." if least >= POSITIVE_INFINITY else str(least)


def batched(arrivals: Iterable[Arrival]) -> Iterator[list[Arrival]]:
    """Yield the arrivals of a trace in batches."""
    left = iter(arrivals)
    while batch := list(islice(left, _AT_ONCE)):
        yield batch


def execute(scenario: Scenario[core.Program]) -> Outcome:
    """Return the outcome of a program on a whole trace. NotAdmitted, Unavailable, MissingPredicate, EvaluatorEnded."""
    evaluation = Evaluation(scenario.program, scenario.predicates, sources_of(scenario.arrivals))
    with closing(evaluation):
        matches = [match for batch in batched(scenario.arrivals) for match in evaluation.feed(batch)]
    suppressed = in_order(evaluation.suppressed())
    return Outcome(tuple(canonical(matches)), in_order(evaluation.failures), suppressed=suppressed)


@dataclass(slots=True)
class Evaluating(Running[Match]):
    """The evaluator and a trace as it arrives. `ends` returns the arrivals after the last line."""

    evaluation: Evaluation
    arriving: Arriving
    ends: Callable[[], Iterable[Arrival]]
    lines: int = 0

    def feed(self, lines: Iterable[str]) -> Iterator[Sequence[Match]]:
        """Yield the matches that become certain with the next lines. TraceError if a line is wrong."""
        arrivals = self.arriving.more(lines)
        self.lines += len(arrivals)
        yield canonical(self.evaluation.feed(arrivals))

    def end(self) -> Iterator[Sequence[Match]]:
        """Yield the matches that become certain when every source ends."""
        yield canonical(self.evaluation.feed(self.ends()))

    def stored(self) -> dict[str, int]:
        """Return the number of events that may still match."""
        return {"events": self.evaluation.stored}

    def lost(self) -> Sequence[EmissionFailure | SuppressedEmission]:
        """Return the emissions without a value, and those suppressed, since the last call."""
        failures, self.evaluation.failures = self.evaluation.failures, []
        return (*failures, *self.evaluation.suppressed())
