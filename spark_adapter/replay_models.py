"""One trace through the models: what each of them finds, and whether it is what the reference finds."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from algebra.programs import run as evaluate
from conformance.comparison import schedules_from
from semantics.events.event import Arrival, TraceItem
from semantics.events.match import Match
from semantics.execution import execute
from semantics.repairs import MODELS
from semantics.syntax import core
from spark_adapter.replay_plan import EVALUATORS, Plan
from spark_adapter.replay_result import SHOWN, Progress, Run, Verdict

MOST_TEXT = 2**26
"""Characters of matches that one trace may have: what a cell of a column can hold, several times over."""


class TooMuch(MemoryError):
    """The matches of a trace are more text than `MOST_TEXT`."""


@dataclass(frozen=True, slots=True)
class Input:
    """A program, checked, a trace that fits it, and the predicates of the program."""

    program: core.Program
    items: tuple[TraceItem, ...]
    arrivals: tuple[Arrival, ...]
    predicates: Mapping[str, Callable[..., bool]]


@dataclass(frozen=True, slots=True)
class _Found:
    lines: tuple[str, ...]
    blocked: str | None = None


def compare_models(given: Input, plan: Plan, progress: Progress) -> None:
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


def _timed_run(model: str, given: Input, plan: Plan, progress: Progress) -> tuple[Run, _Found]:
    start = time.perf_counter()
    *_, found = next(_runs(model, given, plan, progress))
    verdict = Verdict.REFERENCE if found.blocked is None else Verdict.BLOCKED
    return Run(model, verdict, len(found.lines), since(start), message=found.blocked), found


def _compared(model: str, given: Input, plan: Plan, progress: Progress, wanted: tuple[str, ...]) -> Run:
    """A model against the reference, up to its first schedule that differs."""
    start = time.perf_counter()
    tried, count = 0, 0
    for schedule, seed, found in _runs(model, given, plan, progress):
        tried, count = tried + 1, len(found.lines)
        if found.lines == wanted and found.blocked is None:
            continue
        before, after = Counter(wanted), Counter(found.lines)
        missing, spurious = sorted((before - after).elements()), sorted((after - before).elements())
        return Run(
            model,
            Verdict.DIFFER if found.blocked is None else Verdict.BLOCKED,
            count,
            since(start),
            tried,
            schedule,
            seed,
            tuple(missing[:SHOWN]),
            len(missing),
            tuple(spurious[:SHOWN]),
            len(spurious),
            found.blocked,
        )
    return Run(model, Verdict.AGREE, count, since(start), tried)


def _runs(model: str, given: Input, plan: Plan, progress: Progress) -> Iterator[tuple[str | None, int | None, _Found]]:
    """What a model finds: an evaluator once, a machine under one schedule after the other."""
    if model in EVALUATORS:
        progress.doing = f"running {model}"
        evaluator: Literal["naive", "indexed"] = "naive" if model == "algebra" else "indexed"
        outcome = evaluate(given.program, given.items, given.predicates, evaluator)
        yield None, None, _Found(_lines(outcome.matches))
        return
    for schedule, trial in schedules_from(plan.schedules, plan.seed):
        progress.doing = f"running {model} under the schedule {trial}"
        result = execute(
            given.program, given.arrivals, model=MODELS[model], schedule=schedule, predicates=given.predicates
        )
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
