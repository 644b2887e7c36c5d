"""`parte spark match` and `log`: all matches of a program in a huge log, and small logs to try it on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.algebra.parte.relational import Unsupported
from parte.commands.spark.options import ConfOption, CoresOption, MemoryOption, spark_session
from parte.inputs import domain_from, explained, program_from, trace_from, writing
from parte.options import DomainOption, ProgramArgument, TraceArgument, wrong
from parte.semantics.events.conformity import conform
from parte.semantics.source.packages import importing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def match(
    program: ProgramArgument,
    events: Annotated[
        str, typer.Argument(metavar="EVENTS", help="A log in Parquet, a file or a directory; see `parte spark log`.")
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Where matches, events and failures go, as Parquet.")
    ] = "",
    domain: DomainOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the SQL of each rule and Spark's plan for it, and write nothing.")
    ] = False,
    cores: CoresOption = None,
    memory: MemoryOption = None,
    conf: ConfOption = None,
) -> None:
    """Find all matches of a program in a log of any size.

    The log is checked first. Exit codes: 0; 2 if the program, the log or another input cannot be used.
    """
    if bool(out) == explain:
        raise wrong("--out", "name the directory for the results, or ask for --explain")
    read = program_from(program)
    relations = domain_from(read, domain)
    if out and Path(out).exists() and (not Path(out).is_dir() or any(Path(out).iterdir())):
        raise wrong("--out", f"{out} is there already and not an empty directory")
    unsupported = terminal.refusing(Unsupported, hint="`parte run --model indexed` runs every program")
    with spark_session(cores, memory, conf) as spark, explained(events, "events"), unsupported:
        from parte.spark_adapter.match import match as match_log
        from parte.spark_adapter.match.output import write

        log = _log(spark, events)
        with match_log(spark, read, log, relations, name=events) as found:
            for hot in found.hot:
                terminal.note(str(hot))
            if explain:
                terminal.tell(found.explain())
                return
            written = write(found, out)
    for rule, count in written.matches.items():
        terminal.write(f"{rule}: {count} match{'' if count == 1 else 'es'}\n")
    if written.failures:
        terminal.note(f"{written.failures} emissions without a value: see {out}/failures")


def log(
    program: ProgramArgument,
    trace: TraceArgument,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The Parquet file to write.")] = "",
) -> None:
    """Turn a trace in JSON Lines into a log in Parquet, with the columns that `parte spark match` expects.

    Exit codes: 0; 2 if the program or the trace cannot be used.
    """
    if not out:
        raise wrong("--out", "name the file to write")
    read = program_from(program)
    events = trace_from(trace)
    with explained(trace), writing(out):
        with importing("spark"):
            from parte.algebra.parte.relational.parquet import write_log
        write_log(read, conform(read, events), out)


def _log(spark: SparkSession, path: str) -> DataFrame:
    """The log at a path, on this machine or wherever Spark can read. OSError if Spark cannot."""
    from pyspark.errors import AnalysisException

    if "://" not in path and not Path(path).exists():
        raise FileNotFoundError(2, "No such file or directory", path)
    try:
        return spark.read.parquet(path)
    except AnalysisException as problem:
        what = f"{path}: not a log in Parquet that Spark can read: {str(problem).splitlines()[0]}"
        raise terminal.unusable(what, "`parte spark log` writes one") from None
