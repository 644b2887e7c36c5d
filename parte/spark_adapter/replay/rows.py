"""One row a trace: the columns of a result, and the conversion of a trace to such a row in spite of any error."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from parte.proofs.partelang.evaluator.words import NotAdmitted
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
"""The verdict on a trace, and for an error its cause: `rejected` (the input is invalid), `time` or `memory` (the
budget), `crash` (anything else). `matches` are those of the reference, in canonical order. The first of `runs` is the
reference; further fields are those of `replay_result.Run`."""

REJECTED, TIME, MEMORY, CRASH = "rejected", "time", "memory", "crash"
MOST_MESSAGE = 2000
_SHOWN_DIAGNOSTICS = 3

Work = Callable[[Progress], None]


def row_of(trace_id: str | None, plan: Plan, work: Work) -> Mapping[str, Any]:
    """Do the work for a trace within its budget, and return its row. No exception is raised."""
    progress, start = Progress(), time.perf_counter()
    cause, message = _outcome(plan, progress, work)
    if cause == MEMORY:
        gc.collect()
    verdict, text = _verdict(progress.runs, plan) if cause is None else (RunVerdict.ERROR, message)
    return {
        "trace_id": None if trace_id is None else writable(trace_id),
        "verdict": verdict.value,
        "cause": CRASH if cause is None and verdict is RunVerdict.ERROR else cause,
        "message": None if text is None else shortened(text),
        "matches": progress.matches,
        "runs": [_run_row(run) for run in progress.runs],
        "milliseconds": since(start),
    }


def _outcome(plan: Plan, progress: Progress, work: Work) -> tuple[str | None, str | None]:
    """Return the cause and the message of an interruption; None for both if the work was completed."""
    try:
        within(plan.seconds, plan.mebibytes, lambda: work(progress))
    except OverBudget:
        return TIME, f"cut after {plan.seconds:g} s while {progress.doing}; a larger budget may do"
    except MemoryError as error:
        return MEMORY, f"{str(error) or f'it needs more than {plan.mebibytes} MiB'}, while {progress.doing}"
    except ProgramError as error:
        return REJECTED, _diagnostics(error)
    except NotAdmitted as error:
        return REJECTED, f"the model proved does not run this program: {error}"
    except (InputError, BadRow) as error:
        return REJECTED, str(error)
    except Unbudgeted:
        raise  # no trace can be run here, so it is not an error of this one
    except Exception as error:  # an invalid trace gives a row, never a failed job
        return CRASH, f"{type(error).__name__}: {error}, while {progress.doing}"
    return None, None


def _verdict(runs: list[Run], plan: Plan) -> tuple[RunVerdict, str | None]:
    """Return the worst verdict on the models that count, and a message for the first run that has it."""
    order = tuple(RunVerdict)
    counted = [run for run in runs if run.model in plan.counted or run.model == plan.against]
    worst = max(counted, key=lambda run: order.index(run.verdict))  # the first of equals
    if worst.verdict in (RunVerdict.REFERENCE, RunVerdict.AGREE):
        return RunVerdict.AGREE, None
    return worst.verdict, _run_text(worst, plan)


def _run_text(run: Run, plan: Plan) -> str:
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
    errors = [diagnostic for diagnostic in error.diagnostics if diagnostic.severity is Severity.ERROR]
    lines = [
        f"{diagnostic.code} at {diagnostic.span.start.line}:{diagnostic.span.start.column}: {diagnostic.message}"
        for diagnostic in (*errors[:_SHOWN_DIAGNOSTICS], *errors[_SHOWN_DIAGNOSTICS:][-1:])
    ]
    left = len(errors) - len(lines)
    return "\n".join([*lines[:-1], f"and {left} more; the last of all is", lines[-1]] if left > 0 else lines)


def shortened(text: str) -> str:
    """Return the text for a column, cut to `MOST_MESSAGE`; after a cut the length of the text follows."""
    text = writable(text)
    return text if len(text) <= MOST_MESSAGE else f"{text[:MOST_MESSAGE]}… ({len(text):,} characters)"


def writable(text: str) -> str:
    """Return the text with escapes for characters that UTF-8 cannot encode."""
    return text.encode(errors="backslashreplace").decode()
