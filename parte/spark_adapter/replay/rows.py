"""One row a trace: the columns of a result, and how a trace becomes such a row whatever is wrong with it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from parte.semantics.events.problems import InputError
from parte.semantics.source.diagnostics import ProgramError, Severity
from parte.spark_adapter.replay.budget import OverBudget, Unbudgeted, within
from parte.spark_adapter.replay.models import since
from parte.spark_adapter.replay.plan import Plan
from parte.spark_adapter.replay.result import Progress, Run, RunVerdict
from parte.spark_adapter.traces.format import BadRow

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
RUN = pa.struct(
    [
        ("model", _TEXT),
        ("verdict", _TEXT),
        ("matches", pa.int64()),
        ("milliseconds", pa.float64()),
        ("schedules", pa.int64()),
        ("schedule", _TEXT),
        ("seed", pa.int64()),
        ("missing", _TEXTS),
        ("missing_count", pa.int64()),
        ("spurious", _TEXTS),
        ("spurious_count", pa.int64()),
        ("message", _TEXT),
    ]
)
RESULTS = pa.schema(
    [
        ("trace_id", _TEXT),
        ("verdict", _TEXT),
        ("cause", _TEXT),
        ("message", _TEXT),
        ("matches", _TEXTS),
        ("runs", pa.list_(RUN)),
        ("milliseconds", pa.float64()),
    ]
)
"""The verdict on a trace, and for an error its cause: `rejected` (the input cannot be used), `time` or `memory` (the
budget), `crash` (anything else). `matches` are those of the reference, in canonical order. The first of `runs` is the
reference; further fields are those of `replay_result.Run`."""

REJECTED, TIME, MEMORY, CRASH = "rejected", "time", "memory", "crash"
MOST_MESSAGE = 2000
_SHOWN_DIAGNOSTICS = 3

Work = Callable[[Progress], None]


def row_of(trace_id: str | None, plan: Plan, work: Work) -> Mapping[str, Any]:
    """Do the work for a trace within its budget, and tell what came of it. Nothing that goes wrong is raised."""
    progress, start = Progress(), time.perf_counter()
    cause, message = _outcome(plan, progress, work)
    if cause == MEMORY:
        gc.collect()
    verdict, said = _verdict(progress.runs, plan) if cause is None else (RunVerdict.ERROR, message)
    return {
        "trace_id": None if trace_id is None else writable(trace_id),
        "verdict": verdict.value,
        "cause": CRASH if cause is None and verdict is RunVerdict.ERROR else cause,
        "message": None if said is None else shortened(said),
        "matches": progress.matches,
        "runs": [_run_row(run) for run in progress.runs],
        "milliseconds": since(start),
    }


def _outcome(plan: Plan, progress: Progress, work: Work) -> tuple[str | None, str | None]:
    """What stopped the work, and in which words; nothing if it came to its end."""
    try:
        within(plan.seconds, plan.mebibytes, lambda: work(progress))
    except OverBudget:
        return TIME, f"cut after {plan.seconds:g} s while {progress.doing}; a larger budget may do"
    except MemoryError as error:
        return MEMORY, f"{str(error) or f'it needs more than {plan.mebibytes} MiB'}, while {progress.doing}"
    except ProgramError as error:
        return REJECTED, _diagnostics(error)
    except (InputError, BadRow) as error:
        return REJECTED, str(error)
    except Unbudgeted:
        raise  # no trace can be run here, which is no property of this one
    except Exception as error:  # a broken trace is a row, never a failed job
        return CRASH, f"{type(error).__name__}: {error}, while {progress.doing}"
    return None, None


def _verdict(runs: list[Run], plan: Plan) -> tuple[RunVerdict, str | None]:
    """The worst verdict on the models that count, and the words for the first run that has it."""
    order = tuple(RunVerdict)
    counted = [run for run in runs if run.model in plan.counted or run.model == plan.against]
    worst = max(counted, key=lambda run: order.index(run.verdict))  # the first of equals
    if worst.verdict in (RunVerdict.REFERENCE, RunVerdict.AGREE):
        return RunVerdict.AGREE, None
    return worst.verdict, _told(worst, plan)


def _told(run: Run, plan: Plan) -> str:
    under = f" under the schedule {run.schedule}" if run.schedule else ""
    under += "" if run.seed is None else f" with seed {run.seed}"
    parts = [f"{count} {kind}" for kind, count in _counts(run) if count]
    text = f"{run.model}{under}" + (f": {' and '.join(parts)}, compared with {plan.against}" if parts else "")
    return text if run.message is None else f"{text}: {run.message}"


def _counts(run: Run) -> tuple[tuple[str, int], ...]:
    return ("missing", run.missing_count), ("spurious", run.spurious_count)


def _run_row(run: Run) -> Mapping[str, Any]:
    message = None if run.message is None else shortened(run.message)
    row: dict[str, Any] = {field.name: getattr(run, field.name) for field in RUN}
    return row | {"verdict": run.verdict.value, "message": message}


def _diagnostics(error: ProgramError) -> str:
    errors = [each for each in error.diagnostics if each.severity is Severity.ERROR]
    told = [
        f"{each.code} at {each.span.start.line}:{each.span.start.column}: {each.message}"
        for each in (*errors[:_SHOWN_DIAGNOSTICS], *errors[_SHOWN_DIAGNOSTICS:][-1:])
    ]
    left = len(errors) - len(told)
    return "\n".join([*told[:-1], f"and {left} more; the last of all is", told[-1]] if left > 0 else told)


def shortened(text: str) -> str:
    """The text as a column can hold it, and no longer than `MOST_MESSAGE`; a cut says how long it was."""
    text = writable(text)
    return text if len(text) <= MOST_MESSAGE else f"{text[:MOST_MESSAGE]}… ({len(text):,} characters)"


def writable(text: str) -> str:
    """The text with what UTF-8 cannot write as escapes."""
    return text.encode(errors="backslashreplace").decode()
