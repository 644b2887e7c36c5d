"""Collection of the results about one program: the questions to the solver, the guarantees, the findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

from parte.checker.report.contents import Finding, Guarantee, Json, Place, Report, Severity, Timing
from parte.checker.solver.clock import Undecided
from parte.checker.solver.queries import Journal
from parte.checker.solver.verdict import Verdict
from parte.semantics.events.records import read_records
from parte.semantics.source.packages import data_file
from parte.semantics.source.spans import Span


@dataclass(frozen=True, slots=True)
class GuaranteeKind:
    """A sentence that holds for a good program, and its source.

    `matching` is its place among the guarantees that are decided by a search for events that match a rule, and so only
    of rules that can run; 0 if it is not among them.
    """

    name: str
    sentence: str
    section: str
    matching: int = 0


@dataclass(frozen=True, slots=True)
class Code:
    """The code of a finding. `severity` is that of a refuted guarantee, `undecided` that of one not proved."""

    name: str
    guarantee: str
    explanation: str
    severity: Severity
    undecided: Severity = Severity.WARNING


def read_checks(package: str) -> tuple[Mapping[str, GuaranteeKind], Mapping[str, Code]]:
    """Return the guarantees and the codes in the file `checks.toml` of an imported package, by their names. Raise
    BadRecord for an invalid table."""
    path = data_file(package, "checks.toml")
    kinds, codes = read_records(path, "guarantee", GuaranteeKind), read_records(path, "code", Code)
    return {kind.name: kind for kind in kinds}, {code.name: code for code in codes}


class Named(Protocol):
    """A part of a program that has guarantees of its own, such as a rule."""

    @property
    def name(self) -> str: ...


@dataclass(slots=True)
class Collector:
    """A collector of findings and guarantees. A guarantee is proved unless a finding about it says otherwise.

    `codes` are those of the language; `line` returns the line of the source on which a span begins.
    """

    codes: Mapping[str, Code]
    line: Callable[[Span], str]
    journal: Journal
    findings: list[Finding] = field(default_factory=list)
    guarantees: list[Guarantee] = field(default_factory=list)

    @classmethod
    def of_text(cls, codes: Mapping[str, Code], text: str) -> Collector:
        """Return a new collector for the program in a text."""
        lines = text.split("\n")

        def line(span: Span) -> str:
            number = span.start.line
            return lines[number - 1].rstrip("\r") if number <= len(lines) else ""

        return cls(codes, line, Journal())

    def report(self, kinds: Mapping[str, GuaranteeKind], seconds: float) -> Report:
        """Return the report of all results, in source order, with the sentences of the guarantees of the language."""
        return Report(
            tuple(self.guarantees),
            tuple(sorted(self.findings, key=lambda finding: (finding.span.file, finding.span.start, finding.code))),
            {},
            (),
            tuple(Timing(query.name, query.status.value, query.seconds) for query in self.journal.queries),
            seconds,
            sentences={name: kind.sentence for name, kind in kinds.items()},
        )

    def of(self, name: str) -> tuple[Guarantee, ...]:
        """Return the decisions so far about the guarantee called `name`."""
        return tuple(guarantee for guarantee in self.guarantees if guarantee.name == name)

    def find(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        verdict: Verdict = Verdict.REFUTED,
        rule: Named | None = None,
        reason: Sequence[str] = (),
        hint: str = "",
        places: Sequence[tuple[Span, str]] = (),
        evidence: Mapping[str, Json] | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Add a finding; its severity follows from code and verdict."""
        kind = self.codes[code]
        self.findings.append(
            Finding(
                code,
                kind.severity if verdict is Verdict.REFUTED else kind.undecided,
                kind.severity,
                verdict,
                message,
                span,
                self.line(span),
                None if rule is None else rule.name,
                tuple(reason),
                hint,
                tuple(Place(place, self.line(place), label, place.file) for place, label in places),
                {} if evidence is None else evidence,
                seconds,
                span.file,
            )
        )

    @contextmanager
    def undecided(
        self, code: str, span: Span, what: str, hint: str, problems: tuple[type[Exception], ...] = (Undecided,)
    ) -> Iterator[None]:
        """Add a finding that `what` was not decided if the block raises one of `problems`."""
        try:
            yield
        except problems as problem:
            message = f"{what} was not decided"
            self.find(code, span, message, verdict=Verdict.NOT_PROVED, reason=[str(problem)], hint=hint)

    @contextmanager
    def deciding(self, name: str, rule: Named | None = None) -> Iterator[Decision]:
        """Decide a guarantee: the findings inside the block settle the verdict; without any it is proved."""
        if all(code.guarantee != name for code in self.codes.values()):
            raise ValueError(f"no code of a finding is about the guarantee {name}; add one beside it")
        before, started = len(self.findings), perf_counter()
        decision = Decision()
        yield decision
        verdicts = {finding.verdict for finding in self.findings[before:] if self.codes[finding.code].guarantee == name}
        verdict = decision.verdict
        if Verdict.REFUTED in verdicts:
            verdict = Verdict.REFUTED
        elif Verdict.NOT_PROVED in verdicts:
            verdict = Verdict.NOT_PROVED
        subject = None if rule is None else rule.name
        seconds = perf_counter() - started
        self.guarantees.append(Guarantee(name, subject, verdict, decision.detail, seconds, decision.evidence))


@dataclass(slots=True)
class Decision:
    """The verdict, detail and evidence that a decision adds to its guarantee."""

    verdict: Verdict = Verdict.PROVED
    detail: str = ""
    evidence: dict[str, Json] = field(default_factory=dict)
