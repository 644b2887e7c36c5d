"""The commands of EQL beyond those that its record gives it: reasons, schedules, steps, and drawings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from parte import terminal
from parte.commands.programs import ending_of, form_of
from parte.commands.running import ReadingOption, options_of
from parte.commands.schedules import JsonOption
from parte.commands.searches import SECONDS, TimeOption, searching
from parte.drawing.svg import shortened
from parte.inputs import (
    STANDARD_INPUT,
    check_one_standard_input,
    deliver,
    explained,
    program_text,
    read_program,
    trace_from,
)
from parte.languages.eql.algebra.reasons import Explained, UnknownEvent
from parte.languages.eql.algebra.reasons import explained as reasons_of
from parte.languages.eql.algebra.sequences import TooManyTuples
from parte.languages.eql.conformance.exploring import Exploration, Explored
from parte.languages.eql.drawing.automaton import draw_automaton, draw_automaton_svg
from parte.languages.eql.drawing.steps import LIMIT, draw_steps
from parte.languages.eql.drawing.timeline import draw_results, value_text
from parte.languages.eql.running import RUNNER
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import readings_of
from parte.languages.eql.semantics.syntax.streams import TIEBREAKER, Stream, ordered
from parte.languages.eql.semantics.text import TEXT
from parte.options import DisorderOption, FormOption, OutputOption, ProgramArgument, TraceArgument, disorder_of, wrong
from parte.semantics.events.event import Event
from parte.semantics.events.trace import Trace

MAX_STATES, NEAREST, _LONGEST = 100_000, 3, 300
TiebreakerOption = Annotated[
    str, typer.Option("--tiebreaker", metavar="ATTRIBUTE", help=RUNNER.options[TIEBREAKER].help)
]


@dataclass(frozen=True, slots=True)
class _Input:
    """A query, a trace, and how it is read."""

    query: tree.Query
    trace: Trace
    stream: Stream

    def events(self, trace: str) -> Sequence[Event]:
        """Return the events in order. Exit code 2 if one comes too late."""
        with explained(trace):
            return ordered(self.trace, self.stream)


def _input(program: str, trace: str, reading: Sequence[str] | None, tiebreaker: str, disorder: str | None) -> _Input:
    options = options_of(RUNNER, {TIEBREAKER: tiebreaker}, reading or ())
    lag = disorder_of(disorder)
    check_one_standard_input(program, trace)
    query = read_program(TEXT, program_text(program), program).query
    items = trace_from(trace, nulls=True)
    readings = readings_of({name: value for name, value in options.items() if name != TIEBREAKER})
    spanned = isinstance(query, tree.Sequence) and query.maxspan is not None
    return _Input(query, items, Stream(readings, tiebreaker, lag, items.filename, spanned))


# --- Reasons ----------------------------------------------------------------------------------------------------------


def why(
    program: ProgramArgument,
    trace: TraceArgument,
    events: Annotated[
        str | None, typer.Option("--events", metavar="ID,ID", help="Events of a result, or of what is none.")
    ] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="VALUE,VALUE", help="Only what has this key.")] = None,
    nearest: Annotated[
        int, typer.Option("--nearest", min=1, metavar="N", help="How many results, and chains that are none, to show.")
    ] = NEAREST,
    tiebreaker: TiebreakerOption = "",
    reading: ReadingOption = None,
    disorder: DisorderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say why events are a result of a query, or are not, by the definition.

    For as many events as a result has: a line for each clause, with what decides it. For fewer, or none: each chain of
    events that has them, as far as it goes. Exit codes: 0 if there is a result; 1 if there is none; 2 if an input
    cannot be used.
    """
    task = _input(program, trace, reading, tiebreaker, disorder)
    ids = [] if events is None else [name.strip() for name in events.split(",")]
    ordered_events = task.events(trace)
    with terminal.refusing(UnknownEvent, TooManyTuples):
        chains = reasons_of(task.query, ordered_events, task.stream.readings, ids)
    if key is not None:
        chains = [chain for chain in chains if ",".join(map(value_text, chain.keys)) == key]
    results = [chain for chain in chains if not chain.failing]
    if as_json:
        record = [{**asdict(chain), "result": not chain.failing} for chain in chains]
        terminal.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        terminal.tell("".join(f"{line}\n" for line in _told(chains, nearest, key)))
    if not results:
        raise typer.Exit(terminal.DIFFERENT)


def _told(chains: Sequence[Explained], nearest: int, key: str | None) -> Iterator[str]:
    """Yield the lines of a report: how many results there are, the chains, and how many more."""
    results = [chain for chain in chains if not chain.failing]
    misses = [chain for chain in chains if chain.failing]
    chains_left = f"{len(misses)} chain{' that is' if len(misses) == 1 else 's that are'} none"
    yield f"{len(results) or 'no'} result{'' if len(results) == 1 else 's'}, {chains_left}"
    if not chains:
        yield "no event begins a chain" + (f" of the key {key}" if key is not None else "")
    for kind, several in (("result", results), ("no result", misses)):
        for chain in several[:nearest]:
            keys = f"{', '.join(map(value_text, chain.keys))}: " if chain.keys else ""
            yield f"{keys}{', '.join(chain.events)}: {kind}"
            width = max(len(reason.demand) for reason in chain.reasons)
            for reason in chain.reasons:
                mark = "yes" if reason.holds else "NO "
                value = shortened(reason.value, _LONGEST)
                yield f"  {mark}  {reason.rule:13}  {reason.demand:{width}}  {value}".rstrip()
        if len(several) > nearest:
            yield f"and {len(several) - nearest} more: --nearest N shows more, --events and --key choose"


