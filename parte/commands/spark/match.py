"""`parte spark match` and `log`: all matches of a program in a huge log, and small logs to try it on."""

from __future__ import annotations

from typing import Annotated

import typer

from parte import terminal
from parte.algebra.partelang.relational import Unsupported
from parte.commands.spark.options import (
    ConfOption,
    CoresOption,
    MemoryOption,
    check_log,
    read_log,
    spark_session,
)
from parte.inputs import domain_from, explained, program_from, trace_from, writing
from parte.options import (
    DomainOption,
    IncludeOption,
    ProgramArgument,
    TraceArgument,
    check_new,
    wrong,
)
from parte.semantics.events.conformity import conform
from parte.semantics.events.types import has_optional
from parte.semantics.source.packages import importing


def match(
    program: ProgramArgument,
    events: Annotated[
        str, typer.Argument(metavar="EVENTS", help="A log in Parquet, a file or a directory; see `parte spark log`.")
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out", metavar="DIR", help="Where matches, events, failures and suppressed events go, as Parquet."
        ),
    ] = "",
    domain: DomainOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the SQL of each rule and Spark's plan for it, and write nothing.")
    ] = False,
    cores: CoresOption = None,
    memory: MemoryOption = None,
    conf: ConfOption = None,
    include: IncludeOption = None,
) -> None:
    """Find all matches of a program in a log of any size.

    The log is checked first. Exit codes: 0; 2 if the program, the log or another input cannot be used.
    """
    if bool(out) == explain:
        raise wrong("--out", "name the directory for the results, or ask for --explain")
    read = program_from(program, include)
    relations = domain_from(read, domain)
    check_new("--out", out)
    check_log(events)
    unsupported = terminal.refusing(Unsupported, hint="`parte run --model indexed` runs every program")
    with spark_session(cores, memory, conf) as spark, explained(events, "events"), unsupported:
        from parte.spark_adapter.match import match as match_log
        from parte.spark_adapter.match.output import write

        log = read_log(events, spark.read.parquet)
        with match_log(spark, read, log, relations, name=events) as found:
            for hot in (key for key in found.hot if key.told):
                terminal.note(str(hot))
            if explain:
                terminal.tell(found.explain())
                return
            written = write(found, out)
    for rule, count in written.matches.items():
        terminal.write(f"{rule}: {count} match{'' if count == 1 else 'es'}\n")
    if written.failures:
        terminal.note(f"{written.failures} emissions without a value: see {out}/failures")
    if written.suppressed:
        terminal.note(f"{written.suppressed} events that `once` suppressed: see {out}/suppressed")


def log(
    program: ProgramArgument,
    trace: TraceArgument,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="The Parquet file to write.")] = "",
    include: IncludeOption = None,
) -> None:
    """Turn a trace in JSON Lines into a log in Parquet, with the columns that `parte spark match` expects.

    Exit codes: 0; 2 if the program or the trace cannot be used.
    """
    if not out:
        raise wrong("--out", "name the file to write")
    read = program_from(program, include)
    events = trace_from(trace, nulls=has_optional(read))
    with explained(trace), writing(out):
        with importing("spark"):
            from parte.algebra.partelang.relational.parquet import write_log
        write_log(read, conform(read, events), out)
