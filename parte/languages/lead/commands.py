"""The commands of LEAD that do more than the general ones: late events and the name of the rule in `run`, the net."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from parte import terminal
from parte.commands.programs import ending_of, form_of
from parte.commands.searches import SECONDS, TimeOption, searching
from parte.inputs import check_one_standard_input, deliver, explained, program_text, read_program, trace_from
from parte.languages.lead import api as lead
from parte.languages.lead.conformance import exploring
from parte.languages.lead.demo import demo
from parte.languages.lead.drawing.petri import draw_net, pnml
from parte.languages.lead.drawing.petri_svg import draw_net_svg
from parte.languages.lead.drawing.timeline import draw_matches
from parte.languages.lead.semantics.repairs import MODELS
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.text import TEXT, match_lines
from parte.options import DisorderOption, OutputOption, ProgramArgument, TraceArgument, check_model, disorder_of, wrong


def graph(
    program: ProgramArgument,
    output: OutputOption = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="svg|dot|pnml", help="[default: that of the ending of FILE, else svg]"),
    ] = None,
) -> None:
    """Draw the net of a rule, as SVG, as text for Graphviz, or as PNML, which tools for Petri nets read.

    Without --output to standard output, on a terminal and into a pipe alike.
    """
    chosen = form_of(form, output, tuple(_DRAWN))
    source = read_program(TEXT, program_text(program), program)
    deliver(_DRAWN[chosen](lead.Machine(source.rule).net), output)


_DRAWN = {"svg": draw_net_svg, "dot": draw_net, "pnml": pnml}


def timeline(
    program: ProgramArgument, trace: TraceArgument, disorder: DisorderOption = None, output: OutputOption = None
) -> None:
    """Draw a trace in time as SVG: its events, and each match with its interval, its events and what it emits."""
    if output is not None and ending_of(output) != "svg":
        raise wrong("--output", f"a timeline is SVG, and {output} says otherwise")
    lag = disorder_of(disorder)
    check_one_standard_input(program, trace)
    rule = read_program(TEXT, program_text(program), program).rule
    with explained(trace):
        items = trace_from(trace)
        events = occurrences(rule, items, lag, trace)
    with terminal.refusing(lead.TooManyFirings):
        matches = lead.Machine(rule).run(events)
    deliver(draw_matches(items, matches).svg, output)


MAX_STATES = 100_000


def explore(
    program: ProgramArgument,
    trace: TraceArgument,
    model: Annotated[str, typer.Option("--model", metavar="sound|published", help="The machine.")] = "sound",
    disorder: DisorderOption = None,
    max_states: Annotated[
        int, typer.Option("--max-states", min=1, metavar="N", help="Stop after so many states with a choice.")
    ] = MAX_STATES,
    seconds: TimeOption = SECONDS,
) -> None:
    """Fire the net of a rule on a small trace in every order that ranks allow, and compare with the definition.

    Exit codes: 0 if every order finds the matches of the definition; 1 if one does not; 2 if an input cannot be used; 4
    if a limit was reached before; 130 if it was interrupted.
    """
    check_model(model, tuple(MODELS))
    lag = disorder_of(disorder)
    check_one_standard_input(program, trace)
    rule = read_program(TEXT, program_text(program), program).rule
    with explained(trace):
        events = occurrences(rule, trace_from(trace), lag, trace)
    explored = exploring.Explored()
    refused = terminal.refusing(lead.TooManyMatches, lead.TooManyFirings)
    with refused, _progress() as show, searching(seconds) as search:
        for explored in exploring.explored(rule, events, MODELS[model], max_states, seconds):
            show(f"{explored.states:,} states, {explored.sequences:,} firing sequences")
    if search.ended != "all":
        explored.ended = search.ended
    terminal.write(_told(explored, model, Path(program).stem))
    if explored.difference is not None:
        raise typer.Exit(terminal.DIFFERENT)
    search.ended = explored.ended
    search.check(states=f"the limit of {max_states} states was reached")


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Says on a terminal how far an exploration is."""
    with terminal.errors_console().status("exploring …") as status:
        yield lambda text: status.update(text)


def _told(explored: exploring.Explored, model: str, name: str) -> str:
    """Return the report of an exploration."""
    lines = [] if explored.ended == "all" else ["NOT ALL VISITED: what the net finds in every order is not known"]
    lines += [f"partitions: {explored.partitions}; states with a choice: {explored.states:,}"]
    lines += [f"firing sequences, without those that come to a state that another has been in: {explored.sequences:,}"]
    if explored.difference is None:
        sequences = "each" if explored.ended == "all" else "each of these that ended"
        lines.append(f"{model} finds what the definition does, in {sequences}")
    else:
        lines += [f"{model} finds something else than the definition when these fire in this order:"]
        lines += [f"  {firing}" for firing in explored.difference.firings]
        for word, matches in (("missing", explored.difference.missing), ("spurious", explored.difference.spurious)):
            lines += [f"{word}: {line}" for line in match_lines([lead.match_to_json(name, match) for match in matches])]
    return "".join(f"{line}\n" for line in lines)


COMMANDS = {"graph": graph, "timeline": timeline, "explore": explore, "demo": demo}
