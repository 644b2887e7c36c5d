"""Collecting what is found about one program: the questions asked, the guarantees decided, the findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from parte.checker.parte.codes import CODES, GUARANTEES
from parte.checker.parte.sources import RuleSource, Sources
from parte.checker.report.contents import Finding, Guarantee, Json, Place
from parte.checker.solver.queries import Journal
from parte.checker.solver.verdict import Verdict
from parte.semantics.source.spans import Span


@dataclass(slots=True)
class Collector:
    """Gathers findings and guarantees. A guarantee is proved unless a finding about it says otherwise."""

    sources: Sources
    journal: Journal
    findings: list[Finding] = field(default_factory=list)
    guarantees: list[Guarantee] = field(default_factory=list)

    def find(
        self,
        code: str,
        span: Span,
        message: str,
        *,
        verdict: Verdict = Verdict.REFUTED,
        rule: RuleSource | None = None,
        reason: Sequence[str] = (),
        hint: str = "",
        places: Sequence[tuple[Span, str]] = (),
        evidence: Mapping[str, Json] | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Add a finding; its severity follows from code and verdict."""
        kind = CODES[code]
        self.findings.append(
            Finding(
                code,
                kind.severity if verdict is Verdict.REFUTED else kind.undecided,
                kind.severity,
                verdict,
                message,
                span,
                self.sources.line(span),
                None if rule is None else rule.rule.name,
                tuple(reason),
                hint,
                tuple(Place(place, self.sources.line(place), label) for place, label in places),
                {} if evidence is None else evidence,
                seconds,
            )
        )

    @contextmanager
    def deciding(self, name: str, rule: RuleSource | None = None) -> Iterator[Decision]:
        """Decide a guarantee: what is found inside about it settles the verdict, else it is proved."""
        assert name in GUARANTEES
        before, started = len(self.findings), perf_counter()
        decision = Decision()
        yield decision
        verdicts = {finding.verdict for finding in self.findings[before:] if CODES[finding.code].guarantee == name}
        verdict = decision.verdict
        if Verdict.REFUTED in verdicts:
            verdict = Verdict.REFUTED
        elif Verdict.NOT_PROVED in verdicts:
            verdict = Verdict.NOT_PROVED
        subject = None if rule is None else rule.rule.name
        seconds = perf_counter() - started
        self.guarantees.append(Guarantee(name, subject, verdict, decision.detail, seconds, decision.evidence))


@dataclass(slots=True)
class Decision:
    """What a decision adds to its guarantee."""

    verdict: Verdict = Verdict.PROVED
    detail: str = ""
    evidence: dict[str, Json] = field(default_factory=dict)
