"""The results of tests for other programs: JUnit XML, TAP and JSON, from the same results."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from parte.conformance.reports.junit import junit
from parte.conformance.reports.tap import tap
from parte.conformance.results import CaseVerdict, EngineInfo, Report, Result, some_matches
from parte.rule_tests.discovery import Flaw
from parte.rule_tests.mutants import Examined, Status, Survey
from parte.rule_tests.running import Outcome
from parte.rule_tests.showing import labelled
from parte.semantics.events.bounds import Bounds, Natural, Positive, Seconds, Text
from parte.semantics.events.codec import Codec
from parte.semantics.events.installation import version

Json = Any

FORMAT: Literal["parte-tests"] = "parte-tests"
VERSION: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class Run:
    """The results of a run of tests by a model, the flaws of files, which keep tests from being run, and what became of
    the edits of rules, if they were tried."""

    model: str
    outcomes: tuple[Outcome, ...]
    flaws: tuple[Flaw, ...]
    surveys: tuple[Survey, ...] | None = None

    @property
    def unusable(self) -> bool:
        """True if something could not be run."""
        return bool(self.flaws) or any(outcome.unusable for outcome in self.outcomes)

    @property
    def failed(self) -> bool:
        """True if a test did not pass, or does not notice an edit."""
        unnoticed = any(survey.having(Status.UNNOTICED) for survey in self.surveys or ())
        return unnoticed or any(outcome.verdict is not CaseVerdict.PASS for outcome in self.outcomes)


# --- As a report of the conformance kit -------------------------------------------------------------------------------


def as_junit(run: Run) -> str:
    """Return the results as JUnit XML; a file that cannot be used is an error."""
    report, lines = _report(run)
    return junit(report, _title(run), lambda result: lines[result.profile, result.case])


def as_tap(run: Run) -> str:
    """Return the results in the Test Anything Protocol; a file that cannot be used is a failure."""
    report, lines = _report(run)
    return tap(report, _title(run), lambda result: lines[result.profile, result.case])


def _title(run: Run) -> str:
    return f"tests of rules, by {run.model} of PARTE {version()}"


def _report(run: Run) -> tuple[Report, Mapping[tuple[str, str], Sequence[str]]]:
    """Return a report with a profile for each file, and the details of each result by file and name."""
    results: list[Result] = []
    lines: dict[tuple[str, str], Sequence[str]] = {}
    for outcome in run.outcomes:
        name = f"{outcome.file} {outcome.test.id}"
        reason = next((line for _, line in labelled(outcome)), "") if outcome.verdict is not CaseVerdict.PASS else ""
        verdict = CaseVerdict.ERROR if outcome.verdict is CaseVerdict.UNSUPPORTED else outcome.verdict
        about = outcome.test.about or outcome.test.id
        results.append(Result(run.model, name, outcome.file, about, verdict, outcome.seconds, reason))
        lines[outcome.file, name] = [*_labelled(outcome), f"rerun: {rerun(outcome)}"]
    for flaw in run.flaws:
        name = f"{flaw.file}:{flaw.line}:{flaw.column} {flaw.message}"
        results.append(
            Result(run.model, name, flaw.file, "a file that cannot be used", CaseVerdict.ERROR, 0.0, str(flaw))
        )
        lines[flaw.file, name] = [str(flaw), *[f"hint: {flaw.hint}"] * bool(flaw.hint)]
    engine = EngineInfo(run.model, "parte test", f"parte {run.model}", version())
    return Report("rules", "", "", (engine,), tuple(results)), lines


def _labelled(outcome: Outcome) -> Iterator[str]:
    if outcome.verdict is not CaseVerdict.PASS:
        yield from (f"{word:9}{line}" for word, line in labelled(outcome))


def rerun(outcome: Outcome) -> str:
    """Return the command that runs a test again."""
    return shlex.join(["parte", "test", outcome.file, "--case", outcome.test.id])


# --- As JSON ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Flaw:
    file: Text
    line: Annotated[int, Bounds(least=0, meaning="from 1; 0: the whole file")]
    column: Natural
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class _Test:
    """The result of a test. The lists of matches have the first of each kind."""

    file: Text
    line: Positive
    id: Text
    about: str
    program: Text
    language: Text
    verdict: CaseVerdict
    seconds: Seconds
    message: str
    expected: tuple[str, ...]
    got: tuple[str, ...]
    missing: tuple[Json, ...]
    spurious: tuple[Json, ...]
    reasons: Annotated[tuple[str, ...], Bounds(meaning="why matches are missing, as parte why says it")]
    flaws: tuple[_Flaw, ...]


@dataclass(frozen=True, slots=True)
class _Edit:
    """An edit of a rule, and what became of it."""

    file: Text
    line: Positive
    column: Positive
    rule: Text
    kind: Text
    before: str
    after: Annotated[str, Bounds(meaning="empty if the part is dropped")]
    status: Status
    by: Annotated[str, Bounds(meaning="the id of a test that notices the edit")]
    suggestion: Annotated[str, Bounds(meaning="a test that would notice it, for a file of tests")]


@dataclass(frozen=True, slots=True)
class _Run:
    """The results of parte test: the number of tests with each verdict, the tests, and flaws of files; with --mutants
    the edits of rules."""

    format: Literal["parte-tests"]
    version: Literal[1]
    model: Text
    counts: Mapping[str, Natural]
    tests: tuple[_Test, ...]
    flaws: tuple[_Flaw, ...]
    edits: tuple[_Edit, ...] | None = None


CODEC: Codec[_Run] = Codec(_Run, sparse={_Run: ["edits"]}, optional={})


def schema() -> dict[str, Any]:
    """Return the JSON Schema of `as_json`."""
    return CODEC.schema(f"https://parte.example/schemas/tests-{VERSION}.json", "The results of parte test")


def as_json(run: Run) -> str:
    """Return the results as one line of JSON, with the edits of rules if they were tried."""
    counts = Counter(outcome.verdict.value for outcome in run.outcomes)
    tests = tuple(map(_test, run.outcomes))
    edits = (
        None if run.surveys is None else tuple(_edit(examined) for survey in run.surveys for examined in survey.edits)
    )
    form = _Run(FORMAT, VERSION, run.model, dict(counts), tests, tuple(map(_flaw, run.flaws)), edits)
    return json.dumps(CODEC.encode(form), ensure_ascii=False, allow_nan=False)


def _test(outcome: Outcome) -> _Test:
    test, program = outcome.test, outcome.program
    return _Test(
        outcome.file,
        test.line,
        test.id,
        test.about,
        program.path,
        program.language.name,
        outcome.verdict,
        round(outcome.seconds, 4),
        outcome.message,
        outcome.expected,
        outcome.got,
        some_matches(outcome.missing),
        some_matches(outcome.spurious),
        outcome.reasons,
        tuple(map(_flaw, outcome.flaws)),
    )


def _edit(examined: Examined) -> _Edit:
    edit, suggestion = examined.edit, examined.suggestion
    place = (edit.file, edit.line, edit.column, edit.name, edit.kind, edit.before, edit.after)
    return _Edit(*place, examined.status, examined.by, "" if suggestion is None else suggestion.text)


def _flaw(flaw: Flaw) -> _Flaw:
    return _Flaw(flaw.file, flaw.line, flaw.column, flaw.message, flaw.hint)
