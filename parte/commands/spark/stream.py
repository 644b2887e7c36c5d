"""`parte spark stream`: a program on a live stream."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.commands.spark.options import (
    ConfOption,
    CoresOption,
    MemoryOption,
    interruptible,
    pairs,
    spark_session,
)
from parte.inputs import domain_from, explained, program_from, writing
from parte.interruptions import INTERRUPTED
from parte.options import (
    DomainOption,
    IncludeOption,
    ProgramArgument,
    disorder_of,
    wrong,
)
from parte.rejecting import check_written
from parte.semantics.events.duration import parse_short_duration
from parte.semantics.events.files import refuse_link, replacing, through_no_link, write_all
from parte.semantics.events.locks import held
from parte.semantics.source.packages import importing
from parte.spark_adapter.errors import Unusable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from parte.checker.environment.deployment import Deployment
    from parte.semantics.partelang.syntax import core
    from parte.spark_adapter.stream.progress import BatchMetrics

_PARTITIONS = "spark.sql.shuffle.partitions"


def stream(
    program: ProgramArgument,
    source: Annotated[
        str,
        typer.Argument(metavar="SOURCE", help="A directory that files of events come into; for kafka, the servers."),
    ],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Where the matches go, as Parquet.")],
    checkpoint: Annotated[
        str, typer.Option("--checkpoint", metavar="DIR", help="What a restart needs; one for each program and output.")
    ],
    format: Annotated[str, typer.Option("--format", metavar="json|parquet|kafka", help="What SOURCE is.")] = "json",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="An option of Spark's source; may be repeated."),
    ] = None,
    domain: DomainOption = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="queries|machine",
            help="By what matches are found: queries over the events of many keys, or the sound machine for each key. "
            "Queries, unless there is a deployment.",
        ),
    ] = None,
    deployment: Annotated[
        str | None,
        typer.Option(
            "--deployment", metavar="FILE", help="Sources and their rates, as TOML: bounds the state of a key."
        ),
    ] = None,
    disorder: Annotated[
        str | None,
        typer.Option(
            "--disorder",
            metavar="DURATION",
            help="How far an event may lag behind the latest of the whole stream: '5 minutes', '250 ms'.",
        ),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="DURATION", help="How often a batch: '10 seconds'; else one after the other."),
    ] = None,
    files: Annotated[
        int | None, typer.Option("--files", min=1, metavar="N", help="The most files of one batch.")
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Read what is there, in as many batches as needed, and stop.")
    ] = False,
    end: Annotated[
        bool, typer.Option("--end", help="Then end the stream, so that open windows close; implies --once.")
    ] = False,
    metrics: Annotated[
        str | None, typer.Option("--metrics", metavar="FILE", help="Append the metrics of each batch, as JSON Lines.")
    ] = None,
    cores: CoresOption = None,
    memory: MemoryOption = None,
    conf: ConfOption = None,
    include: IncludeOption = None,
    rejected: Annotated[
        str | None,
        typer.Option(
            "--rejected",
            metavar="FILE",
            help="When it stops, write the unusable lines of the whole output to a file: text and reason.",
        ),
    ] = None,
) -> None:
    """Run a program on a live stream, exactly once: run again after a crash, it goes on where it was.

    An event may lag by --disorder behind the latest of the whole stream. Late events and unusable lines are written
    beside the matches (kind `late` and `rejected`) and counted. Ctrl-C stops it; the batch at hand is done again later.
    Exit codes: 0; 2 if an input cannot be used; 3 if a key came to hold more than the deployment allows; 130 if --once
    or --end was interrupted, and the stream has not been ended.
    """
    lag, period = disorder_of(disorder), _period(every)
    options = pairs("--option", option)
    if files is not None:
        options["maxFilesPerTrigger"] = str(files)
    if format != "kafka":
        _apart(source, out, checkpoint)
    if rejected is not None:
        check_written({"--rejected": rejected}, [program])
        with writing(rejected):
            refuse_link(rejected)
    read = program_from(program, include)
    relations = domain_from(read, domain)
    deployed = _deployment_from(read, deployment)
    with _explained():
        from parte.spark_adapter.stream.damage import explained as explained_failure
        from parte.spark_adapter.stream.detection import SETTINGS, check_engine
        from parte.spark_adapter.stream.job import job_of
        from parte.spark_adapter.stream.places import join
        from parte.spark_adapter.stream.query import Stream, results
        from parte.spark_adapter.stream.sources import lines_of

        job = job_of(read, relations, deployed)
        by = check_engine({"": job}, engine)
    for line in job.notes():
        terminal.report(line)
    for line in job.warnings():
        terminal.note(line)
    # Each partition has a store of its own, and Spark's 200 are for clusters. A checkpoint keeps the first number.
    settings = {**SETTINGS, _PARTITIONS: str(cores or os.cpu_count() or 1)}
    configuration = [f"{key}={value}" for key, value in settings.items()] + (conf or [])
    with ExitStack() as stack:
        with terminal.refusing(OSError):
            for directory in dict.fromkeys((out, checkpoint)):
                stack.enter_context(held(directory))
        file = stack.enter_context(_opened(metrics))
        spark = stack.enter_context(spark_session(cores, memory, configuration, own_progress=True))
        stack.enter_context(_explained())
        query = Stream(lines_of(spark, source, format, options), {"": job}, out, checkpoint, lag, by)
        totals = _Totals("bucket" if by == "queries" else "key")
        finite = once or end
        why = partial(explained_failure, spark, query=join(checkpoint, "spark"))
        whole = _follow(query.start(once=finite, every=None if finite else period), totals, file, why)
        if end and whole:
            whole = _follow(query.end(), totals, file, why)
        if rejected is not None:
            _write_rejected(results(spark, out), rejected)
    terminal.report(totals.line())
    if finite and not whole:
        terminal.note("interrupted: the same command goes on where it was")
        raise typer.Exit(INTERRUPTED)


def _write_rejected(rejected_rows: DataFrame, path: str) -> None:
    """Write the rejected lines of a stream: the text of each, because a stream has no numbers of lines."""
    with writing(path), replacing(path) as file:
        for row in rejected_rows.where("kind = 'rejected'").select("record").orderBy("record").toLocalIterator():
            record = json.loads(row["record"])
            line = json.dumps({"text": record["line"], "reason": record["problem"]}, ensure_ascii=False)
            write_all(file, terminal.writable(f"{line}\n").encode())


def _apart(source: str, out: str, checkpoint: str) -> None:
    """Reject a stream that reads its own output or notes."""
    if "://" in source:
        return
    above = Path(source).absolute()
    for option, directory in (("--out", out), ("--checkpoint", checkpoint)):
        if "://" not in directory and Path(directory).absolute().is_relative_to(above):
            raise wrong(option, f"{directory} lies in SOURCE, {source}, and would be read as events: name another")


def _period(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        milliseconds = parse_short_duration(text)
    except ValueError as error:
        raise wrong("--every", str(error)) from None
    if milliseconds < 0:
        raise wrong("--every", f"a time between batches is not negative, found {text!r}")
    return f"{milliseconds} milliseconds"


def _deployment_from(program: core.Program, path: str | None) -> Deployment | None:
    if path is None:
        return None
    from parte.checker.environment.deployment import load_deployment
    from parte.checker.partelang.deployment import fit

    with explained(path):
        deployment = load_deployment(path)
        fit(deployment, program, filename=path)
    return deployment


@contextmanager
def _opened(path: str | None) -> Iterator[IO[str] | None]:
    if path is None:
        yield None
        return
    with writing(path):
        refuse_link(path)
        file = open(path, "a", encoding="utf-8", opener=through_no_link)  # noqa: SIM115 - what is written to it later has its own reasons to fail
    with file:
        yield file


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what is wrong with the input into words on standard error and exit code 2."""
    with importing("spark"), terminal.refusing(Unusable):
        yield


