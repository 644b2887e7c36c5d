"""The results of the checker: guarantees with their verdicts, and findings with their evidence.

Verdicts are about guarantees, sentences that hold for a good program (those of PARTElang:
`parte.checker.partelang.codes`): *proved*, *refuted* with evidence, or *not proved*, which claims nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Literal, Protocol

from parte.checker.solver.verdict import Verdict
from parte.semantics.events.bounds import Bounds, Natural, Positive, Seconds
from parte.semantics.events.codec import Json as Json
from parte.semantics.events.duration import duration_in_words
from parte.semantics.source.spans import Span

HOLDS: Literal[0] = 0
FAILS: Literal[1] = 1
OPEN: Literal[4] = 4
ExitCode = Literal[0, 1, 4]
"""Of the guarantees that can fail a program: 0 if all are proved, 1 if one is refuted, 4 if one was not decided."""


class BoundsReport(Protocol):
    """The needs of a program in a deployment (`parte.checker.partelang.bounds.bounds`): its sizes and rates."""

    @property
    def bounded(self) -> bool:
        """Return whether every size is finite."""

    @property
    def keeps_up(self) -> bool | None:
        """Return whether the machine does the work of the long run; None if its speed is not known."""

    def to_json(self) -> dict[str, Json]:
        """Return the report as plain data."""

    def render(self) -> str:
        """Return the report as tables for people."""


class Severity(Enum):
    """The severity of a finding: an error fails a check; a warning fails it only under `strict`; a note never does."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Place:
    """Another place in the source that a finding is about. `file` is its file if the program consists of several."""

    span: Span
    source_line: str
    label: str
    file: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `code` is stable; `verdict` is about the guarantee of the code, so it is never *proved*.

    `severity` is that of the finding, `refuted` that of the code if the guarantee is refuted. `reason` is the
    explanation, one sentence a line; `evidence` is for programs to read: cycles, traces, values. `seconds` is the time
    of the solver. `file` is the file of the span if the program consists of several.
    """

    code: str
    severity: Severity
    refuted: Severity
    verdict: Annotated[Verdict, Bounds(choices=("refuted", "not proved"))]
    message: str
    span: Span
    source_line: str
    rule: str | None = None
    reason: tuple[str, ...] = ()
    hint: str = ""
    places: tuple[Place, ...] = ()
    evidence: Mapping[str, Json] = field(default_factory=dict)
    seconds: Seconds = 0.0
    file: str = ""


@dataclass(frozen=True, slots=True)
class Guarantee:
    """One guarantee about one subject, the program (`rule` is None) or a rule, and its verdict."""

    name: str
    rule: str | None
    verdict: Verdict
    detail: str = ""
    seconds: Seconds = 0.0
    evidence: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Distance:
    """A row of a closure table: `lower <= subject.timestamp - reference.timestamp <= upper`; None is no bound."""

    subject: str
    reference: str
    negated: bool
    lower: Annotated[int | None, Bounds(meaning="milliseconds; null is no bound")]
    upper: Annotated[int | None, Bounds(meaning="milliseconds; null is no bound")]


@dataclass(frozen=True, slots=True)
class ClosureTable:
    """The closure of the `when` of a rule (D §5.5.3); empty if the windows contradict each other."""

    rule: str
    contradictory: bool
    distances: tuple[Distance, ...]


@dataclass(frozen=True, slots=True)
class Timing:
    """A question to the solver: its name, its answer, its time."""

    name: str
    answer: Annotated[str, Bounds(choices=("satisfiable", "unsatisfiable", "unknown"))]
    seconds: Seconds


@dataclass(frozen=True, slots=True)
class ScheduledRule:
    """The reports of one match of a rule by the runs of a query schedule.

    `least_lookback` is enough for a run to see each match, and a millisecond less is not; None if none is enough, or if
    that was not `decided`. A match has `at_least` and `at_most` so many reports; if `exact`, some match has the former
    number, and some the latter.
    """

    rule: str
    least_lookback: Annotated[int | None, Bounds(meaning="milliseconds; null is none, or not decided")]
    decided: bool
    at_least: Natural
    at_most: Natural
    exact: bool

    def text(self) -> str:
        """Return the figures for people."""
        if self.least_lookback is not None:
            least = f"the least lookback is {duration_in_words(self.least_lookback)}"
        else:
            least = "no lookback is enough" if self.decided else "the least lookback was not decided"
        numbers = f"{self.at_least}" if self.at_least == self.at_most else f"{self.at_least} to {self.at_most}"
        return f"{least}; a match is reported {numbers} time{'' if self.at_most == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class ScheduleReport:
    """A query schedule, durations in milliseconds, and the rules that were examined on it."""

    every: Positive
    lookback: Natural
    delay: Natural
    by: Annotated[str, Bounds(choices=("timestamp", "arrival"))]
    rules: tuple[ScheduledRule, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a check, in source order. `strata` is the certificate of stratification, empty if there is none.

    `bounds` are the needs of the program in a deployment; None without one, or if the program cannot be run. `schedule`
    has the results on a query schedule; None without one. `sentences` are the sentences of the guarantees of the
    language, by their names and in the order in which they are shown.
    """

    guarantees: tuple[Guarantee, ...]
    findings: tuple[Finding, ...]
    strata: Mapping[str, int]
    closures: tuple[ClosureTable, ...]
    queries: tuple[Timing, ...]
    seconds: Seconds
    bounds: BoundsReport | None = None
    sentences: Mapping[str, str] = field(default_factory=dict)
    schedule: ScheduleReport | None = None

    @property
    def exit_code(self) -> ExitCode:
        """Return the exit code of the check. (Invalid programs raise an error and have no report.)"""
        return self.exit_code_of(strict=False)

    def exit_code_of(self, *, strict: bool) -> ExitCode:
        """Return `exit_code`; with `strict`, warnings fail too."""
        failing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
        verdicts = {finding.verdict for finding in self.findings if finding.refuted in failing}
        if Verdict.REFUTED in verdicts:
            return FAILS
        return OPEN if verdicts else HOLDS

    def of(self, code: str) -> tuple[Finding, ...]:
        """Return the findings with a code."""
        return tuple(finding for finding in self.findings if finding.code == code)

    def verdict(self, guarantee: str, rule: str | None = None) -> Verdict:
        """Return the verdict on a guarantee. Raise KeyError if it was not decided."""
        for decided in self.guarantees:
            if decided.name == guarantee and decided.rule == rule:
                return decided.verdict
        raise KeyError((guarantee, rule))
