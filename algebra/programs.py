"""What a program means over a trace: its matches, with the events they emit (SPEC §3 and §4, D §4.4.3).

A program is evaluated stratum by stratum; the events that a stratum emits join the stream of the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from algebra.evaluate import evaluate
from algebra.expressions import Valuation, value_of
from algebra.indexed import Indexes
from algebra.mapping import pattern_of
from algebra.values import NO_VALUE, Domain
from semantics.events.event import Event, TraceItem, Value
from semantics.events.match import Match, canonical, emitted_id, production_source
from semantics.syntax import core


class MissingPredicate(ValueError):
    """A declared domain predicate that the run was not given."""

    def __init__(self, name: str) -> None:
        super().__init__(f"domain predicate {name} is declared but was not supplied")
        self.name = name


@dataclass(frozen=True, slots=True, order=True)
class Failure:
    """An emission that emitted nothing because an expression in it has no value.

    `emission` is its position in the rule, from 1; `without_value` says what lacks one: attribute names in the order
    of the template, after `timestamp` if `at` lacks one.
    """

    rule: str
    bindings: tuple[tuple[str, str], ...]
    emission: int
    without_value: tuple[str, ...]

    def __str__(self) -> str:
        bindings = ", ".join(f"{variable}={event}" for variable, event in self.bindings)
        lacking = ", ".join(self.without_value)
        return f"{self.rule}({bindings}): emission {self.emission} emits nothing, no value for {lacking}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The matches in canonical order, and the emissions that failed, sorted."""

    matches: list[Match]
    failures: list[Failure]


class _Evaluator(Protocol):
    """Finds the valuations of the positive variables of a rule over the stream so far."""

    def extend(self, events: Iterable[Event]) -> None: ...

    def valuations(self, rule: core.Rule) -> Iterable[Valuation]: ...


class _Naive:
    """The evaluator that defines the truth."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._stream: list[Event] = []

    def extend(self, events: Iterable[Event]) -> None:
        self._stream.extend(events)

    def valuations(self, rule: core.Rule) -> Iterator[Valuation]:
        return map(dict, evaluate(pattern_of(rule), self._stream, self._domain))


def run(
    program: core.Program,
    events: Iterable[TraceItem],
    domain: Domain | None = None,
    evaluator: Literal["naive", "indexed"] = "naive",
) -> Outcome:
    """All matches of a program over a trace, in whatever order it comes; promises of progress change nothing.

    MissingPredicate if the program declares a domain predicate that `domain` lacks.
    """
    domain = {} if domain is None else domain
    for predicate in program.predicates:
        if predicate.name not in domain:
            raise MissingPredicate(predicate.name)
    evaluation: _Evaluator = _Naive(domain) if evaluator == "naive" else Indexes(domain)
    evaluation.extend(item for item in events if isinstance(item, Event))
    matches: list[Match] = []
    failures: list[Failure] = []
    for stratum in program.rules_by_stratum():
        found = [_react(rule, valuation, domain) for rule in stratum for valuation in evaluation.valuations(rule)]
        for match, failed in found:
            matches.append(match)
            failures.extend(failed)
        evaluation.extend(event for match, _ in found for event in match.emits)
    return Outcome(canonical(matches), sorted(failures))


def _react(rule: core.Rule, valuation: Valuation, domain: Domain) -> tuple[Match, list[Failure]]:
    """The match that a valuation makes of a rule, and those of its emissions that failed."""
    bound = tuple((pattern.variable, valuation[pattern.variable]) for pattern in rule.positive)
    bindings = tuple((variable, event.id) for variable, event in bound)
    emits: list[Event] = []
    failures: list[Failure] = []
    for position, emission in enumerate(rule.emissions, start=1):
        timestamp = value_of(emission.at, valuation, domain)
        values = {a.attribute: value_of(a.value, valuation, domain) for a in emission.assignments}
        attributes: dict[str, Value] = {name: value for name, value in values.items() if value is not NO_VALUE}
        if isinstance(timestamp, int) and len(attributes) == len(values):
            name = emitted_id(rule.name, position if len(rule.emissions) > 1 else None, bound)
            source = production_source(rule.name, position)
            emits.append(Event(name, emission.template, timestamp, attributes, source))
        else:
            parts = [("timestamp", timestamp), *values.items()]
            lacking = tuple(name for name, value in parts if value is NO_VALUE)
            failures.append(Failure(rule.name, bindings, position, lacking))
    return Match(rule.name, bindings, tuple(emits)), failures
