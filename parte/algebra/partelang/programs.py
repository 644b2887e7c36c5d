"""The meaning of a program over a trace: its matches, with the events they emit (D §4.4.3;
specification: stream, strata-in-order).

A program is evaluated stratum by stratum; the events that a stratum emits join the stream of the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, Protocol, cast

from parte.algebra.partelang.effort import MOST_MATCHES, TooMuch
from parte.algebra.partelang.evaluate import evaluate
from parte.algebra.partelang.expressions import Valuation, value_of
from parte.algebra.partelang.indexed import Indexes
from parte.algebra.partelang.mapping import pattern_of
from parte.algebra.partelang.suppression import without_suppressed
from parte.algebra.partelang.values import NO_VALUE
from parte.semantics.events.domain import Predicates, require_predicates
from parte.semantics.events.event import Event, TraceItem, Value
from parte.semantics.events.match import Match, canonical, emitted_id, production_source
from parte.semantics.events.outcome import EmissionFailure, Outcome, SuppressedEmission, in_order
from parte.semantics.partelang.syntax import core


class Evaluator(Protocol):
    """An evaluator: it finds the valuations of the positive variables of a rule over the stream so far."""

    def extend(self, events: Iterable[Event]) -> None: ...

    def valuations(self, rule: core.Rule) -> Iterable[Valuation]: ...


class Naive:
    """The evaluator that defines the truth."""

    def __init__(self, domain: Predicates) -> None:
        self._domain = domain
        self._stream: list[Event] = []

    def extend(self, events: Iterable[Event]) -> None:
        self._stream.extend(events)

    def valuations(self, rule: core.Rule) -> Iterator[Valuation]:
        return map(dict, evaluate(pattern_of(rule), self._stream, self._domain))


def run(
    program: core.Program,
    events: Iterable[TraceItem],
    domain: Predicates | None = None,
    evaluator: Literal["naive", "indexed"] = "naive",
) -> Outcome:
    """Return all matches of a program over a trace, in any order of arrival; promises of progress change nothing.

    Raise MissingPredicate if the program declares a domain predicate that `domain` lacks, TooMuch if there is too much
    to look at or to store.
    """
    domain = {} if domain is None else domain
    require_predicates(program, domain)
    evaluation: Evaluator = Naive(domain) if evaluator == "naive" else Indexes(domain)
    evaluation.extend(item for item in events if isinstance(item, Event))
    matches, failures, suppressed = strata(program, evaluation, domain)
    return Outcome(tuple(canonical(matches)), in_order(failures), suppressed=in_order(suppressed))


def strata(
    program: core.Program, evaluation: Evaluator, domain: Predicates
) -> tuple[list[Match], list[EmissionFailure], list[SuppressedEmission]]:
    """Return the matches of all strata in the order of these, the emissions that failed, and those suppressed.

    `evaluation` has the events of the trace. Raise TooMuch.
    """
    matches: list[Match] = []
    failures: list[EmissionFailure] = []
    suppressed: list[SuppressedEmission] = []
    for stratum in program.rules_by_stratum():
        emitting: list[Match] = []
        for rules in core.cases_of(stratum):
            reactions = [
                react(rule, valuation, domain) for rule in rules for valuation in _bounded_valuations(rule, evaluation)
            ]
            failures.extend(failure for _, failed in reactions for failure in failed)
            remaining, lost = without_suppressed(rules[0], [match for match, _ in reactions])
            emitting.extend(remaining)
            suppressed.extend(lost)
        matches.extend(emitting)
        evaluation.extend(event for match in emitting for event in match.emits)
    return matches, failures, suppressed


def _bounded_valuations(rule: core.Rule, evaluation: Evaluator) -> Iterator[Valuation]:
    """Yield the valuations of a rule. Raise TooMuch if there are too many to store."""
    for number, valuation in enumerate(evaluation.valuations(rule)):
        if number == MOST_MATCHES:
            raise TooMuch(f"rule {rule.reported} has more than {MOST_MATCHES:,} matches")
        yield valuation


def react(rule: core.Rule, valuation: Valuation, domain: Predicates) -> tuple[Match, list[EmissionFailure]]:
    """Return the match of a rule under a valuation, and those of its emissions that failed."""
    bound = tuple((pattern.variable, valuation[pattern.variable]) for pattern in rule.positive)
    bindings = tuple((variable, event.id) for variable, event in bound)
    emits: list[Event] = []
    failures: list[EmissionFailure] = []
    for position, emission in enumerate(rule.emissions, start=1):
        timestamp = value_of(emission.at, valuation, domain)
        values = {a.attribute: value_of(a.value, valuation, domain) for a in emission.assignments}
        attributes: dict[str, Value] = {name: value for name, value in values.items() if value is not NO_VALUE}
        optional = {a.attribute for a in emission.assignments if a.optional}
        parts = [("timestamp", timestamp), *((name, value) for name, value in values.items() if name not in optional)]
        lacking = tuple(name for name, value in parts if value is NO_VALUE)
        if not lacking:
            timestamp = cast(int, timestamp)
            name = emitted_id(rule.reported, position if len(rule.emissions) > 1 else None, bound)
            source = production_source(rule.reported, position)
            emits.append(Event(name, emission.template, timestamp, attributes, source))
        else:
            failures.append(EmissionFailure(rule.reported, position, bindings, lacking))
    return Match(rule.reported, bindings, tuple(emits)), failures
