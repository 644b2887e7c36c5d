"""The commands of CEL that do more than the general ones: shares and readings of `run`, the automaton, and Spark."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from parte import cel, terminal
from parte.commands.general import ModelOption, given
from parte.commands.languages import asked
from parte.commands.spark.options import (
    ConfOption,
    CoresOption,
    MemoryOption,
    check_new,
    read_log,
    spark_session,
)
from parte.conformance.cel.engine import ALGEBRA, DEFINITION, CelEngine
from parte.conformance.cel.language import CEL
from parte.conformance.cel.notation import line_of
from parte.drawing.automaton import draw_automaton
from parte.inputs import check_one_standard_input, deliver, explained, program_text, read_program, trace_from
from parte.options import OutputOption, ProgramArgument, TraceArgument, check_model, wrong
from parte.semantics.cel.machine import RIVALS

MAX_PROCESSES = 1_000_000
MAX_TASKS = 10_000
ProcessesOption = Annotated[int, typer.Option("--processes", metavar="N", help="Share the results among N.")]
RivalsOption = Annotated[
    str, typer.Option("--rivals", metavar="interval|end|all", help="What a strategy compares a result with.")
]


def run(
    context: typer.Context,
    program: ProgramArgument,
    trace: TraceArgument,
    model: ModelOption = "sound",
    processes: ProcessesOption = 1,
    index: Annotated[int, typer.Option("--index", metavar="P", help="Print the share of process P, from 0.")] = 0,
    rivals: RivalsOption = "interval",
) -> None:
    """Print the results of a query on a trace, one JSON object a line.

    Exit codes: 0; 2 if the query or the trace cannot be used, or the model does not support the query.
    """
    check_model(model, asked(context).models)
    _check(processes, MAX_PROCESSES, rivals)
    if not 0 <= index < processes:
        raise wrong("--index", f"expected a number from 0 to {processes - 1}, found {index}")
    defining = model in (DEFINITION, ALGEBRA)
    if defining and processes > 1:
        raise wrong("--processes", "the definition has no shares; choose a machine by --model")
    if not defining and rivals not in RIVALS:
        raise wrong("--rivals", f"only the definition reads them as {rivals!r}: --model definition")
    asking = given(context, program, trace, (model,))
    found = asking.answered(CelEngine(model, processes=processes, index=index, rivals=rivals))
    terminal.write("".join(f"{line}\n" for line in map(line_of, found)))


def _check(processes: int, most: int, rivals: str) -> None:
    if not 1 <= processes <= most:
        raise wrong("--processes", f"expected a number from 1 to {most}, found {processes}")
    if rivals not in cel.CHOICES["rivals"]:
        raise wrong("--rivals", f"expected {', '.join(cel.CHOICES['rivals'])}, found {rivals!r}")


def match(
    program: ProgramArgument,
    log: Annotated[
        str, typer.Argument(metavar="LOG", help="A trace in JSON Lines, or a log in Parquet, a file or a directory.")
    ],
    processes: ProcessesOption = 1,
    rivals: RivalsOption = "interval",
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Write them there, as Parquet.")] = "",
    cores: CoresOption = None,
    memory: MemoryOption = None,
    conf: ConfOption = None,
) -> None:
    """Find the results of a query in a log on Spark, one task for each of N shares; print them as `parte run` does.

    With PARTITION BY, events go to tasks by the values of the attributes. Exit codes: 0; 2 if the query or the log
    cannot be used, or the machine does not support the query.
    """
    _check(processes, MAX_TASKS, rivals)
    check_new(out)
    check_one_standard_input(program, log)
    query = read_program(CEL.syntax(), program_text(program), program).query
    with terminal.refusing(cel.Unsupported):
        cel.Machine(query, rivals=rivals)
    in_parquet = log.endswith(".parquet") or "://" in log or Path(log).is_dir()
    with explained(log):
        events = [] if in_parquet else cel.stream(query, trace_from(log), log)
    with spark_session(cores, memory, conf) as spark, explained(log):
        from parte.spark_adapter.cel import logs
        from parte.spark_adapter.cel.matching import match as match_log

        read = read_log(log, partial(logs.in_parquet, spark)) if in_parquet else logs.of_events(spark, events)
        with match_log(spark, query, read, processes=processes, rivals=rivals, check=in_parquet, name=log) as found:
            if out:
                count = found.write(out)
                terminal.write(f"{count} result{'' if count == 1 else 's'}\n")
                return
            for row in found.ordered.toLocalIterator():
                terminal.write(f"{line_of(row)}\n")


def graph(program: ProgramArgument, output: OutputOption = None) -> None:
    """Draw the automaton of a query, as text for Graphviz."""
    source = read_program(CEL.syntax(), program_text(program), program)
    with terminal.refusing(cel.Unsupported, hint="links below other operators have no automaton"):
        machine = cel.Machine(source.query)
    deliver(draw_automaton(machine.automaton), output)


COMMANDS = {"run": run, "graph": graph, "spark match": match}
