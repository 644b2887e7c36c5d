"""`parte test`: tests that stand beside rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from parte import terminal
from parte.commands.budgets import Budget, Clock, OutOfTime
from parte.commands.check import AsJson
from parte.conformance.casefiles.rule_tests import RuleTest
from parte.conformance.kit import KIT
from parte.conformance.results import CaseVerdict
from parte.inputs import deliver
from parte.options import IncludeOption, check_name, finite, wrong
from parte.rule_tests import reports
from parte.rule_tests.discovery import CasesFile, NoTests, Program, Reader, files_below
from parte.rule_tests.mutants import Survey, Surveyor
from parte.rule_tests.reports import Run, as_junit, as_tap
from parte.rule_tests.running import Engines, Outcome, run_test
from parte.rule_tests.showing import show, show_suggestions, show_survey
from parte.rule_tests.support import SUPPORT
from parte.rule_tests.watching import wait_for_change, watched

TIMEOUT = 10.0


def test(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH...]",
            help="Files of tests (.cases), folders with such files, or programs that have one beside them. "
            "[default: this folder]",
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="A machine, or an evaluator of the definition, as of `run`.")
    ] = "sound",
    case: Annotated[
        list[str] | None, typer.Option("--case", metavar="ID", help="Run only the cases with this id; may be repeated.")
    ] = None,
    timeout: Annotated[
        float,
        typer.Option("--timeout", min=0.1, callback=finite, metavar="SECONDS", help="For one test."),
    ] = TIMEOUT,
    junit: Annotated[
        str | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML as well, for build servers.")
    ] = None,
    tap: Annotated[bool, typer.Option("--tap", help="Print the Test Anything Protocol in place of the table.")] = False,
    as_json: AsJson = False,
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Say which small edits of the rules no test notices: a moved window.")
    ] = False,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="As --mutants; and print a test for each edit that no test notices.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Run again whenever a file changes, until Ctrl-C.")] = False,
    include: IncludeOption = None,
) -> None:
    """Run the tests that stand beside rules, and show what fails, and why.

    Exit codes: 0 if all tests pass, and with --mutants notice all edits; 1 if not, or if one takes too long; 2 if a
    file cannot be used, or there is no test; 130 after Ctrl-C.
    """
    if tap and as_json:
        raise wrong("--tap", "it does not go with --json: both are printed")
    if watch and (tap or as_json):
        raise wrong("--watch", "it shows tables; leave out --tap and --json")
    if tap and (mutants or suggest):
        raise wrong("--tap", "it has no form for edits of rules; --json has one")
    arguments = tuple(paths or ["."]), tuple(case or ()), model, timeout, tuple(include or ())
    request = Request(*arguments, mutants=mutants or suggest, suggest=suggest)
    if watch:
        _watch(request, junit)
    run = _run(request, _read(request))
    if junit is not None:
        deliver(as_junit(run), junit)
    if tap or as_json:
        terminal.write(as_tap(run) if tap else reports.as_json(run) + "\n")
    else:
        _show(terminal.output_console(), run, suggested=suggest)
    if run.unusable:
        raise typer.Exit(terminal.UNUSABLE)
    if run.failed:
        raise typer.Exit(terminal.DIFFERENT)


@dataclass(frozen=True, slots=True)
class Request:
    """The tests that are run, and how."""

    paths: tuple[str, ...]
    cases: tuple[str, ...]
    model: str
    timeout: float
    include: tuple[str, ...]
    mutants: bool
    suggest: bool


def _watch(request: Request, junit: str | None) -> NoReturn:
    """Run the tests, and again after each change. Only an interruption ends it, or a mistake that is there at first."""
    console = terminal.output_console()
    first = True
    files: list[CasesFile] = []
    while True:
        stamps = watched(request.paths, files, request.include)
        try:
            files = _read(request)
            after = watched(request.paths, files, request.include)
            stamps = {path: stamps.get(path, stamp) for path, stamp in after.items()}  # a change meanwhile is one too
            run = _run(request, files)
            if junit is not None:
                deliver(as_junit(run), junit)
            _show(console, run, suggested=request.suggest)
        except typer.Exit:  # it is reported; the next change may correct it
            if first:
                raise
        except typer.BadParameter as error:
            if first:
                raise
            terminal.error(error.message)
        first = False
        terminal.tell(f"{len(stamps)} files are watched; Ctrl-C ends\n")
        sys.stdout.flush()
        names = wait_for_change(stamps, request.paths, files, request.include)
        terminal.tell(f"\nchanged: {', '.join(names[:5])}\n")


def _run(request: Request, files: Sequence[CasesFile]) -> Run:
    chosen = _chosen(files, request.cases)
    _check_model(request.model, {program.language.name: program for _, _, program in chosen}.values())
    engines = Engines(request.model)
    outcomes = tuple(_limited(file, test_, program, engines, request.timeout) for file, test_, program in chosen)
    run = Run(request.model, outcomes, tuple(dict.fromkeys(flaw for file in files for flaw in file.flaws)))
    return replace(run, surveys=_surveys(request, run, engines)) if request.mutants else run


def _surveys(request: Request, run: Run, engines: Engines) -> tuple[Survey, ...]:
    """Return what becomes of the edits of each program, by its tests that pass."""
    tests: dict[str, list[tuple[str, RuleTest]]] = {}
    programs = {outcome.program.path: outcome.program for outcome in run.outcomes}
    for outcome in run.outcomes:
        if outcome.verdict is CaseVerdict.PASS:
            tests.setdefault(outcome.program.path, []).append((outcome.file, outcome.test))
    lacking = {program.language.name for program in programs.values() if not program.language.has(SUPPORT)}
    if lacking and len(lacking) == len({program.language.name for program in programs.values()}):
        raise terminal.unusable(f"{' and '.join(sorted(lacking))} has no mutants of rules", "leave out --mutants")
    for name in sorted(lacking):
        terminal.note(f"{name} has no mutants of rules: its programs are left out")
    if unused := sum(outcome.verdict is not CaseVerdict.PASS for outcome in run.outcomes):
        terminal.note(f"{unused} test{'' if unused == 1 else 's'} did not pass, and can notice no edit")
    if run.outcomes and not tests and not request.suggest:
        terminal.note("no test passes: make one pass before you look for edits that none notices")
        return ()

    def once(file: str, test_: RuleTest, program: Program) -> Outcome:
        return _limited(file, test_, program, engines, request.timeout, explain=False)

    with terminal.telling() as tell:
        surveyor = Surveyor(once, engines, request.timeout, request.include, tell or (lambda _: None))
        return tuple(
            surveyor.survey(program, tests.get(path, []), suggest=request.suggest)
            for path, program in programs.items()
            if program.language.has(SUPPORT)
        )


def _show(console: Console, run: Run, *, suggested: bool) -> None:
    show(console, run.outcomes, run.flaws)
    for survey in run.surveys or ():
        show_survey(console, survey)
        if suggested:
            show_suggestions(console, survey)


Chosen = tuple[str, RuleTest, Program]


def _read(request: Request) -> list[CasesFile]:
    reader = Reader(request.include)
    try:
        return [reader.read(path) for path in files_below(request.paths)]
    except NoTests as error:
        raise terminal.unusable(str(error), error.hint) from None


def _chosen(files: Iterable[CasesFile], ids: Sequence[str]) -> list[Chosen]:
    """Return the tests with these ids, or all. A usage error for an id that no test has."""
    tests = [(file.path, test_, program) for file in files for test_, program in file.tests]
    known = [test_.id for _, test_, _ in tests]
    for id_ in ids:
        check_name("--case", "case", id_, known)
    return [chosen for chosen in tests if not ids or chosen[1].id in ids]


def _check_model(model: str, programs: Iterable[Program]) -> None:
    """A usage error if a language of the programs does not have the model."""
    for program in programs:
        models = program.language[KIT].models
        if model not in models:
            name = program.language.name
            raise wrong("--model", f"{name}, as in {program.path}, has no model {model!r}; it has {', '.join(models)}")


def _limited(
    file: str, test_: RuleTest, program: Program, engines: Engines, timeout: float, *, explain: bool = True
) -> Outcome:
    """Return the outcome of a test; a timeout if it takes longer than so many seconds."""
    try:
        with Clock(Budget(seconds=timeout)).limit():
            return run_test(file, test_, program, engines, explain=explain)
    except OutOfTime:
        message = f"it takes longer than {timeout:g} seconds; --timeout allows more"
        return Outcome(file, test_, program, CaseVerdict.TIMEOUT, timeout, message)
