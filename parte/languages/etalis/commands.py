"""The commands of ETALIS that do more than the general ones: policies and readings, the network of rules, a stream in
time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import typer

from parte import api, terminal
from parte.commands import check as checking
from parte.commands.programs import form_of
from parte.commands.running import options_of
from parte.commands.searches import SECONDS, TimeOption, searching
from parte.inputs import check_one_standard_input, deliver, explained, program_text, read_program, records_from
from parte.languages.etalis.algebra.patterns import TooManyFindings
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.conformance import exploring
from parte.languages.etalis.demo import demo
from parte.languages.etalis.drawing.intervals import atom_text, draw_intervals, write_intervals
from parte.languages.etalis.drawing.rule_network import draw_rule_network, draw_rule_network_svg
from parte.languages.etalis.running import CHOSEN, POLICY, RUNNER, machine_of
from parte.languages.etalis.semantics.binarisation import binarised
from parte.languages.etalis.semantics.machine import TooManyEvents, UnsupportedPolicy
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, stream
from parte.languages.etalis.semantics.syntax.tree import Program
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge, text_of
from parte.languages.etalis.semantics.text import TEXT
from parte.options import FormOption, OutputOption, ProgramArgument, TraceArgument, wrong

PolicyOption = Annotated[
    str, typer.Option("--policy", metavar="NAME", help=f"Which goals are taken: {', '.join(CHOSEN[POLICY])}.")
]
ReadingOption = Annotated[
    list[str] | None,
    typer.Option("--reading", metavar="NAME=VALUE", help="How E is read: lasting, negation or during."),
]


def _options(policy: str, readings: Sequence[str]) -> dict[str, str]:
    """The options of a run that are no defaults."""
    return options_of(RUNNER, {POLICY: policy}, readings)


def check(
    program: ProgramArgument,
    policy: PolicyOption = "unrestricted",
    reading: ReadingOption = None,
    timeout: checking.TimeoutOption = api.CHECK_TIMEOUT,
    strict: checking.StrictOption = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show each rule, and what is kept of each operand.")
    ] = False,
    as_json: checking.AsJson = False,
) -> None:
    """Decide with z3 what a program guarantees before it runs, and what a run of it must keep.

    Exit codes: 0 if all guarantees hold; 1 if one is refuted; 4 if none is, but one was not decided; 2 if the program
    is invalid; 130 after Ctrl-C.
    """
    options = _options(policy, reading or ())
    options.pop(POLICY, None)
    text = program_text(program)
    from parte.languages.etalis.checker.check import check as decide

    with explained(program), terminal.refusing(UnsupportedPolicy):
        report = decide(text, timeout, policy, Readings(**options))
    checking.show(report, program, strict=strict, verbose=verbose, as_json=as_json)


def graph(
    program: ProgramArgument,
    form: FormOption = None,
    trace: Annotated[
        str | None,
        typer.Option("--trace", metavar="TRACE", help="Run the sound machine on it, and say what each rule kept."),
    ] = None,
    policy: PolicyOption = "unrestricted",
    reading: ReadingOption = None,
    output: OutputOption = None,
) -> None:
    """Draw the network of binary rules of a program, as SVG or as text for Graphviz.

    Without --output to standard output, on a terminal and into a pipe alike.
    """
    chosen = form_of(form, output)
    if trace is not None and chosen != "svg":
        raise wrong("--trace", "only the drawing as SVG says what was kept")
    options = _options(policy, reading or ())
    read = read_program(TEXT, program_text(program), program).program
    if chosen == "dot":
        deliver(draw_rule_network(binarised(read)), output)
    elif trace is None:
        deliver(draw_rule_network_svg(read), output)
    else:
        check_one_standard_input(program, trace)
        deliver(draw_rule_network_svg(read, _kept(read, trace, options)), output)


def _kept(program: Program, trace: str, options: Mapping[str, str]) -> list[str]:
    """Return the greatest number of goals and absent events that each binary rule stored after an instant."""
    most: list[int] = []
    with terminal.refusing(*_STOPPING, where=trace):
        machine = machine_of(program, options)
        for instant in _instants(program, trace):
            machine.instant(instant)
            most = [*map(max, most or machine.kept_by_rule, machine.kept_by_rule)]
    return [f"kept {count}" if count else "" for count in most]


def timeline(
    program: ProgramArgument,
    trace: TraceArgument,
    policy: PolicyOption = "unrestricted",
    reading: ReadingOption = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="svg|text", help="[default: svg]"),
    ] = None,
    output: OutputOption = None,
) -> None:
    """Draw a stream in time, and what rules derive with its intervals, as SVG or as text for a terminal."""
    chosen = form_of(form, output, ("svg", "text"))
    check_one_standard_input(program, trace)
    options = _options(policy, reading or ())
    read = read_program(TEXT, program_text(program), program).program
    instants = _instants(read, trace)
    with terminal.refusing(*_STOPPING, where=trace):
        derived = list(machine_of(read, options).run(instants))
    if chosen == "svg":
        deliver(draw_intervals(instants, derived).svg, output)
    else:
        deliver(write_intervals(instants, derived, terminal.output_console().width), output)


def explore(
    program: ProgramArgument,
    trace: TraceArgument,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="NAME", help="Of the policies only this one.")
    ] = None,
    runs: Annotated[
        int, typer.Option("--runs", min=1, metavar="N", help="At most so many under one policy and reading.")
    ] = exploring.USUAL_RUNS,
    seconds: TimeOption = SECONDS,
) -> None:
    """Show what the result on a stream depends on: run the machine in every order of what is equally long at one
    instant, under every policy and reading, and compare with the definition.

    Exit codes: 0; 1 if the machine differs from the definition, or an order makes a difference without a policy; 4 if
    there are more orders than runs, or --time ended before; 130 if it was interrupted; 2 if an input cannot be used.
    """
    if policy:
        _options(policy, ())
    check_one_standard_input(program, trace)
    read = read_program(TEXT, program_text(program), program).program
    instants = _instants(read, trace)
    several = sum(len(instant.atoms) > 1 for instant in instants)
    count = sum(len(instant.atoms) for instant in instants)
    terminal.write(f"events of the stream: {count:,}, at {len(instants):,} instants; several at {several:,} of them\n")
    lines: list[str] = []
    differ, complete = False, True
    usual: exploring.Explored | None = None
    refused = terminal.refusing(*_STOPPING, TooManyFindings, where=trace)
    left = exploring.choices(policy)
    with refused, terminal.telling() as tell, searching(seconds) as search:
        while left:
            if tell is not None:
                tell(f"{_choice_text(left[0])}; {len(left) - 1} more to explore")
            explored = exploring.explore(read, instants, left[0], runs)
            usual = usual or explored
            lines += _told(explored, usual)
            differ, complete = differ or explored.wrong, complete and explored.complete
            del left[0]
    if left:
        lines.append(f"NOT ALL VISITED: nothing is known of {'; '.join(map(_choice_text, left))}")
    terminal.write("".join(f"{line}\n" for line in lines))
    if differ:
        raise typer.Exit(terminal.DIFFERENT)
    search.check()
    if not complete:
        raise typer.Exit(terminal.OPEN)


def _choice_text(options: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items()) or "usual policy and readings"


def _told(explored: exploring.Explored, usual: exploring.Explored) -> Iterator[str]:
    """Return the lines that report the results under other options than the usual ones."""
    count = len(explored.result)
    yield f"{_choice_text(explored.options)}: {count} derived event{'' if count == 1 else 's'}"
    for word, left, right in (("lacks", usual, explored), ("has beyond", explored, usual)):
        yield from (f"  {word} {_named(event)}" for event in left.result if event not in right.result)
    if not explored.complete:
        yield f"  NOT ALL VISITED: what comes in every order is not known, after {explored.runs:,} runs"
    if len(explored.outcomes) > 1:
        yield f"  {len(explored.outcomes)} results, depending on the order; in some of them:"
        yield from (f"    {_named(event)}" for event in explored.sometimes)
    elif not explored.complete:
        yield "  the same in each of these runs"
    if explored.meant is None:
        yield "  nothing to compare with: the equation of policies is for programs without recursion"
    elif explored.meant != explored.result:
        yield "  the definition says something else:"
        yield from (f"    lacks {_named(event)}" for event in explored.meant if event not in explored.result)
        yield from (f"    has beyond {_named(event)}" for event in explored.result if event not in explored.meant)


def _named(event: IntervalEvent) -> str:
    return f"{atom_text(event.name, event.arguments)} [{text_of(event.start)}, {text_of(event.end)}]"


def _instants(program: Program, trace: str) -> list[Instant]:
    records = records_from(trace)
    lines = [""] * (records[-1][0] if records else 0)
    for place, record in records:
        lines[place - 1] = json.dumps(record)
    with explained(trace):
        return stream(program, lines, trace)


_STOPPING = (TooManyEvents, NumberTooLarge, UnsupportedPolicy)

COMMANDS = {
    "check": check,
    "graph": graph,
    "timeline": timeline,
    "explore": explore,
    "demo": demo,
}
