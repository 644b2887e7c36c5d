"""The commands of LEAD that do more than the general ones: late events and the name of the rule in `run`, the net."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from parte import terminal
from parte.commands.general import ModelOption, compared, given
from parte.commands.languages import asked
from parte.commands.programs import ending_of, form_of
from parte.commands.searches import SECONDS, TimeOption, searching
from parte.conformance.kit import KIT
from parte.inputs import check_one_standard_input, deliver, explained, program_text, read_program, trace_from
from parte.languages.lead import api as lead
from parte.languages.lead.conformance import exploring
from parte.languages.lead.conformance.engine import LeadEngine, readings_of
from parte.languages.lead.demo import demo
from parte.languages.lead.drawing.petri import draw_net, pnml
from parte.languages.lead.drawing.petri_svg import draw_net_svg
from parte.languages.lead.drawing.timeline import draw_matches
from parte.languages.lead.semantics.repairs import MODELS
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.text import TEXT, shown
from parte.options import OutputOption, ProgramArgument, TraceArgument, check_model, disorder_of, wrong
from parte.semantics.events.strictjson import quoted

DisorderOption = Annotated[
    str | None,
    typer.Option(
        "--disorder", metavar="DURATION", help="How far an event may lag behind a later one: '5 minutes', '250 ms'."
    ),
]
ReadingOption = Annotated[
    list[str] | None,
    typer.Option("--reading", metavar="NAME=VALUE", help=f"How L is read: {', '.join(lead.CHOICES)}."),
]


def run(
    context: typer.Context,
    program: ProgramArgument,
    trace: TraceArgument,
    model: ModelOption = "sound",
    disorder: DisorderOption = None,
    reading: ReadingOption = None,
) -> None:
    """Print the matches of a rule on a trace, one JSON object a line.

    Exit codes: 0; 2 if the rule or the trace cannot be used, or the model has no net under the readings.
    """
    check_model(model, asked(context)[KIT].models)
    lag = disorder_of(disorder)
    asking = given(context, program, trace, (model,), _options(reading or ()))
    found = asking.answered(LeadEngine(model, called=Path(program).stem, disorder=lag))
    terminal.write("".join(f"{line}\n" for line in shown(found)))


def compare(
    context: typer.Context,
    program: ProgramArgument,
    trace: TraceArgument,
    model: ModelOption = "sound",
    reading: ReadingOption = None,
) -> None:
    """Compare a model with the definition: show the matches that it lacks, and those that it has beyond.

    Exit codes: 0 if they agree; 1 if they differ; 2 if the rule or the trace cannot be used, or the model has no net
    under the readings.
    """
    language = asked(context)
    both = given(context, program, trace, (language[KIT].definition, model), _options(reading or ()))
    compared(language, both, model)


def _options(readings: Sequence[str]) -> dict[str, str]:
    """The options of a run that name readings."""
    options: dict[str, str] = {}
    for reading in readings:
        name, equals, value = reading.partition("=")
        if not equals or name not in lead.CHOICES:
            names = ", ".join(lead.CHOICES)
            raise wrong("--reading", f"expected NAME=VALUE, where NAME is one of {names}; found {quoted(reading)}")
        options[name] = value
    try:
        readings_of(options)
    except ValueError as error:
        raise wrong("--reading", str(error)) from None
    return options


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
        found = lead.Machine(rule).run(events)
    deliver(draw_matches(items, found).svg, output)


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
    found = exploring.Explored()
    refused = terminal.refusing(lead.TooManyMatches, lead.TooManyFirings)
    with refused, _progress() as shown, searching(seconds) as search:
        for found in exploring.explored(rule, events, MODELS[model], max_states, seconds):
            shown(f"{found.states:,} states, {found.sequences:,} firing sequences")
    if search.ended != "all":
        found.ended = search.ended
    terminal.write(_told(found, model, Path(program).stem))
    if found.difference is not None:
        raise typer.Exit(terminal.DIFFERENT)
    search.ended = found.ended
    search.check(states=f"the limit of {max_states} states was reached")


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Says on a terminal how far an exploration is."""
    with terminal.errors_console().status("exploring …") as status:
        yield lambda text: status.update(text)


def _told(found: exploring.Explored, model: str, name: str) -> str:
    """What an exploration found."""
    lines = [] if found.ended == "all" else ["NOT ALL VISITED: what the net finds in every order is not known"]
    lines += [f"partitions: {found.partitions}; states with a choice: {found.states:,}"]
    lines += [f"firing sequences, without those that come to a state that another has been in: {found.sequences:,}"]
    if found.difference is None:
        each = "each" if found.ended == "all" else "each of these that ended"
        lines.append(f"{model} finds what the definition does, in {each}")
    else:
        lines += [f"{model} finds something else than the definition when these fire in this order:"]
        lines += [f"  {firing}" for firing in found.difference.firings]
        for word, matches in (("missing", found.difference.missing), ("spurious", found.difference.spurious)):
            lines += [f"{word}: {line}" for line in shown([lead.match_to_json(name, match) for match in matches])]
    return "".join(f"{line}\n" for line in lines)


COMMANDS = {"run": run, "compare": compare, "graph": graph, "timeline": timeline, "explore": explore, "demo": demo}
