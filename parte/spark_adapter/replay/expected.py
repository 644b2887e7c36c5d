"""Comparison of models with the expectation of a case of the suite, judged like an engine in `parte conform`."""

from __future__ import annotations

import json
import time

from parte.conformance.fixtures import Fixture
from parte.conformance.partelang.comparison import Trial, schedules_from
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import Judgement, Prepared, judge_case, prepare
from parte.conformance.runner.sessions import LocalSession
from parte.languages.partelang import PARTELANG
from parte.semantics.partelang.repairs import MODELS
from parte.spark_adapter.replay.models import since
from parte.spark_adapter.replay.plan import EVALUATORS, EXPECTED, Plan
from parte.spark_adapter.replay.result import SHOWN, Progress, Run, RunVerdict

_NO_LIMIT = float("inf")


def judge_models(fixture: Fixture, plan: Plan, progress: Progress) -> None:
    """Compare every model of the plan with the case: matches, rejections, warnings, emissions without a value.

    A machine that blocks counts as an error here, like an engine that blocks.
    """
    expected = fixture.expected
    if plan.keep_matches and expected.rejected is None:
        progress.matches = tuple(map(_text, expected.matches))
    progress.runs.append(Run(EXPECTED, RunVerdict.REFERENCE, len(expected.matches), 0.0))
    case = prepare(fixture, PARTELANG)
    for model in dict.fromkeys(plan.models):
        progress.runs.append(_judged(model, case, plan, progress))


def _judged(model: str, case: Prepared, plan: Plan, progress: Progress) -> Run:
    start = time.perf_counter()
    engines = (
        [(ReferenceEngine(model), None)]
        if model in EVALUATORS
        else [
            (ReferenceEngine(MODELS[model], schedule), trial)
            for schedule, trial in schedules_from(plan.schedules, plan.seed)
        ]
    )
    for tried, (engine, trial) in enumerate(engines, 1):
        progress.doing = f"running {model}" + (f" under the schedule {trial}" if trial else "")
        judgement = judge_case(LocalSession(engine), case, _NO_LIMIT)
        if judgement.verdict is not CaseVerdict.PASS:
            return _differing(model, judgement, since(start), tried if trial else 0, trial)
    return Run(model, RunVerdict.AGREE, len(case.fixture.expected.matches), since(start), tried if trial else 0)


def _differing(model: str, judgement: Judgement, milliseconds: float, tried: int, trial: Trial | None) -> Run:
    return Run(
        model,
        RunVerdict.DIFFER if judgement.verdict is CaseVerdict.FAIL else RunVerdict.ERROR,
        0,
        milliseconds,
        tried,
        None if trial is None else trial.schedule,
        None if trial is None else trial.seed,
        tuple(map(_text, judgement.missing[:SHOWN])),
        len(judgement.missing),
        tuple(map(_text, judgement.spurious[:SHOWN])),
        len(judgement.spurious),
        judgement.message or None,
    )


def _text(match: object) -> str:
    return json.dumps(match, ensure_ascii=False, separators=(",", ":"))
