"""Measurements of cases of PARTElang: the inference rules that fire, under which schedules, and the fitting
profiles."""

from __future__ import annotations

from collections.abc import Iterator

from parte.conformance.fixtures import Fixture
from parte.conformance.partelang.engines.reading import read_program
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.kit import LEVEL_2
from parte.conformance.protocol import Engine, Load
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.machine import Step
from parte.semantics.partelang.repairs import MODELS, SOUND
from parte.semantics.partelang.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.codes import CODES
from parte.semantics.partelang.syntax.lexis import LEXIS
from parte.semantics.partelang.syntax.parser import level_of
from parte.semantics.rulebook.running import UnsupportedRun
from parte.semantics.source.diagnostics import ProgramError
from parte.semantics.source.parts import reading

WATCHED: tuple[Schedule, ...] = (RoundRobin(), Adversarial(0), SeededRandom(0))
"""The schedules under which the firing rules are measured."""

CONFIRMING: tuple[Schedule, ...] = (
    RoundRobin(),
    *(SeededRandom(seed) for seed in range(6)),
    *(Adversarial(seed) for seed in range(6)),
)
"""The schedules under which `sound` must confirm a case before it is admitted."""

CONFIRMING_AGAIN = CONFIRMING[:3] + CONFIRMING[-2:]
"""Fewer of them, for checking cases that were admitted."""


def read_input(case: Fixture) -> Scenario[core.Program]:
    """Return the input of a case. ProgramError, DomainError or TraceError if it is to be rejected."""
    loaded = read_program(Load(case.text, None, case.domain, {"disorder": case.disorder}))
    return loaded.scenario(case.trace)


def confirming(again: bool) -> Iterator[tuple[str, Engine]]:
    """Yield `sound` under the schedules under which it must confirm a case: all of them, or fewer."""
    for schedule in CONFIRMING_AGAIN if again else CONFIRMING:
        yield f"under the schedule {schedule}", ReferenceEngine(SOUND, schedule)


def rules_fired(case: Fixture, model: str = SOUND.name) -> frozenset[str]:
    """Return the ids of the inference rules that fire when a model runs a case under the watched schedules.

    They are none if the model cannot run it.
    """
    fired: set[str] = set()
    scenario = read_input(case)
    for schedule in WATCHED:
        steps: list[Step] = []
        try:
            execute(scenario, model=MODELS[model], schedule=schedule, recorder=steps.append)
        except UnsupportedRun:
            return frozenset()
        fired.update(step.rule for step in steps)
    return frozenset(fired | {"PARTE/PROC", "PARTE/PROP"} if fired else fired)


def extensions(case: Fixture) -> tuple[str, ...]:
    """Return the level of the language that a case needs, if it is not the first."""
    rejected = case.expected.rejected
    try:
        with reading(case.text, LEXIS, CODES) as (scanned, _):
            level = level_of(scanned.tokens)
    except ProgramError:  # a text that is too large to be read
        level = 1
    needs_level = rejected is not None and rejected.code == "needs-level-2"
    return (LEVEL_2,) if level > 1 or needs_level else ()


def constructs(case: Fixture) -> set[str]:
    """Return the profiles that fit a case, except `core` and extensions."""
    scenario = read_input(case)
    profiles: set[str] = set()
    for rule in scenario.program.rules:
        profiles |= {"negation"} if any(pattern.negated for pattern in rule.patterns) else set()
        profiles |= {"emission"} if rule.emissions else set()
        parts = [condition for pattern in rule.patterns for condition in pattern.conditions]
        parts += rule.having
        parts += [item.value for emission in rule.emissions for item in emission.assignments]
        expressions = (part for whole in parts for part in core.EXPRESSIONS.within(whole))
        profiles |= {"functions"} if any(isinstance(part, core.FunctionCall) for part in expressions) else set()
    events = scenario.events
    profiles |= {"multi-source"} if len({event.source for event in events}) > 1 else set()
    latest: dict[tuple[str, str], int] = {}
    for event in events:
        pair = (event.source, event.template)
        profiles |= {"out-of-order"} if event.timestamp < latest.get(pair, event.timestamp) else set()
        latest[pair] = max(event.timestamp, latest.get(pair, event.timestamp))
    return profiles
