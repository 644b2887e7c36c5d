"""`parte conform`: engines against the suite, and `parte engine`: a model of this project as such an engine."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from parte import api, terminal
from parte.commands.languages import chosen_language
from parte.conformance.constructs import declarable, unknown
from parte.conformance.diagnosis.alone import told_apart
from parte.conformance.diagnosis.asking import content_of_case
from parte.conformance.diagnosis.declarations import earned, lacking, remarks
from parte.conformance.diagnosis.grouping import SECONDS
from parte.conformance.diagnosis.grouping import causes as why
from parte.conformance.engines.registry import engine_called, foreign
from parte.conformance.engines.server import serve
from parte.conformance.fixtures import Fixture, FixtureError, Suite
from parte.conformance.kit import KIT
from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.reports.text import MOST_SHOWN, show, show_case
from parte.conformance.results import CaseVerdict, Cause, EngineInfo, Report, Result, report_lines, result_line
from parte.conformance.runner.judging import NOT_ASKED, Prepared, prepare
from parte.conformance.runner.known import KnownFailuresError, Listed, apply_known, known_lines, read_known
from parte.conformance.runner.running import DEFAULT_TIMEOUT, EngineRun, Settings, run_engine
from parte.conformance.runner.sessions import EngineSpec
from parte.conformance.runner.smoke import smoke
from parte.conformance.runner.specs import SpecError, specs_of
from parte.conformance.suites import load_suite
from parte.inputs import deliver, explained, requests, writing
from parte.languages.language import Language
from parte.languages.partelang import PARTELANG
from parte.languages.registry import is_joined
from parte.options import (
    ModelOption,
    RepairOption,
    ScheduleOption,
    SeedOption,
    VariantOption,
    WithoutOption,
    check_machine_options,
    check_name,
    finite,
    model_of,
    wrong,
)
from parte.semantics.events.files import MAX_REPORT, opened, read_text
from parte.semantics.source.similar import advice

_FOREIGN = foreign(PARTELANG[KIT].engines())

_LEAST_ASKED = 20
"""An engine that ran less than one in so many cases is reported as hardly tested."""

EnginesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="ENGINE...",
        help="Each argument is one engine: a command in quotes, or model:NAME for one of this project; LABEL= "
        "before it names it.",
    ),
]
TimeoutOption = Annotated[
    float,
    typer.Option(
        "--timeout", min=0.1, callback=finite, metavar="SECONDS", help="For one case, and for an engine to start."
    ),
]
IncrementalOption = Annotated[
    bool, typer.Option("--incremental", help="Also feed traces line by line, if an engine has that feature.")
]
SuiteOption = Annotated[
    str | None, typer.Option("--suite", metavar="DIR", help="Another suite. [default: the one of this project]")
]


def conform(
    context: typer.Context,
    engines: EnginesArgument,
    profile: Annotated[
        list[str] | None, typer.Option("--profile", metavar="NAME", help="Only cases of a profile; may be repeated.")
    ] = None,
    without_profile: Annotated[
        list[str] | None,
        typer.Option("--without-profile", metavar="NAME", help="No cases of a profile; may be repeated."),
    ] = None,
    declared: Annotated[
        bool, typer.Option("--declared", help="Do not ask an engine what needs a construct that it does not declare.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="VERSION", help="Only cases that came with this suite, or a later one."),
    ] = None,
    expect_digest: Annotated[
        list[str] | None,
        typer.Option(
            "--expect-digest",
            metavar="DIGEST",
            help="Refuse a suite with another digest: other cases. PROFILE=DIGEST for an extension of the language.",
        ),
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="ID", help="Only this case, or the cases in this folder; may be repeated."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, max=64, help="Processes of each engine. [default: one a processor]")
    ] = None,
    timeout: TimeoutOption = DEFAULT_TIMEOUT,
    report: Annotated[
        str | None, typer.Option("--report", metavar="FILE", help="Write all results, for parte report.")
    ] = None,
    smoke_only: Annotated[
        bool, typer.Option("--smoke", help="Only try whether the engine speaks the protocol; judge nothing else.")
    ] = False,
    incremental: IncrementalOption = False,
    known_failures: Annotated[
        str | None,
        typer.Option("--known-failures", metavar="FILE", help="Failures that may happen; fails if they do not."),
    ] = None,
    write_known_failures: Annotated[
        str | None, typer.Option("--write-known-failures", metavar="FILE", help="List all that failed, for later runs.")
    ] = None,
    repeat: Annotated[
        int,
        typer.Option("--repeat", min=1, max=1000, metavar="N", help="Ask all cases so often; answers must be alike."),
    ] = 1,
    shuffle: Annotated[
        int | None,
        typer.Option("--shuffle", metavar="SEED", help="Ask the cases in an order drawn from a seed, anew each time."),
    ] = None,
    causes: Annotated[
        float,
        typer.Option(
            "--causes",
            min=0,
            callback=finite,
            metavar="SECONDS",
            help="For finding known errors that behave as an engine.",
        ),
    ] = SECONDS,
    suite: SuiteOption = None,
) -> None:
    """Run the conformance suite against engines, and say where they depart from the reference, and why.

    Failures are grouped by cause: the known error (`parte suite mutants`) that answers alike, or else the clause of
    the specification that they have in common.

    Exit codes: 0 if no case failed that is not known to; 1 if one did, or a list of known failures is out of date; 2
    if an engine never starts or declares what is no construct, or an input cannot be used; 5 if none failed, but an
    engine supports no case, or --declared leaves next to none. A
    file of the suite that cannot be read is reported and ends in 2, after the cases of the others were run.
    """
    language = chosen_language(context)
    specs = engines_called(engines, language)
    settings = Settings(
        jobs or os.cpu_count() or 1,
        timeout,
        incremental,
        language=language.name,
        repeat=repeat,
        shuffle=shuffle,
        declared=declared,
    )
    if smoke_only:
        _smoke(specs, settings, language)
        return
    unread: list[str] = []
    loaded = suite_from(suite, language, unread.append)
    for fault in unread:
        terminal.error(fault, "parte suite lint says what is wrong with a suite")
    _check_digests(loaded, expect_digest or (), language)
    chosen = _select(loaded, language, profile, case, without_profile, since)
    listed = {} if known_failures is None else _listed(known_failures, loaded, specs)
    if write_known_failures is not None:
        with writing(write_known_failures):  # a run may take long, and would be for nothing
            opened(write_known_failures, "ab").close()
    settings = replace(settings, suite=loaded.version, directory=suite or "")
    started = datetime.now(UTC).isoformat(timespec="seconds")
    engines_told = tuple(EngineInfo(spec.label, spec.command) for spec in specs)
    begun = Report(
        loaded.version, loaded.digest, started, engines_told, (), False, language.name, extensions=loaded.extensions
    )
    cases = {fixture.id: prepare(fixture, language) for fixture in chosen}
    with _journal(report, begun) as note:
        runs = _run(specs, list(cases.values()), settings, note)
    known = apply_known(_by_case(runs), listed)
    result = replace(begun, engines=tuple(run.info for run in runs), results=known.results, complete=True)
    result = _diagnosed(result, cases, language, specs, settings, causes)
    if len(chosen) == len(loaded.cases):
        result = _with_what_is_earned(result, cases, settings)
    if report is not None:
        _write(report, report_lines(result))
    unstarted = [info for info in result.engines if info.failure]
    if len(unstarted) < len(specs):
        show(terminal.output_console(), result)
        if len(chosen) == 1:
            for content in result.asked:
                show_case(terminal.output_console(), content)
    for info in unstarted:
        _tell_unstarted(info, result)
    if unstarted:
        raise typer.Exit(terminal.UNUSABLE)
    if write_known_failures is not None:
        lines = list(known_lines(known.results))
        _write(write_known_failures, lines)
        terminal.note(f"{write_known_failures} lists {len(lines):,} of these cases")
    if known.outdated:
        more = len(known.outdated) - MOST_SHOWN
        lines = [*known.outdated[:MOST_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        terminal.error(
            "\n  ".join([f"{known_failures} is out of date:", *lines]), "write it anew with --write-known-failures"
        )
    new = [spec.label for spec in specs if any(item.verdict.bad and not item.known for item in result.of(spec.label))]
    unlisted = [label for label in new if listed and label not in {name for name, _ in listed}]
    if known_failures is not None and unlisted:
        terminal.note(_nothing_listed(known_failures, listed, unlisted))
    for info in result.engines:
        if declared and info.constructs is None:
            terminal.note(f"{info.label} declares no constructs, so --declared leaves nothing out")
    undeclarable = [_tell_undeclarable(info, language) for info in result.engines]
    if unread or any(undeclarable):
        raise typer.Exit(terminal.UNUSABLE)
    if known.outdated or new:
        raise typer.Exit(terminal.DIFFERENT)
    unknowns = [_nothing_is_known(info, result, cases) for info in result.engines]
    if any(unknowns):
        raise typer.Exit(terminal.UNSUPPORTED)


def engine(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help=f"A foreign engine instead of a model: {', '.join(_FOREIGN)}."),
    ] = None,
    model: ModelOption = "sound",
    repair: RepairOption = None,
    without: WithoutOption = None,
    variant: VariantOption = None,
    schedule: ScheduleOption = None,
    seed: SeedOption = None,
) -> None:
    """Serve a model, or the foreign engine NAME, as one under test: requests on standard input, replies on output.

    The protocol is described in docs/conformance.md. `parte conform 'parte engine'` tries it.
    """
    if name is not None:
        _serve_foreign(name)
        return
    chosen = model_of(model, repair, without, variant)
    check_machine_options(model, schedule, seed, None)
    served = ReferenceEngine(chosen, api.schedule_called(schedule, seed))
    serve(served, requests(), sys.stdout.buffer, sys.stderr.buffer)


def _serve_foreign(name: str) -> None:
    check_name("NAME", "foreign engine", name, _FOREIGN)
    serve(engine_called(PARTELANG[KIT].engines(), name), requests(), sys.stdout.buffer, sys.stderr.buffer)


# --- Inputs -----------------------------------------------------------------------------------------------------------


def suite_from(path: str | None, language: Language, tell: Callable[[str], None] | None = None) -> Suite:
    """The suite of a language in a directory, or that of the project. Report what is wrong with it."""
    with terminal.refusing(FixtureError, hint="parte suite lint says what is wrong with a suite"):
        return load_suite(language, Path(path) if path else None, tell)


def engines_called(engines: Sequence[str], language: Language) -> tuple[EngineSpec, ...]:
    """The engines for a language that arguments name. Report what is wrong with one of them."""
    try:
        return specs_of(engines, language[KIT].engines(), "" if is_joined(language) else language.name)
    except SpecError as error:
        raise terminal.unusable(str(error), error.hint) from None


def check_profiles(names: Sequence[str], language: Language, option: str = "--profile") -> None:
    """Raise a usage error for a name that is no profile."""
    for name in names:
        check_name(option, "profile", name, language[KIT].profiles)


def _check_digests(suite: Suite, expected: Iterable[str], language: Language) -> None:
    """Reject a suite whose cases have changed."""
    for name in expected:
        profile, equals, digest = name.rpartition("=")
        if equals:
            check_name("--expect-digest", "profile of an extension", profile, language[KIT].extensions)
        actual = suite.extensions.get(profile, "") if equals else suite.digest
        if digest != actual:
            hint = f"the suite has changed; --expect-digest {profile}{equals}{actual} takes it as it is"
            raise terminal.unusable(f"suite {suite.version} has the digest {profile}{equals}{actual}, not {name}", hint)


def _select(
    suite: Suite,
    language: Language,
    profiles: Sequence[str] | None,
    cases: Sequence[str] | None,
    without: Sequence[str] | None,
    since: str | None,
) -> tuple[Fixture, ...]:
    check_profiles(profiles or (), language)
    check_profiles(without or (), language, "--without-profile")
    if since is not None and not re.fullmatch(r"\d{1,6}\.\d{1,6}", since):
        raise wrong("--since", f"{since!r} is no version of a suite, such as {suite.version}")
    try:
        chosen = suite.select(profiles or (), cases or (), without or (), since or "0.0")
    except KeyError as error:
        hint = advice(str(error.args[0]), suite.cases, "parte suite list shows them")
        raise wrong("--case", f"no case has the id {error.args[0]!r}; {hint}") from None
    if not chosen and since is not None:
        raise wrong("--since", f"no case that is chosen came with {since} or later; this is suite {suite.version}")
    if not chosen and cases:
        raise wrong("--case", "no case of these profiles has this id")
    if not chosen:
        raise wrong("--profile" if profiles else "--suite", f"the suite has no cases{' of it' if profiles else ''}")
    return chosen


def _listed(path: str, suite: Suite, specs: Sequence[EngineSpec]) -> Listed:
    """A list of known failures. Reject one that names none of the engines, because it would be ignored."""
    with explained(path):
        lines = read_text(path, MAX_REPORT).split("\n")
    with terminal.refusing(KnownFailuresError, hint="--write-known-failures writes such a list", where=path):
        listed = read_known(lines, suite.cases)
    if listed and all(spec.label not in {label for label, _ in listed} for spec in specs):
        bare = specs[0].command.removeprefix(f"{specs[0].label}=")
        named = shlex.quote(f"{next(iter(listed))[0]}={bare}")
        hint = f"cases are listed under the label of an engine; call it {named}, or write the list anew"
        raise terminal.unusable(_nothing_listed(path, listed, [spec.label for spec in specs]), hint)
    return listed


def _nothing_listed(path: str, listed: Listed, labels: Sequence[str]) -> str:
    known = list(dict.fromkeys(label for label, _ in listed))
    more = ["…"] if len(known) > MOST_SHOWN else []
    return f"{path} lists nothing for {', '.join(labels)}; its labels: {', '.join([*known[:MOST_SHOWN], *more])}"


def _write(path: str, lines: Iterable[str]) -> None:
    deliver("".join(f"{line}\n" for line in lines), path)


@contextmanager
def _journal(path: str | None, begun: Report) -> Iterator[Callable[[Result], None]]:
    """Write results as they come to the file of the report, without a last line; the whole report replaces it later.

    So after a kill the file is neither an older report nor a whole one. Only a regular file can be replaced.
    """
    if path is None or (Path(path).exists() and not Path(path).is_file()):
        yield lambda _: None
        return
    with ExitStack() as open_files:
        with writing(path):
            file = open_files.enter_context(opened(path, "wb"))
        whole = True

        def note(line: str) -> None:
            nonlocal whole
            data = f"{line}\n".encode()
            with suppress(OSError):  # on a full disk the run goes on; the whole report will not fit either
                whole = whole and file.write(data) == len(data)
                return
            whole = False

        for line in report_lines(begun):
            note(line)
        yield lambda result: note(result_line(result))


# --- Running ----------------------------------------------------------------------------------------------------------


def _run(
    specs: Sequence[EngineSpec], cases: Sequence[Prepared], settings: Settings, note: Callable[[Result], None]
) -> list[EngineRun]:
    console = terminal.errors_console()
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        runs = []
        for spec in specs:
            task = progress.add_task(terminal.printable(spec.label), total=len(cases))

            def report_result(result: Result, task: object = task) -> None:
                note(result)
                progress.advance(task)  # type: ignore[arg-type] # an id that rich made

            runs.append(run_engine(spec, cases, settings, report_result))
    return runs


def _diagnosed(
    report: Report,
    cases: Mapping[str, Prepared],
    language: Language,
    specs: Sequence[EngineSpec],
    settings: Settings,
    seconds: float,
) -> Report:
    """A report with the causes of failures, the requirements of failed cases, and remarks on declared constructs."""
    causes: list[Cause] = []
    engines = []
    for engine, spec in zip(report.engines, specs, strict=True):
        results = report.of(engine.label)
        if not engine.failure:
            grouped = why(results, cases, language, seconds)
            if len(cases) * settings.repeat > 1:  # else the engine ran it alone
                alone = partial(_passes_alone, spec, settings)
                again = partial(why, cases=cases, language=language, seconds=seconds)
                grouped = told_apart(grouped, results, cases, alone, again, seconds)
            causes += grouped
        if engine.constructs is not None:
            remarks_on_engine = remarks(engine.constructs, results, cases, declarable(language))
            engine = replace(engine, remarks=tuple(remarks_on_engine))
        engines.append(engine)
    failed = dict.fromkeys(case for cause in causes for case in cause.cases)
    failed |= dict.fromkeys(result.case for result in report.results if result.known)
    contents = tuple(content_of_case(cases[case].fixture) for case in failed)
    return replace(report, engines=tuple(engines), causes=tuple(causes), asked=contents)


def _with_what_is_earned(report: Report, cases: Mapping[str, Prepared], settings: Settings) -> Report:
    """A report of the whole suite with the constructs that each engine may declare, if it declares others. Cases that
    were not run prove nothing, and an engine that passes all cases need declare nothing."""
    engines = []
    for engine in report.engines:
        results = report.of(engine.label)
        whole = engine.constructs is None or not settings.declared
        if whole and not engine.failure and any(item.verdict is not CaseVerdict.PASS for item in results):
            earned_constructs = earned(results, cases)
            if earned_constructs.constructs and set(earned_constructs.constructs) != set(engine.constructs or ()):
                engine = replace(engine, earned=earned_constructs)
        engines.append(engine)
    return replace(report, engines=tuple(engines))


def _tell_undeclarable(engine: EngineInfo, language: Language) -> bool:
    """Report what an engine declares that is no construct. Return whether there is any."""
    wrong = [] if engine.constructs is None else unknown(engine.constructs, declarable(language))
    if wrong:
        terminal.error(f"{engine.label} declares {' and '.join(wrong)}", "docs/constructs.md lists all that there are")
    return bool(wrong)


def _nothing_is_known(engine: EngineInfo, report: Report, cases: Mapping[str, Prepared]) -> bool:
    """Report that an engine supports no case, or ran hardly any, so that nothing is known. Return whether it is so."""
    results = report.of(engine.label)
    unasked = [cases[item.case] for item in results if item.message.startswith(NOT_ASKED)]
    asked_cases = len(results) - len(unasked)
    if unasked and asked_cases * _LEAST_ASKED < len(results):
        most = ", ".join(f"{name} ({count})" for name, count in lacking(engine.constructs or (), unasked))
        summary = f"{engine.label} was asked {asked_cases} of {len(results)} cases, so almost nothing is known about it"
        reason = f"most need what it does not declare: {most}"
        terminal.note(f"{summary}; {reason}. A run of the whole suite without --declared says what it may declare")
        return True
    if all(item.verdict is CaseVerdict.UNSUPPORTED for item in results):
        terminal.note(f"{engine.label} supports none of these cases, so nothing is known of it")
        return True
    return False


def _passes_alone(spec: EngineSpec, settings: Settings, case: Prepared) -> bool:
    """Return whether an engine passes a case that is the first one of a new process."""
    (result,) = run_engine(spec, [case], replace(settings, jobs=1, repeat=1)).results
    return result.verdict is CaseVerdict.PASS


def _tell_unstarted(engine: EngineInfo, report: Report) -> None:
    stderr = next((result.stderr for result in report.of(engine.label) if result.stderr), "")
    lines = [f"  stderr: {line}" for line in stderr.rstrip("\n").split("\n")[-10:] if line]
    terminal.error(
        "\n".join([f"{engine.label} never started: {engine.failure}", *lines]),
        "parte conform --smoke ENGINE tries its first steps",
    )


def _by_case(runs: Sequence[EngineRun]) -> list[Result]:
    return [result for results in zip(*(run.results for run in runs), strict=True) for result in results]


def _smoke(specs: Sequence[EngineSpec], settings: Settings, language: Language) -> None:
    passed = True
    console = terminal.output_console()
    for spec in specs:
        for check in smoke(spec, settings, language):
            passed &= check.passed
            word, style = ("ok", "green") if check.passed else ("FAILED", "bold red")
            console.print(Text.assemble(f"{spec.label}: ", (word, style), f" {check.name}"))
            if not check.passed or check.outcome.endswith("none"):
                console.print(f"    {terminal.printable(check.outcome)}", markup=False, soft_wrap=True)
            if check.stderr:
                for line in check.stderr.rstrip().split("\n")[-10:]:
                    console.print(f"    stderr: {terminal.printable(line)}", markup=False, soft_wrap=True)
    if not passed:
        raise typer.Exit(terminal.UNUSABLE)
