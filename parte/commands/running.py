"""`parte run` and `parte compare` of the languages whose record has a runner (`parte.semantics.rulebook.running`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any

import typer

from parte import terminal
from parte.commands.budgets import Budget, Clock, budget_option
from parte.commands.flow import Flow, readable_twice
from parte.inputs import STANDARD_INPUT, check_one_standard_input, explained, program_of, trace_lines_from
from parte.languages.language import Language
from parte.options import DisorderOption, ProgramArgument, TraceArgument, check_model, disorder_of, wrong
from parte.rejecting import RejectedLinesOption, without_rejected
from parte.semantics.events.problems import TraceError
from parte.semantics.events.strictjson import quoted
from parte.semantics.rulebook.running import RUN, Json, Option, Request, Runner
from parte.semantics.source.text import TEXT

Command = Callable[..., None]
_KIND = Parameter.POSITIONAL_OR_KEYWORD


def run_of(language: Language) -> Command:
    """Return `parte run` for a language, with the options of its runner."""
    runner, text = language[RUN], language[TEXT]

    def run(
        program: str, trace: str, model: str, budget: list[str] | None, rejected: str | None, **options: Any
    ) -> None:
        limit = Budget.of(budget or ())
        request = _request(runner, program, trace, model, **options)
        source = program_of(text, program)
        with _refused(runner, program, request):
            runner.supports(source, request)
        if model in runner.whole and limit != Budget():
            raise wrong("--budget", f"the model {model} runs whole traces only, and does not stop in between")
        with without_rejected(rejected, trace, runner.check(source), program) as read:
            flow = Flow(Clock(limit), text.match_lines, runner.stored, in_order=runner.in_order, read=read)
            if model not in runner.whole and _followed(language, source, request, flow, program, trace):
                return
            matches = evaluated(runner, source, read(trace_lines_from(trace)), request, program, trace)
            terminal.write("".join(f"{line}\n" for line in text.match_lines(matches)))

    return _command(
        run,
        (
            *_parameters(runner),
            Parameter(
                "budget", _KIND, default=None, annotation=Annotated[list[str] | None, budget_option(runner.stored)]
            ),
            Parameter("rejected", _KIND, default=None, annotation=RejectedLinesOption),
        ),
        f"""Print the matches of a program of {language.name} on a trace, one JSON object a line.

    A machine prints each match of a trace on standard input as soon as it is certain, and those of a file in canonical
    order. Exit codes: 0; 2 if the program or the trace cannot be used, or the model does not support what is asked for;
    4 if --budget was spent.
    """,
    )


def compare_of(language: Language) -> Command:
    """Return `parte compare` for a language, with the options of its runner."""
    runner, text = language[RUN], language[TEXT]
    definition = runner.models[0]

    def compare(program: str, trace: str, model: str, **options: Any) -> None:
        request = _request(runner, program, trace, model, **options)
        source = program_of(text, program)
        with explained(trace):
            lines = [*trace_lines_from(trace)]
        expected, matches = (
            evaluated(runner, source, lines, replace(request, model=name), program, trace)
            for name in (definition, model)
        )
        agrees, report = text.comparison(model, definition, expected, matches, text.key(source))
        terminal.tell(report)
        if not agrees:
            raise typer.Exit(terminal.DIFFERENT)

    return _command(
        compare,
        _parameters(runner),
        f"""Compare a model of {language.name} with the definition: print the missing and the spurious matches.

    Exit codes: 0 if they agree; 1 if they differ; 2 if the program or the trace cannot be used, or the model does not
    support what is asked for.
    """,
    )


def evaluated(
    runner: Runner[Any], source: Any, lines: Iterable[str], request: Request, program: str, trace: str
) -> Sequence[Json]:
    """Return the matches on a whole trace. Exit code 2 if it cannot be used, or the model does not run the program."""
    with _refused(runner, program, request), explained(trace):
        return runner.evaluate(source, lines, request)


def options_of(runner: Runner[Any], options: Mapping[str, str], readings: Sequence[str]) -> dict[str, str]:
    """Return the options of a run that are not the default. A usage error for a value that an option does not have."""
    chosen: dict[str, str] = {}
    for name, value in options.items():
        option = runner.options[name]
        if option.values and value not in option.values:
            raise wrong(f"--{name}", f"expected {', '.join(option.values)}, found {quoted(value)}")
        if option.is_number and not re.fullmatch(r"\d{1,9}", value, re.ASCII):
            raise wrong(f"--{name}", f"expected a number from 0, found {quoted(value)}")
        chosen[name] = value
    for reading in readings:
        name, equals, value = reading.partition("=")
        if not equals or name not in runner.readings:
            names = ", ".join(runner.readings)
            raise wrong("--reading", f"expected NAME=VALUE, where NAME is one of {names}; found {quoted(reading)}")
        if value not in runner.readings[name]:
            raise wrong("--reading", f"{name}: expected {', '.join(runner.readings[name])}, found {quoted(value)}")
        chosen[name] = value
    usual = {name: values[0] for name, values in runner.readings.items()}
    usual |= {name: option.usual for name, option in runner.options.items()}
    numbers = {name for name in chosen if name in runner.options and runner.options[name].is_number}
    if any(chosen[name] != usual[name] for name in numbers):  # numbers go together, as which of how many processes
        usual = {name: value for name, value in usual.items() if name not in numbers}
    return {name: value for name, value in chosen.items() if value != usual.get(name)}


def _request(
    runner: Runner[Any],
    program: str,
    trace: str,
    model: str,
    disorder: str | None = None,
    reading: list[str] | None = None,
    **options: str,
) -> Request:
    """Return what is asked for. A usage error for values that do not fit."""
    check_model(model, runner.models)
    chosen = options_of(runner, options, reading or ())
    lag = disorder_of(disorder)
    check_one_standard_input(program, trace)
    name = "<stdin>" if trace == STANDARD_INPUT else trace
    return Request(model, chosen, lag, Path(program).stem, name)


def _followed(language: Language, source: Any, request: Request, flow: Flow, program: str, trace: str) -> bool:
    """Print the matches as a machine finds them. Return False, with nothing printed, if the trace must be read whole,
    for one can read it only once, or something is wrong with it."""
    runner = language[RUN]
    with _refused(runner, program, request):
        if trace == STANDARD_INPUT:
            flow.live(runner.begin(source, request))
            return True
        if not readable_twice(trace, flow.clock.budget):
            return False
        try:
            flow.whole(runner.begin(source, request), trace)
        except TraceError:
            return False
        return True


def _parameters(runner: Runner[Any]) -> Iterator[Parameter]:
    """The parameters of a command that runs a program."""
    yield Parameter("program", _KIND, annotation=ProgramArgument)
    yield Parameter("trace", _KIND, annotation=TraceArgument)
    yield Parameter("model", _KIND, default="sound", annotation=ModelOption)
    if runner.disorder:
        yield Parameter("disorder", _KIND, default=None, annotation=DisorderOption)
    for name, option in runner.options.items():
        yield Parameter(name, _KIND, default=option.usual, annotation=_annotation(name, option))
    if runner.readings:
        yield Parameter("reading", _KIND, default=None, annotation=ReadingOption)


def _annotation(name: str, option: Option) -> object:
    metavar = "|".join(option.values) or ("N" if option.is_number else "ATTRIBUTE")
    return Annotated[str, typer.Option(f"--{name}", metavar=metavar, help=option.help)]


def _command(function: Command, parameters: Iterable[Parameter], help_: str) -> Command:
    """Return a function as typer reads a command: its parameters with their annotations, and its docstring."""
    function.__doc__ = help_
    function.__signature__ = Signature([*parameters])  # type: ignore[attr-defined]  # inspect reads it
    function.__annotations__ = {}
    return function


ModelOption = Annotated[
    str, typer.Option("--model", metavar="NAME", help="An evaluator of the definition, or a machine.")
]
ReadingOption = Annotated[
    list[str] | None,
    typer.Option("--reading", metavar="NAME=VALUE", help="How the paper is read where it leaves something open."),
]


RUNNING: Mapping[str, Callable[[Language], Command]] = {"run": run_of, "compare": compare_of}
"""The commands that run programs, for a language that has a runner."""


@contextmanager
def _refused(runner: Runner[Any], program: str, request: Request) -> Iterator[None]:
    """Report a program or options that a model does not run, or that it gives up. Exit code 2."""
    try:
        yield
    except runner.refusals as error:
        terminal.error(f"{program}: {runner.refusal(error, request)}")
        raise typer.Exit(terminal.UNUSABLE) from None
