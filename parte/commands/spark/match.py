"""`parte spark match` and `log`: all matches of a program in a huge log, and small logs to try it on."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import Annotated

import typer

from parte import terminal
from parte.algebra.partelang.relational import Unsupported
from parte.commands.log import convert_on_spark
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
    check_new,
    wrong,
)
from parte.rejecting import RejectedLinesOption, RejectedOption, rejections_to, undeclared
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
    rejected: RejectedLinesOption = None,
) -> None:
    """Find all matches of a program in a log of any size.

    The log is checked first; events of templates that the program does not declare are left out and counted. Exit
    codes: 0; 2 if the program, the log or another input cannot be used.
    """
    if bool(out) == explain:
        raise wrong("--out", "name the directory for the results, or ask for --explain")
    read = program_from(program, include)
    relations = domain_from(read, domain)
    check_new("--out", out)
    unsupported = terminal.refusing(Unsupported, hint="`parte run --model indexed` runs every program")
    templates = [template.name for template in read.templates]
    with ExitStack() as stack:
        rejections = None
        if rejected is not None:
            rejections = stack.enter_context(rejections_to(rejected, events, program, templates))
        check_log(events)
        spark = stack.enter_context(spark_session(cores, memory, conf))
        stack.enter_context(explained(events, "events"))
        stack.enter_context(unsupported)
        from parte.spark_adapter.match import match as match_log
        from parte.spark_adapter.match.output import write
        from parte.spark_adapter.match.rejecting import undeclared_in, without_rejected

        log = read_log(events, spark.read.parquet)
        if rejections is None:
            undeclared(undeclared_in(read, log), templates)
        else:
            log = without_rejected(read, log, rejections, events)
        with match_log(spark, read, log, relations, name=events) as matches:
            for hot in (key for key in matches.hot if key.is_large):
                terminal.note(str(hot))
            if explain:
                terminal.tell(matches.explain())
                return
            written = write(matches, out)
    for rule, count in written.matches.items():
        terminal.write(f"{rule}: {count} match{'' if count == 1 else 'es'}\n")
    if written.failures:
        terminal.note(f"{written.failures} emissions without a value: see {out}/failures")
    if written.suppressed:
        terminal.note(f"{written.suppressed} events that `once` suppressed: see {out}/suppressed")


def log(
    program: Annotated[
        str,
        typer.Argument(metavar="PROGRAM", help="The program of a trace; or a mapping of raw logs, .toml."),
    ],
    trace: Annotated[
        list[str],
        typer.Argument(metavar="TRACE", help="A trace, JSON Lines; or raw logs: JSON Lines, CSV or Parquet."),
    ],
    out: Annotated[
        str,
        typer.Option("--out", "-o", metavar="FILE", help="The Parquet file to write; of raw logs, the directory."),
    ] = "",
    include: IncludeOption = None,
    rejected: RejectedOption = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="jsonl|csv|parquet", help="[default: by the endings of the raw logs]"),
    ] = None,
    cores: CoresOption = None,
    memory: MemoryOption = None,
    conf: ConfOption = None,
) -> None:
    """Turn a trace, or raw logs that are larger than one machine, into a log in Parquet for `parte spark match`.

    `parte spark log MAPPING RAW... -o LOG` does what `parte log` does, with the same counts and rejected records. Exit
    codes: 0; 2 if an input cannot be used, or no record is an event.
    """
    if not out:
        raise wrong("--out", "name the file to write")
    if program.endswith(".toml"):
        check_new("--out", out)
        convert_on_spark(program, trace, out, rejected, form, partial(spark_session, cores, memory, conf))
        return
    for option, value in {"--rejected": rejected, "--format": form}.items():
        if value is not None:
            raise wrong(option, "only raw logs, with a mapping whose name ends in .toml, have it")
    if len(trace) > 1:
        raise typer.BadParameter(f"a program goes with one trace, found {len(trace)}", param_hint="'TRACE'")
    _write_trace(program, trace[0], out, include)


def _write_trace(program: str, trace: str, out: str, include: list[str] | None) -> None:
    read = program_from(program, include)
    events = trace_from(trace, nulls=has_optional(read))
    with explained(trace), writing(out):
        with importing("spark"):
            from parte.algebra.partelang.relational.parquet import write_log
        write_log(read, conform(read, events), out)
