"""The commands of CEL that do more than the general ones: the automaton, a trace with its results, all streams up to a
length, and Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from parte import terminal
from parte.commands.programs import ending_of, form_of
from parte.commands.searches import SECONDS, TimeOption, searching
from parte.commands.spark.options import (
    ConfOption,
    CoresOption,
    MemoryOption,
    match_positions,
    spark_session,
)
from parte.drawing.timeline import draw_results
from parte.inputs import check_one_standard_input, deliver, explained, program_text, read_program, trace_from
from parte.languages.cel import api as cel
from parte.languages.cel.conformance import exploring
from parte.languages.cel.conformance.exploring import check_length, kinds_of, usual_length
from parte.languages.cel.demo import demo
from parte.languages.cel.drawing.automaton import draw_automaton, draw_automaton_svg, visits
from parte.languages.cel.running import result_to_json
from parte.languages.cel.semantics.repairs import MODELS
from parte.languages.cel.semantics.syntax.streams import stream
from parte.languages.cel.semantics.text import TEXT, line_of
from parte.options import FormOption, OutputOption, ProgramArgument, TraceArgument, check_model, check_new, wrong
from parte.rejecting import RejectedLinesOption
from parte.semantics.events.event import Event

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from parte.spark_adapter.positions import Results

MAX_TASKS = 10_000
ProcessesOption = Annotated[int, typer.Option("--processes", metavar="N", help="Share the results among N.")]
RivalsOption = Annotated[
    str, typer.Option("--rivals", metavar="interval|end|all", help="What a strategy compares a result with.")
]


def _check(processes: int, rivals: str) -> None:
    if not 1 <= processes <= MAX_TASKS:
        raise wrong("--processes", f"expected a number from 1 to {MAX_TASKS}, found {processes}")
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
    rejected: RejectedLinesOption = None,
) -> None:
    """Find the results of a query in a log on Spark, one task for each of N shares; print them as `parte run` does.

    With PARTITION BY, events go to tasks by the values of the attributes. Exit codes: 0; 2 if the query or the log
    cannot be used, or the machine does not support the query.
    """
    _check(processes, rivals)
    check_new("--out", out)
    check_one_standard_input(program, log)
    query = read_program(TEXT, program_text(program), program).query
    with terminal.refusing(cel.Unsupported):
        cel.Machine(query, rivals=rivals)

    def find(spark: SparkSession, read: DataFrame, in_parquet: bool) -> Results:
        from parte.languages.cel.spark_adapter.matching import match as match_log

        return match_log(spark, query, read, processes=processes, rivals=rivals, check=in_parquet, name=log)

    match_positions(
        log,
        program,
        out,
        rejected,
        session=lambda: spark_session(cores, memory, conf),
        events=lambda lines: cel.stream(query, trace_from(log, read=lines), log),
        find=find,
        line=line_of,
    )


def graph(
    program: ProgramArgument,
    form: FormOption = None,
    trace: Annotated[
        str | None,
        typer.Option("--trace", metavar="TRACE", help="Run the sound machine on it, and say where runs have been."),
    ] = None,
    output: OutputOption = None,
) -> None:
    """Draw the automaton of a query, as SVG or as text for Graphviz.

    Without --output to standard output, on a terminal and into a pipe alike.
    """
    chosen = form_of(form, output)
    if trace is not None and chosen != "svg":
        raise wrong("--trace", "only the drawing as SVG says where runs have been")
    query = read_program(TEXT, program_text(program), program).query
    machine = _machine(query)
    if chosen == "dot":
        deliver(draw_automaton(machine.automaton), output)
    elif trace is None:
        deliver(draw_automaton_svg(machine.automaton), output)
    else:
        check_one_standard_input(program, trace)
        events = _events(query, trace)
        with terminal.refusing(cel.TooManyStates):
            deliver(draw_automaton_svg(machine.automaton, visits(machine, events)), output)


def timeline(program: ProgramArgument, trace: TraceArgument, output: OutputOption = None) -> None:
    """Draw a trace in time as SVG: its events, and each result with its interval and its events."""
    if output is not None and ending_of(output) != "svg":
        raise wrong("--output", f"a timeline is SVG, and {output} says otherwise")
    check_one_standard_input(program, trace)
    query = read_program(TEXT, program_text(program), program).query
    machine, events = _machine(query), _events(query, trace)
    with terminal.refusing(cel.TooManyStates):
        results = [result for event in events for result in sorted(machine.event(event))]
    deliver(draw_results(events, results).svg, output)


def explore(
    program: ProgramArgument,
    trace: TraceArgument,
    model: Annotated[str, typer.Option("--model", metavar="sound|published", help="The machine.")] = "sound",
    length: Annotated[
        int | None,
        typer.Option("--length", min=1, metavar="N", help="Of the longest streams. [default: some 2,000 streams]"),
    ] = None,
    processes: Annotated[
        int, typer.Option("--processes", min=1, max=16, metavar="N", help="Share the results among 1 to N.")
    ] = 3,
    seconds: TimeOption = SECONDS,
) -> None:
    """Run a machine on every stream up to a length that is made of events like those of a trace, alone and as processes
    that share, and compare with the definition.

    Exit codes: 0 if they agree on all; 1 if not, with the first, shortest stream on which they differ; 2 if an input
    cannot be used; 4 if --time ended before; 130 if it was interrupted.
    """
    check_model(model, tuple(MODELS))
    check_one_standard_input(program, trace)
    query = read_program(TEXT, program_text(program), program).query
    kinds = kinds_of(_events(query, trace))
    if not kinds:
        raise terminal.unusable(f"{trace} has no event to make streams of", "give a trace with events of each kind")
    _machine(query)
    most = length or usual_length(len(kinds))
    with terminal.refusing(ValueError):
        check_length(len(kinds), most)
    explored = exploring.Explored(kinds)
    with terminal.refusing(cel.TooManyStates), terminal.telling() as tell, searching(seconds) as search:
        for explored in exploring.explored(query, kinds, most, MODELS[model], processes):
            if tell is not None:
                tell(f"{explored.streams:,} streams, of at most {explored.length} events")
    terminal.write(_told(explored, model, processes, search.ended == "all"))
    if explored.difference is not None:
        raise typer.Exit(terminal.DIFFERENT)
    search.check()


def _told(explored: exploring.Explored, model: str, processes: int, whole: bool) -> str:
    """Return the report of an exploration."""
    lines = [] if whole else ["NOT ALL VISITED: what the machine does on the other streams is not known"]
    lines += [
        f"kinds of events: {', '.join(event.id for event in explored.kinds) or 'none'}",
        f"streams: {explored.streams:,}, of at most {explored.length} events, with {explored.results:,} results",
        f"deterministic states up to each length: {', '.join(map(str, explored.states))}",
    ]
    if explored.difference is None:
        streams = "all" if whole else "these"
        lines.append(
            f"{model} agrees with the definition on {streams}, alone and shared by up to {processes} processes"
        )
        if explored.remembered:
            lines.append(f"nodes that the window may still reach: at most {explored.remembered}")
    else:
        difference = explored.difference
        shared = "" if difference.processes == 1 else f" for {difference.processes} processes"
        ids = ", ".join(f"{event.id} ({event.timestamp} ms)" for event in difference.events)
        lines.append(f"{model} differs from the definition{shared} on the stream: {ids}")
        for word, results in (("missing", difference.missing), ("spurious", difference.spurious)):
            lines += [f"{word}: {line_of(result_to_json(result, difference.events))}" for result in results]
    return "".join(f"{line}\n" for line in lines)


def _machine(query: cel.Query) -> cel.Machine:
    with terminal.refusing(cel.Unsupported, hint="the definition has it: parte run --model definition"):
        return cel.Machine(query)


def _events(query: cel.Query, trace: str) -> list[Event]:
    with explained(trace):
        return stream(query, trace_from(trace), trace)


COMMANDS = {"graph": graph, "timeline": timeline, "explore": explore, "demo": demo, "spark match": match}
