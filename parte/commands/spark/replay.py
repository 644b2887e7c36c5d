"""`parte spark replay`, `convert` and `generate`: many traces in parallel, and where they come from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from parte import terminal
from parte.commands.spark.options import (
    ConfOption,
    CoresOption,
    MemoryOption,
    interruptible,
    spark_session,
)
from parte.conformance.fixtures import FixtureError
from parte.conformance.kit import KIT
from parte.conformance.suites import load_suite
from parte.interruptions import INTERRUPTED
from parte.languages.partelang import PARTELANG
from parte.options import check_new, finite, wrong
from parte.semantics.events.files import UnusableFile, check_room, refuse_links
from parte.semantics.source.packages import importing
from parte.spark_adapter.errors import Unusable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from parte.spark_adapter.replay.job import Job
    from parte.spark_adapter.replay.summary import ModelSummary, Summary

_DEFAULT_BUDGET, _DEFAULT_MEMORY = 30.0, 1024

SeedOption = Annotated[int, typer.Option("--seed", help="What random traces and seeded schedules are drawn from.")]


def replay(
    edition: Annotated[
        str | None, typer.Argument(metavar="[IN]", help="A directory with the table traces; see `parte spark convert`.")
    ] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Where the results go, or already are in part.")
    ] = "",
    random: Annotated[
        int | None, typer.Option("--random", min=1, metavar="N", help="Instead of IN: so many random traces.")
    ] = None,
    models: Annotated[
        str, typer.Option("--models", metavar="NAME,…", help="algebra, indexed, proved, sound, published, rudimentary.")
    ] = "sound",
    against: Annotated[
        str,
        typer.Option(
            "--against", metavar="NAME", help="What they are compared with: a model, or expected (of a case)."
        ),
    ] = "algebra",
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="NAME,…",
            help="The models that must agree. [default: all but published and rudimentary, if there are others]",
        ),
    ] = None,
    schedules: Annotated[
        int, typer.Option("--schedules", min=0, metavar="K", help="How many seeded schedules to try after round-robin.")
    ] = 0,
    seed: SeedOption = 0,
    budget: Annotated[
        float,
        typer.Option(
            "--budget", min=0, callback=finite, metavar="SECONDS", help="How long one trace may take; 0: no limit."
        ),
    ] = _DEFAULT_BUDGET,
    trace_memory: Annotated[
        int, typer.Option("--trace-memory", min=0, metavar="MIB", help="How much memory one may add; 0: no limit.")
    ] = _DEFAULT_MEMORY,
    slice_size: Annotated[
        int | None, typer.Option("--slice", min=1, metavar="N", help="How many traces are committed together.")
    ] = None,
    matches: Annotated[bool, typer.Option("--matches/--no-matches", help="Keep the matches in the results.")] = True,
    cores: CoresOption = None,
    memory: MemoryOption = None,
    conf: ConfOption = None,
) -> None:
    """Run many traces through models, and compare what they find. Run again after a kill, it goes on where it was.

    Exit codes: 0 if the judged models agree on every trace that can be run; 1 if on some they differ, block, crash or
    are cut by the budget; 2 if an input cannot be used; 130 if it was interrupted. A trace that is rejected counts as
    neither.
    """
    if not out:
        raise wrong("--out", "name the directory for the results")
    if (edition is None) == (random is None):
        raise typer.BadParameter("give either IN or --random N")
    with _explained():
        from parte.spark_adapter.replay.job import EditionInput, Job, RandomInput
        from parte.spark_adapter.replay.plan import Plan
        from parte.spark_adapter.traces.random import Recipe

        plan = Plan(
            _names(models), against, _names(judge or ""), schedules, seed, budget, trace_memory, keep_matches=matches
        )
        source = EditionInput(edition) if edition is not None else RandomInput(random or 0, Recipe(seed))
        job = Job(source, out, plan, slice_size)
        refuse_links(out)
        if "://" not in out:  # else it is on a file system that Spark knows
            check_room(out)
    with spark_session(cores, memory, conf, own_progress=True) as spark, _explained():
        from parte.spark_adapter.replay.summary import summarize

        results = _run(spark, job)
        summary = summarize(results)
    _show(summary)
    if summary.bad:
        raise typer.Exit(terminal.DIFFERENT)


def _run(spark: SparkSession, job: Job) -> DataFrame:
    """Do what is left of the job; an interrupt ends the slice at hand, which will be computed again."""
    from parte.spark_adapter.replay.job import run_job

    with _progress(job) as bar, interruptible(spark.sparkContext.cancelAllJobs) as stopping:

        def watch(done: int, slices: int) -> None:
            bar(done, slices)
            if stopping.is_set() and done < slices:
                raise InterruptedError

        try:
            return run_job(spark, job, watch)
        except Exception:  # a job of Spark that was cancelled has no exception of its own
            if not stopping.is_set():
                raise
    terminal.note("interrupted: the same command goes on where it was")
    raise typer.Exit(INTERRUPTED)


def convert(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[IN]", help="A suite, or an edition to turn back. [default: the suite of this project]"
        ),
    ] = None,
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="A directory that is empty or does not exist.")] = "",
    trace: Annotated[
        list[str] | None, typer.Option("--trace", metavar="ID", help="Only this trace; may be repeated.")
    ] = None,
) -> None:
    """Turn a conformance suite into an edition in Parquet, or an edition into files.

    Cases of a suite become fixtures again; any other trace becomes ID.parte and ID.jsonl, ready for `parte compare`.
    Exit codes: 0; 2 if an input cannot be used.
    """
    if not out:
        raise wrong("--out", "name the directory to write")
    with _explained():
        from parte.spark_adapter.traces.files import is_edition, write_edition, write_fixtures

        location = PARTELANG[KIT].suite if source is None else Path(source)
        if is_edition(location):
            count = write_fixtures(Path(out), location, trace or ())
        else:
            suite = load_suite(PARTELANG, location)
            chosen = [case for name, case in suite.cases.items() if not trace or name in trace]
            if trace and len(chosen) < len(set(trace)):
                raise wrong("--trace", "the suite has no such case; `parte suite list` shows them")
            count = write_edition(Path(out), chosen, suite.version)
    terminal.write(f"{count} trace{'' if count == 1 else 's'}\n")


def generate(
    count: Annotated[int, typer.Argument(metavar="N", min=1, help="How many traces.")],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="A directory that does not exist.")] = "",
    first: Annotated[int, typer.Option("--first", min=0, metavar="K", help="The number of the first.")] = 0,
    seed: SeedOption = 0,
    cores: CoresOption = None,
    memory: MemoryOption = None,
    conf: ConfOption = None,
) -> None:
    """Write the random traces that `parte spark replay --random` runs: number K is called random-SEED-K.

    Exit codes: 0; 2 if the directory cannot be written.
    """
    if not out:
        raise wrong("--out", "name the directory to write")
    check_new("--out", out)
    with spark_session(cores, memory, conf) as spark, _explained():
        from parte.spark_adapter.replay.frames import random_traces
        from parte.spark_adapter.traces.random import Recipe

        random_traces(spark, count, first=first, recipe=Recipe(seed)).write.parquet(f"{out}/traces")
    terminal.write(f"{count} trace{'' if count == 1 else 's'}\n")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what is wrong with the input into words on standard error and exit code 2."""
    try:
        with importing("spark"), terminal.refusing(FixtureError, Unusable):
            yield
    except ConnectionError:
        raise  # Java has gone, which `spark_session` explains
    except OSError as problem:
        # Python's own words begin with a number.
        named = isinstance(problem.filename, str) and not isinstance(problem, UnusableFile)
        message = f"cannot use {problem.filename}: {problem.strerror}" if named else str(problem)
        raise terminal.unusable(message) from None


