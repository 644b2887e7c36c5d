"""What a case means by the algebra, whether `sound` agrees, and which inference rules fire: measured, never typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import semantics.machine  # noqa: F401 - registers the global rules
from algebra.programs import run
from conformance.fixtures import Expected, Fixture, Place
from conformance.matching import differences
from conformance.protocol import INVALID_DOMAIN, INVALID_TRACE
from semantics.events.conformity import conform
from semantics.events.domain import bind_domain, read_domain
from semantics.events.event import Arrival, Event, TraceItem
from semantics.events.problems import DomainError, TraceError
from semantics.events.promises import arrivals
from semantics.events.trace import read_trace
from semantics.execution import Execution, execute
from semantics.machine import Step
from semantics.repairs import SOUND, Model
from semantics.rules.registry import all_rules
from semantics.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from semantics.syntax import core
from semantics.syntax.diagnostics import ProgramError
from semantics.syntax.elaborate import parse

Json = Any

WATCHED: tuple[Schedule, ...] = (RoundRobin(), Adversarial(0), SeededRandom(0))
"""The schedules under which it is measured which rules fire."""

CONFIRMING: tuple[Schedule, ...] = (
    RoundRobin(),
    *(SeededRandom(seed) for seed in range(6)),
    *(Adversarial(seed) for seed in range(6)),
)
"""The schedules under which `sound` must confirm a case before it is admitted."""

CONFIRMING_AGAIN = CONFIRMING[:3] + CONFIRMING[-2:]
"""Fewer of them, for checking cases that were admitted."""


@dataclass(frozen=True, slots=True)
class Input:
    """A case ready to run."""

    program: core.Program
    predicates: Mapping[str, Callable[..., bool]]
    items: tuple[TraceItem, ...]
    arriving: tuple[Arrival, ...]


def read_input(case: Fixture) -> Input:
    """What a case runs on. ProgramError, DomainError or TraceError if it is to be rejected."""
    program = parsed(case.text)
    predicates = bind_domain(program, read_domain(case.domain))
    items = conform(program, read_trace([json.dumps(item, ensure_ascii=False) for item in case.trace]))
    return Input(program, predicates, items, arrivals(items, disorder=case.disorder))


@lru_cache(8)
def parsed(text: str) -> core.Program:
    """A program, kept for the other cases that share it. ProgramError if it is to be rejected."""
    return parse(text)


def expected_of(case: Fixture) -> Expected:
    """What the reference says of a case: the algebra of its matches, the reading of all inputs of its rejection.

    Of several diagnostics the first counts, unless the expectation of the case is among them.
    """
    try:
        given = read_input(case)
    except ProgramError as error:
        places = [Place(d.code, d.span.start.line, d.span.start.column) for d in error.diagnostics]
    except DomainError:
        places = [Place(INVALID_DOMAIN, 1)]
    except TraceError as error:
        places = [Place(INVALID_TRACE, problem.line) for problem in error.problems]
    else:
        outcome = run(given.program, given.items, given.predicates)
        warnings = tuple(
            Place(d.code, d.span.start.line, d.span.start.column)
            for d in sorted(given.program.warnings, key=lambda d: d.span.start)
        )
        failures = tuple(
            {"rule": f.rule, "emission": f.emission, "bindings": dict(f.bindings)} for f in outcome.failures
        )
        return Expected(tuple(json.loads(match.to_json()) for match in outcome.matches), None, warnings, failures)
    known = case.expected.rejected
    return Expected((), known if known in places else places[0])


def objections(case: Fixture, schedules: tuple[Schedule, ...] = CONFIRMING) -> Iterator[str]:
    """Why the expectation of a case is not that of the algebra, or not confirmed by `sound` under each schedule."""
    truth = expected_of(case)
    if truth != case.expected:
        yield f"the expectation is not what the algebra says: {truth}"
        return
    if truth.rejected is not None:
        return
    given = read_input(case)
    for schedule in schedules:
        result = execute(given.program, given.arriving, schedule=schedule, predicates=given.predicates)
        found = [json.loads(match.to_json()) for match in result.matches]
        if result.blocked is not None or any(differences(truth.matches, found, {})):
            yield f"sound does not confirm it under the schedule {schedule}"


def rules_fired(given: Input, model: Model = SOUND) -> frozenset[str]:
    """The ids of the inference rules that fire when a model runs a case under the watched schedules."""
    fired: set[str] = set()
    for schedule in WATCHED:
        steps: list[Step] = []
        _run_watched(given, model, schedule, steps)
        fired.update(step.rule for step in steps)
    return frozenset(fired | {"PROC", "PROP"} if fired else fired)


def _run_watched(given: Input, model: Model, schedule: Schedule, steps: list[Step]) -> Execution:
    return execute(
        given.program,
        given.arriving,
        model=model,
        schedule=schedule,
        predicates=given.predicates,
        recorder=steps.append,
    )


def measured_rules(case: Fixture) -> tuple[str, ...]:
    """What the metadata of a case must say: the rules that fire in `sound`, in the order of the registry."""
    if case.expected.rejected is not None:
        return ()
    fired = rules_fired(read_input(case))
    return tuple(info.id for info in all_rules() if info.id in fired)


def traits(case: Fixture) -> frozenset[str]:
    """The profiles that a case has reason to be in."""
    if case.expected.rejected is not None:
        return frozenset({"rejects"})
    given = read_input(case)
    found = set()
    for rule in given.program.rules:
        found |= {"negation"} if any(pattern.negated for pattern in rule.patterns) else set()
        found |= {"emission"} if rule.emissions else set()
        parts = [condition for pattern in rule.patterns for condition in pattern.conditions]
        parts += [item.value for emission in rule.emissions for item in emission.assignments]
        found |= {"functions"} if any(map(_calls_function, parts)) else set()
    events = [item for item in given.items if isinstance(item, Event)]
    found |= {"multi-source"} if len({event.source for event in events}) > 1 else set()
    latest: dict[tuple[str, str], int] = {}
    for event in events:
        pair = (event.source, event.template)
        found |= {"out-of-order"} if event.timestamp < latest.get(pair, event.timestamp) else set()
        latest[pair] = max(event.timestamp, latest.get(pair, event.timestamp))
    return frozenset(found or {"core"})


def _calls_function(expression: core.Expression) -> bool:
    match expression:
        case core.FunctionCall():
            return True
        case core.ToFloat(operand) | core.Negation(operand):
            return _calls_function(operand)
        case core.Arithmetic(_, left, right) | core.Comparison(_, left, right):
            return _calls_function(left) or _calls_function(right)
        case core.PredicateCall(_, parts) | core.ListExpression(parts):
            return any(map(_calls_function, parts))
        case _:
            return False
