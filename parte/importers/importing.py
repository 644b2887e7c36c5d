"""Imports: each rule is read, checked, run on its tests, and written; the results of all are a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from parte import api
from parte.checker.environment.deployment import Deployment
from parte.checker.environment.schedule import QuerySchedule
from parte.checker.partelang.codes import CODES
from parte.checker.partelang.scheduled.check import REFUTED, SEEN
from parte.checker.report.contents import Finding, Report, Severity
from parte.importers.files import contents_of, write_files
from parte.importers.imported import Difference, Imported, Importer, Options, Place, Refused, Schedule
from parte.semantics.events.event import Event
from parte.semantics.events.problems import InputError
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError

Count = Callable[[core.Program, Sequence[Event]], int | None]
"""The number of matches of a program on events; None if the definition does not end in time."""


def _count(program: core.Program, events: Sequence[Event]) -> int | None:
    return len(api.run(program, events))


ON_SCHEDULE: Final = (SEEN, REFUTED)
"""The guarantees that are about a schedule."""
HOLDS: Final = 0
FAILS: Final = 1
OPEN: Final = 4


@dataclass(frozen=True, slots=True)
class TestResult:
    """A test of a rule: what it expects, and how many matches the program has on its events; None if the definition
    did not end in time."""

    name: str
    expected: bool | int
    matches: int | None
    place: Place | None = None

    @property
    def agrees(self) -> bool:
        """Return whether the program matches as the test expects."""
        if self.matches is None or not isinstance(self.expected, bool):
            return self.matches == self.expected
        return (self.matches > 0) == self.expected


@dataclass(frozen=True, slots=True)
class Result:
    """The result for a rule. It is refused if there is a reason; otherwise `files` are written.

    `nearest` says that `--nearest` would write a refused rule. `check` is the exit code of `parte check`; None if the
    rule is refused, or was not checked. `on_schedule` are the findings about the schedule that the file names, which
    fail no check: what a query sees is no property of the rule.
    """

    name: str
    place: Place
    reason: str = ""
    nearest: bool = False
    files: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    check: int | None = None
    findings: tuple[Finding, ...] = ()
    schedule: Schedule | None = None
    on_schedule: tuple[Finding, ...] = ()
    tests: tuple[TestResult, ...] = ()

    @property
    def code(self) -> int:
        """Return the exit code that this rule alone asks for."""
        if self.reason or self.check == FAILS or not all(test.agrees for test in self.tests):
            return FAILS
        return OPEN if self.check == OPEN else HOLDS

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "rule": self.name,
            **_placed(self.place),
            "result": "refused" if self.reason else "written",
            **({"reason": self.reason, "nearest": self.nearest} if self.reason else {}),
            "files": list(self.files),
            "differences": [{**_placed(difference.place), "text": difference.text} for difference in self.differences],
            "check": self.check,
            "findings": [_finding(finding) for finding in self.findings],
            "schedule": None
            if self.schedule is None
            else {
                "every": self.schedule.every,
                "lookback": self.schedule.lookback,
                "findings": [_finding(finding) for finding in self.on_schedule],
            },
            "tests": [
                {"name": test.name, "expected": test.expected, "matches": test.matches, "agrees": test.agrees}
                for test in self.tests
            ],
        }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "verdict": finding.verdict.value,
        "message": finding.message,
        "line": finding.span.start.line,
        "column": finding.span.start.column,
    }


def _placed(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column}


def exit_code(results: Sequence[Result]) -> int:
    """Return the exit code: 1 if a rule is refused, or fails its check or a test; 4 if only a check is open."""
    codes = {result.code for result in results}
    return FAILS if FAILS in codes else OPEN if OPEN in codes else HOLDS


def imports(
    read: Importer,
    files: Sequence[str],
    options: Options,
    directory: str,
    *,
    force: bool,
    timeout: float,
    count: Count = _count,
    deployment: Deployment | None = None,
    checked: Callable[[Imported], bool] = lambda _: True,
) -> Iterator[Result]:
    """Import the rules of files into a directory, one after the other. Of a deployment, the templates of a rule count.

    Only the rules for which `checked` returns true are checked, on their schedules too; without it, all are. `timeout`:
    seconds for one question to the solver, and for all sizes. `count` runs the tests. Raise OSError if the directory
    cannot be written, and Unavailable without a solver.
    """
    taken: dict[str, Place] = {}
    for rule in read(files, options):
        if isinstance(rule, Refused):
            yield Result(rule.name, rule.place, rule.reason, rule.nearest and not options.nearest)
            continue
        before = taken.setdefault(rule.name.lower(), rule.place)
        if before != rule.place:
            where = f"{before.file}:{before.line}"
            yield Result(rule.name, rule.place, f"the rule in {where} has the name {rule.name} too; rename one of them")
            continue
        yield _import(rule, directory, force, timeout, count, deployment, checked(rule))


def _import(
    rule: Imported,
    directory: str,
    force: bool,
    timeout: float,
    count: Count,
    deployment: Deployment | None,
    checked: bool,
) -> Result:
    try:
        program = parse(rule.program)
    except ProgramError as error:
        first = error.diagnostics[0]
        return Result(rule.name, rule.place, f"its program is none: {first.message} [{first.code}]")
    try:
        tests = tuple(
            TestResult(test.name, test.matches, count(program, test.events), test.place) for test in rule.tests
        )
    except InputError as error:
        return Result(rule.name, rule.place, f"a test of it is no trace: {error}")
    report = _check(rule, program, timeout, deployment) if checked else None
    reported = () if report is None else report.findings
    on_schedule = tuple(finding for finding in reported if CODES[finding.code].guarantee in ON_SCHEDULE)
    if report is not None:
        report = replace(report, findings=tuple(finding for finding in reported if finding not in on_schedule))
    try:
        files = write_files(directory, contents_of(rule), force=force)
    except FileExistsError as error:
        return Result(rule.name, rule.place, f"{error.filename} exists, and --force is needed to replace it")
    return Result(
        rule.name,
        rule.place,
        files=tuple(files),
        differences=rule.differences,
        check=None if report is None else report.exit_code,
        findings=() if report is None else report.findings,
        schedule=rule.schedule,
        on_schedule=on_schedule,
        tests=tests,
    )


def _check(rule: Imported, program: core.Program, timeout: float, deployment: Deployment | None) -> Report:
    return api.check(
        program,
        None if deployment is None else deployed(deployment, program),
        schedule=None if rule.schedule is None else QuerySchedule(rule.schedule.every, rule.schedule.lookback),
        timeout=timeout,
    )


def deployed(deployment: Deployment, program: core.Program) -> Deployment | None:
    """Return the part of a deployment that is about a program; None if it names none of its templates."""
    names = {template.name for template in program.templates}
    sources = (
        replace(source, emits=tuple(emits for emits in source.emits if emits.template in names))
        for source in deployment.sources
    )
    supplied = tuple(source for source in sources if source.emits)
    if not supplied:
        return None
    return replace(
        deployment,
        sources=supplied,
        cardinalities=tuple(cardinality for cardinality in deployment.cardinalities if cardinality.template in names),
    )


def lines_of(result: Result) -> Iterator[str]:
    """Yield what a reader wants to know of a rule beside the table, a line each: why it is refused, where it differs
    from the original, what the checker found, which tests disagree."""
    where = _written(result.place)
    if result.reason:
        yield f"{where}: refused: {result.reason}"
        if result.nearest:
            yield "  hint: --nearest writes a program that is near"
    for difference in result.differences:
        yield f"{_written(difference.place)}: difference: {difference.text}"
    program = result.files[0] if result.files else result.name
    for finding in result.findings:
        start = finding.span.start
        yield f"{program}:{start.line}:{start.column}: {finding.severity.value}[{finding.code}]: {finding.message}"
    for finding in result.on_schedule:
        start = finding.span.start
        yield f"{program}:{start.line}:{start.column}: on its schedule [{finding.code}]: {finding.message}"
    for test in result.tests:
        where = _written(test.place or result.place)
        if test.matches is None:
            yield f"{where}: test {test.name!r} takes longer than the limit; --timeout allows more"
        elif not test.agrees:
            yield f"{where}: test {test.name!r} expects {_said(test.expected)}, and the program has {test.matches}"


def _written(place: Place) -> str:
    return f"{place.file}:{place.line}:{place.column}"


def _said(expected: bool | int) -> str:
    if isinstance(expected, bool):
        return "matches" if expected else "no match"
    return f"{expected} matches"


def checked(result: Result) -> str:
    """Return what the checker says of a rule, in a word or two."""
    if result.check is None:
        return ""
    worst = {finding.severity for finding in result.findings}
    if result.check == OPEN:
        return "open"
    if result.check == FAILS:
        return "fails"
    named = [severity.value for severity in (Severity.WARNING, Severity.NOTE) if severity in worst]
    return f"holds, {named[0]}" if named else "holds"