# --- What is shown ---------------------------------------------------------------------------------------------------


class _Bar:
    """A progress bar over slices; it begins with those that an earlier run has done."""

    def __init__(self, progress: Progress, out: str) -> None:
        self._progress = progress
        self._task = progress.add_task(f"replay to {out}", total=None)

    def __call__(self, done: int, slices: int) -> None:
        self._progress.update(self._task, completed=done, total=slices)


@contextmanager
def _progress(job: Job) -> Iterator[_Bar]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("slices"))
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=terminal.errors_console()) as progress:
        yield _Bar(progress, job.directory)


def _show(summary: Summary) -> None:
    from parte.spark_adapter.replay.result import RunVerdict

    console = terminal.output_console()
    verdicts = [
        verdict.value for verdict in RunVerdict if any(verdict.value in model.verdicts for model in summary.models)
    ]
    numbers = [Column(name, justify="right") for name in (*verdicts, "ms a trace")]
    table = terminal.table(Column("model", style="cyan"), *numbers)
    for model in summary.models:
        table.add_row(model.model, *(_count(model, name) for name in verdicts), _milliseconds(model.milliseconds))
    console.print(table)
    for (verdict, cause), count in sorted(summary.kinds.items(), key=str):
        console.print(f"{count:,} {verdict}" + (f" ({cause})" if cause else ""), markup=False)
    console.print(f"{summary.traces:,} traces", markup=False)
    for name, message in summary.examples:
        terminal.report(f"{name}: {message}")
    if summary.bad > len(summary.examples):
        terminal.report(f"and {summary.bad - len(summary.examples):,} more; the results name them all")


def _count(model: ModelSummary, verdict: str) -> Text:
    count = model.verdicts.get(verdict, 0)
    return Text(f"{count:,}" if count else "")


def _milliseconds(amount: float) -> str:
    return "" if math.isnan(amount) else f"{amount:,.2f}"