# --- While it runs ---------------------------------------------------------------------------------------------------


class _Totals:
    """The counts of what a run has read and written."""

    def __init__(self, holder: str) -> None:
        self.holder = holder
        self.batches = self.rows = self.matches = self.failures = self.suppressed = self.late = self.rejected = 0
        self.entries = 0

    def add(self, batch: BatchMetrics) -> None:
        self.batches += 1
        self.rows += batch.rows
        self.matches += batch.matches
        self.failures += batch.failures
        self.suppressed += batch.suppressed
        self.late += batch.late
        self.rejected += batch.rejected
        self.entries = max(self.entries, batch.entries)

    def line(self) -> str:
        suppressed = f"{self.suppressed:,} suppressed events, " if self.suppressed else ""
        return (
            f"{self.rows:,} lines in {self.batches:,} batches: {self.matches:,} matches, {self.failures:,} emissions "
            f"without a value, {suppressed}{self.late:,} late events, {self.rejected:,} lines rejected; a "
            f"{self.holder} held at most {self.entries:,} {'entries' if self.holder == 'key' else 'events'}"
        )


def _follow(query: StreamingQuery, totals: _Totals, file: IO[str] | None, why: Callable[[BaseException], str]) -> bool:
    """Wait for the end of a query, and report each batch. Return False if an interrupt stopped it, even within a batch.

    `why` says why it failed, if it did.
    """
    from pyspark.errors import StreamingQueryException

    from parte.spark_adapter.stream.progress import batches_of

    with interruptible(query.stop) as stopping:
        try:
            for batch in batches_of(query):
                totals.add(batch)
                if file is not None:
                    file.write(batch.to_json() + "\n")
                    file.flush()
                if batch.late or batch.rejected:
                    terminal.note(f"batch {batch.batch}: {batch.late:,} late events, {batch.rejected:,} lines rejected")
        except StreamingQueryException as problem:
            if not stopping.is_set():
                terminal.error(why(problem))
                raise typer.Exit(terminal.BLOCKED if "BoundExceeded" in str(problem) else terminal.UNUSABLE) from None
    return not stopping.is_set()
