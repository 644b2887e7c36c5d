"""The matches of each model for one trace, compared with those of the reference."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from parte.algebra.partelang.programs import run as evaluate
from parte.conformance.partelang.comparison import schedules_from
from parte.proofs.partelang.evaluator import evaluation as proved
from parte.semantics.events.differences import differences
from parte.semantics.events.match import Match
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.repairs import MODELS
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.replay.plan import EVALUATORS, PROVED, Plan
from parte.spark_adapter.replay.result import SHOWN, Progress, Run, RunVerdict

MOST_TEXT = 2**26
"""Characters of matches that one trace may have: a cell of a column can store several times as many."""


class TooMuch(MemoryError):
    """The matches of a trace are more text than `MOST_TEXT`."""


@dataclass(frozen=True, slots=True)
class _Found:
    lines: tuple[str, ...]
    blocked: str | None = None


def compare_models(scenario: Scenario[core.Program], plan: Plan, progress: Progress) -> None:
    """Run the models of the plan; `progress` is up to date at every moment."""
    reference, wanted = _timed_run(plan.against, scenario, plan, progress)
    progress.runs.append(reference)
    if wanted.blocked is not None:
        return
    if plan.keep_matches:
        progress.matches = wanted.lines
    for model in dict.fromkeys(plan.models):
        if model != plan.against or (model not in EVALUATORS and plan.schedules):
            progress.runs.append(_compared(model, scenario, plan, progress, wanted.lines))


def _timed_run(model: str, scenario: Scenario[core.Program], plan: Plan, progress: Progress) -> tuple[Run, _Found]:
    start = time.perf_counter()
    *_, outcome = next(_runs(model, scenario, plan, progress))
    verdict = RunVerdict.REFERENCE if outcome.blocked is None else RunVerdict.BLOCKED
    return Run(model, verdict, len(outcome.lines), since(start), message=outcome.blocked), outcome


def _compared(
    model: str, scenario: Scenario[core.Program], plan: Plan, progress: Progress, wanted: tuple[str, ...]
) -> Run:
    """Return the comparison of a model with the reference, up to its first schedule that differs."""
    start = time.perf_counter()
    tried, count = 0, 0
    for schedule, seed, outcome in _runs(model, scenario, plan, progress):
        tried, count = tried + 1, len(outcome.lines)
        missing, spurious = differences(wanted, outcome.lines, str)
        if not missing and not spurious and outcome.blocked is None:
            continue
        return Run(
            model,
            RunVerdict.DIFFER if outcome.blocked is None else RunVerdict.BLOCKED,
            count,
            since(start),
            tried,
            schedule,
            seed,
            missing[:SHOWN],
            len(missing),
            spurious[:SHOWN],
            len(spurious),
            outcome.blocked,
        )
    return Run(model, RunVerdict.AGREE, count, since(start), tried)


def _runs(
    model: str, scenario: Scenario[core.Program], plan: Plan, progress: Progress
) -> Iterator[tuple[str | None, int | None, _Found]]:
    """Yield the outcomes of a model: of an evaluator once, of a machine under one schedule after the other."""
    if model in EVALUATORS:
        progress.doing = f"running {model}"
        if model == PROVED:
            yield None, None, _Found(_lines(proved.execute(scenario).matches))
            return
        evaluator: Literal["naive", "indexed"] = "naive" if model == "algebra" else "indexed"
        outcome = evaluate(scenario.program, scenario.items, scenario.predicates, evaluator)
        yield None, None, _Found(_lines(outcome.matches))
        return
    for schedule, trial in schedules_from(plan.schedules, plan.seed):
        progress.doing = f"running {model} under the schedule {trial}"
        result = execute(scenario, model=MODELS[model], schedule=schedule)
        blocked = None if result.blocked is None else result.blocked.render()
        yield trial.schedule, trial.seed, _Found(_lines(result.matches), blocked)


def _lines(matches: Iterable[Match]) -> tuple[str, ...]:
    lines: list[str] = []
    size = 0
    for line in map(Match.to_json, matches):
        size += len(line)
        if size > MOST_TEXT:
            raise TooMuch(f"its matches are more than {MOST_TEXT:,} characters of text")
        lines.append(line)
    return tuple(lines)


def since(start: float) -> float:
    """Return the milliseconds since a value of `time.perf_counter`."""
    return (time.perf_counter() - start) * 1000
