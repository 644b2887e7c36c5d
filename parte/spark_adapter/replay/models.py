"""One trace through the models: what each of them finds, and whether it is what the reference finds."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from parte.algebra.partelang.programs import run as evaluate
from parte.conformance.partelang.comparison import schedules_from
from parte.semantics.events.differences import differences
from parte.semantics.events.match import Match
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.execution import execute
from parte.semantics.partelang.repairs import MODELS
from parte.semantics.partelang.syntax import core
from parte.spark_adapter.replay.plan import EVALUATORS, Plan
from parte.spark_adapter.replay.result import SHOWN, Progress, Run, RunVerdict

MOST_TEXT = 2**26
"""Characters of matches that one trace may have: what a cell of a column can hold, several times over."""


class TooMuch(MemoryError):
    """The matches of a trace are more text than `MOST_TEXT`."""


@dataclass(frozen=True, slots=True)
class _Found:
    lines: tuple[str, ...]
    blocked: str | None = None


def compare_models(given: Scenario[core.Program], plan: Plan, progress: Progress) -> None:
    """Run the models of the plan; what is known stands in `progress` at every moment."""
    reference, wanted = _timed_run(plan.against, given, plan, progress)
    progress.runs.append(reference)
    if wanted.blocked is not None:
        return
    if plan.keep_matches:
        progress.matches = wanted.lines
    for model in dict.fromkeys(plan.models):
        if model != plan.against or (model not in EVALUATORS and plan.schedules):
            progress.runs.append(_compared(model, given, plan, progress, wanted.lines))


def _timed_run(model: str, given: Scenario[core.Program], plan: Plan, progress: Progress) -> tuple[Run, _Found]:
    start = time.perf_counter()
    *_, found = next(_runs(model, given, plan, progress))
    verdict = RunVerdict.REFERENCE if found.blocked is None else RunVerdict.BLOCKED
    return Run(model, verdict, len(found.lines), since(start), message=found.blocked), found


def _compared(
    model: str, given: Scenario[core.Program], plan: Plan, progress: Progress, wanted: tuple[str, ...]
) -> Run:
    """A model against the reference, up to its first schedule that differs."""
    start = time.perf_counter()
    tried, count = 0, 0
    for schedule, seed, found in _runs(model, given, plan, progress):
        tried, count = tried + 1, len(found.lines)
        missing, spurious = differences(wanted, found.lines, str)
        if not missing and not spurious and found.blocked is None:
            continue
        return Run(
            model,
            RunVerdict.DIFFER if found.blocked is None else RunVerdict.BLOCKED,
            count,
            since(start),
            tried,
            schedule,
            seed,
            missing[:SHOWN],
            len(missing),
            spurious[:SHOWN],
            len(spurious),
            found.blocked,
        )
    return Run(model, RunVerdict.AGREE, count, since(start), tried)


def _runs(
    model: str, given: Scenario[core.Program], plan: Plan, progress: Progress
) -> Iterator[tuple[str | None, int | None, _Found]]:
    """What a model finds: an evaluator once, a machine under one schedule after the other."""
    if model in EVALUATORS:
        progress.doing = f"running {model}"
        evaluator: Literal["naive", "indexed"] = "naive" if model == "algebra" else "indexed"
        outcome = evaluate(given.program, given.items, given.predicates, evaluator)
        yield None, None, _Found(_lines(outcome.matches))
        return
    for schedule, trial in schedules_from(plan.schedules, plan.seed):
        progress.doing = f"running {model} under the schedule {trial}"
        result = execute(given, model=MODELS[model], schedule=schedule)
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
    """Milliseconds since a reading of `time.perf_counter`."""
    return (time.perf_counter() - start) * 1000