# --- Schedules --------------------------------------------------------------------------------------------------------


def explore(
    program: ProgramArgument,
    trace: TraceArgument,
    tiebreaker: TiebreakerOption = "",
    reading: ReadingOption = None,
    disorder: DisorderOption = None,
    max_states: Annotated[
        int, typer.Option("--max-states", min=1, metavar="N", help="Stop after so many states with a choice.")
    ] = MAX_STATES,
    seconds: TimeOption = SECONDS,
) -> None:
    """Run the machine on the events of a small trace in every order in which they may arrive, late by the disorder or
    with a promise after any of them, and compare with the definition.

    Exit codes: 0 if it finds the results of the definition under each schedule; 1 if not; 2 if an input cannot be used;
    4 if a limit was reached before; 130 if it was interrupted.
    """
    task = _input(program, trace, reading, tiebreaker, disorder)
    stream = task.stream
    arriving = [item for item in task.trace if isinstance(item, Event)]
    task.events(trace)
    exploration = Exploration(task.query, arriving, stream.readings, tiebreaker, stream.disorder)
    explored = exploration.explored
    with terminal.refusing(TooManyTuples), terminal.telling() as tell, searching(seconds) as search:
        for explored in exploration.run(max_states, seconds):
            if tell is not None:
                tell(f"{explored.states:,} states, {explored.schedules:,} schedules")
    search.ended = search.ended if search.ended != "all" else explored.ended
    terminal.write("".join(f"{line}\n" for line in _schedules(explored, search.ended == "all")))
    if explored.wrong:
        raise typer.Exit(terminal.DIFFERENT)
    search.check(states=f"the limit of {max_states} states was reached")


def _schedules(explored: Explored, whole: bool) -> Iterator[str]:
    """Yield the lines of the report of an exploration."""
    if not whole:
        yield "NOT ALL VISITED: what the machine finds under every schedule is not known"
    yield f"states with a choice: {explored.states:,}; schedules that reach no state of another: {explored.schedules:,}"
    stored = ", ".join(f"{name} {count}" for name, count in explored.most.items() if count)
    yield f"stored at most, after an arrival: {stored or 'nothing'}"
    for reported, expected in explored.wrong[:1]:
        yield "sound finds something else than the definition when these arrive in this order:"
        for item in explored.outcomes[reported, expected]:
            promise = "" if isinstance(item, Event) else f"promise {item.timestamp} of {item.source}, {item.template}"
            yield f"  {item.id if isinstance(item, Event) else promise}"
        yield from (f"missing: {line}" for line in expected if line not in reported)
        yield from (f"spurious: {line}" for line in reported if line not in expected)
    if not explored.wrong:
        yield f"sound finds what the definition does, under {'each' if whole else 'each of these'}"
        several = {reported for reported, _ in explored.outcomes}
        if len(several) > 1:
            yield f"{len(several)} different lists of results, as the order of events at one time is open; in some:"
            lines = sorted({line for reported in several for line in reported})
            yield from (f"  {line}" for line in lines if any(line not in reported for reported in several))
            yield "hint: --tiebreaker ATTRIBUTE decides it"


# --- Drawings ---------------------------------------------------------------------------------------------------------


def step(
    program: ProgramArgument,
    trace: TraceArgument,
    tiebreaker: TiebreakerOption = "",
    reading: ReadingOption = None,
    disorder: DisorderOption = None,
    first: Annotated[int, typer.Option("--from", min=1, metavar="N", help="The first step to show.")] = 1,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100_000, metavar="N", help="Show so many steps.")] = LIMIT,
    output: OutputOption = None,
) -> None:
    """Write a run of the machine step by step as a page: what is stored for each key, the rules that are applied with
    their values, and the trace in time.

    The page is one file and asks for nothing from outside. Exit codes: 0; 2 if an input cannot be used.
    """
    task = _input(program, trace, reading, tiebreaker, disorder)
    title = "standard input" if program == STANDARD_INPUT else Path(program).name
    with explained(trace), terminal.refusing(TooManyTuples):
        page, steps = draw_steps(task.query, task.trace, task.stream, first=first, limit=limit, title=title)
    deliver(page, output)
    if steps > limit:
        last = min(steps, first + limit - 1)
        terminal.note(
            f"of {steps:,} steps {min(first, steps):,} to {last:,} are shown: --from and --limit choose others"
        )


def timeline(
    program: ProgramArgument,
    trace: TraceArgument,
    tiebreaker: TiebreakerOption = "",
    reading: ReadingOption = None,
    disorder: DisorderOption = None,
    output: OutputOption = None,
) -> None:
    """Draw a trace in time as SVG: its events in a lane for each key, each result with its maxspan, and the chains that
    until, a missing event or the maxspan refuse."""
    if output is not None and ending_of(output) != "svg":
        raise wrong("--output", f"a timeline is SVG, and {output} says otherwise")
    task = _input(program, trace, reading, tiebreaker, disorder)
    with terminal.refusing(TooManyTuples):
        drawn = draw_results(task.query, task.events(trace), task.stream.readings)
    deliver(drawn.svg, output)


def graph(program: ProgramArgument, form: FormOption = None, output: OutputOption = None) -> None:
    """Draw the states of a query with its stages, missing events and until, as SVG or as text for Graphviz.

    Without --output to standard output, on a terminal and into a pipe alike.
    """
    chosen = form_of(form, output)
    query = read_program(TEXT, program_text(program), program).query
    deliver(_DRAWN[chosen](query), output)


_DRAWN = {"svg": draw_automaton_svg, "dot": draw_automaton}
