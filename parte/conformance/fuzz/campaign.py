"""A campaign: cases are drawn and run on an engine until time, cases or findings run out (specification: fuzzing).

A divergence that the mutant of an earlier finding explains is counted and not examined again, unless that mutant has
all errors of the source. Of the others, those that an earlier finding explains by its remedies, and those with the same
symptoms and the same remedies as examined ones, are examined more and more rarely while they give no new finding. All
are counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic

from parte.conformance.fuzz.cases import C, case_text
from parte.conformance.fuzz.examination import Examiner
from parte.conformance.fuzz.findings import Finding
from parte.conformance.fuzz.generation import Generator, prepared
from parte.conformance.fuzz.naming import answers_as
from parte.conformance.fuzz.subject import EngineUnusable, Subject, symptoms
from parte.conformance.kit import KIT
from parte.conformance.mutants import Mutant
from parte.conformance.protocol import Greeting
from parte.conformance.results import CaseVerdict
from parte.conformance.runner.judging import Judgement, Prepared
from parte.conformance.runner.running import Settings
from parte.conformance.runner.sessions import EngineSpec
from parte.languages.language import Language

DEFAULT_SECONDS, DEFAULT_FINDINGS = 60.0, 10

_FIRST_REST = 8
"""Explained cases that are skipped before one of them is examined anyway."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a campaign: seconds, cases and findings. The current examination is finished first."""

    seconds: float = DEFAULT_SECONDS
    cases: int | None = None
    findings: int = DEFAULT_FINDINGS


@dataclass(slots=True)
class Campaign:
    """The results of a campaign so far. `seconds` is the whole time, `asking` the part spent on cases, not on findings.

    Of the `divergent` cases, `explained` ones are like a finding. `alike` ones were not examined: they have the
    symptoms and the remedies of examined ones, which are not those of a finding. `unsupported` counts the reasons that
    the engine gave. `ended` is the reason why no more cases were drawn.
    """

    seed: int
    greeting: Greeting | None = None
    cases: int = 0
    seconds: float = 0.0
    asking: float = 0.0
    matching: int = 0
    divergent: int = 0
    explained: int = 0
    alike: int = 0
    unsupported: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    ended: str = ""
    interrupted: bool = False

    @property
    def rate(self) -> float:
        """Cases a second, without the time for examining findings."""
        return self.cases / self.asking if self.asking else 0.0


def fuzz(
    spec: EngineSpec,
    settings: Settings,
    limits: Limits,
    language: Language,
    *,
    seed: int = 0,
    mutants: Sequence[Mutant] | None = None,
    report: Callable[[Campaign], None] = lambda _: None,
) -> Campaign:
    """Fuzz an engine and call `report` with the campaign after each case. An interruption ends it and loses no finding.

    Divergences are compared with `mutants`, by default with all mutants of the language.

    EngineUnusable if the engine does not even start.
    """
    generation = language[KIT].generation()
    campaign = Campaign(seed)
    started = time.monotonic()
    generator = Generator(generation, seed)
    if mutants is None:
        mutants = language[KIT].mutants()
    with Subject(spec, settings) as subject:
        examiner = Examiner(language, generation, subject, f"parte fuzz {spec.label} seed {seed}", seed, mutants)
        run = _Run(campaign, subject, examiner)
        try:
            run.search(generator, limits, started, report)
        except EngineUnusable as error:
            if campaign.greeting is None:
                raise
            campaign.ended = str(error)
        except KeyboardInterrupt:
            campaign.ended, campaign.interrupted = "an interruption", True
    return campaign


def _why_ended(campaign: Campaign, limits: Limits) -> str:
    if campaign.cases == 0:
        return ""
    if len(campaign.findings) >= limits.findings:
        return f"{limits.findings} findings"
    if limits.cases is not None and campaign.cases >= limits.cases:
        return f"{limits.cases} cases"
    return f"{limits.seconds:g} seconds" if campaign.seconds >= limits.seconds else ""


Signs = tuple[frozenset[str], frozenset[str], int | None]
"""The symptoms of a case, its remedies, and the number of the finding that explains it."""


@dataclass(slots=True)
class _Run(Generic[C]):
    """The state of the loop: for signs that gave no new finding, how often they did not, and how many cases to skip."""

    campaign: Campaign
    subject: Subject
    examiner: Examiner[C]
    examining: float = 0.0
    fruitless: Counter[Signs] = field(default_factory=Counter)
    resting: Counter[Signs] = field(default_factory=Counter)

    def search(
        self, generator: Generator[C], limits: Limits, started: float, report: Callable[[Campaign], None]
    ) -> None:
        """Draw and run cases until a limit is reached; `started` is the start time of the campaign."""
        campaign = self.campaign
        for menu, case in generator.cases():
            campaign.seconds = time.monotonic() - started
            campaign.asking = campaign.seconds - self.examining
            campaign.ended = _why_ended(campaign, limits)
            if campaign.ended:
                return
            known = prepared(self.examiner.language, case)
            if known is None:
                raise AssertionError(f"a case was drawn that is invalid:\n{case_text(case)}")
            judgement = self.ask(known)
            if judgement.verdict.bad:
                self.consider(case, known, judgement)
            generator.note(menu, refused=judgement.verdict is CaseVerdict.UNSUPPORTED)
            report(campaign)

    def ask(self, case: Prepared) -> Judgement:
        judgement = self.subject.judge(case)
        campaign = self.campaign
        campaign.greeting = self.subject.greeting
        campaign.cases += 1
        campaign.matching += bool(case.fixture.expected.matches)
        if judgement.verdict is CaseVerdict.UNSUPPORTED:
            campaign.unsupported[judgement.message] += 1
        return judgement

    def consider(self, case: C, known: Prepared, judgement: Judgement) -> None:
        """Count a divergent case, and examine it unless it is like earlier ones."""
        started = time.monotonic()
        campaign = self.campaign
        campaign.divergent += 1
        findings = campaign.findings
        # A mutant with all errors of the source explains too much: an engine with some of these errors gives the same
        # answers in most cases, and each error should get a finding.
        everything = self.examiner.language[KIT].published()
        named = [earlier.named.mutant for earlier in findings if earlier.named and earlier.named.mutant != everything]
        if any(answers_as(mutant, (known, judgement)) for mutant in named):
            campaign.explained += 1
            self.examining += time.monotonic() - started
            return
        remedies = self.examiner.causes.remedies(case, judgement)
        explaining = next((number for number, earlier in enumerate(findings) if earlier.explains(remedies)), None)
        signs = (symptoms(judgement), remedies, explaining)
        if explaining is not None and signs not in self.resting:
            self.resting[signs] = _FIRST_REST
        if self.resting[signs] > 0:
            self.resting[signs] -= 1
            if explaining is None:
                campaign.alike += 1
            else:
                campaign.explained += 1
        else:
            new_finding = self.examiner.examine(case, judgement, findings)
            if any(same(new_finding, earlier) for earlier in findings):
                campaign.explained += 1
                self.fruitless[signs] += 1
                self.resting[signs] = (1 if explaining is None else _FIRST_REST) * 2 ** self.fruitless[signs]
            else:
                findings.append(new_finding)
                self.fruitless[signs] = 0
        self.examining += time.monotonic() - started


def same(left: Finding, right: Finding) -> bool:
    """Return whether two findings show one behaviour: they have the same case or mutant, or the same symptoms and
    remedies; without remedies, the same symptoms and rule."""
    if bool(left.unstable) == bool(right.unstable) and left.case == right.case:
        return True  # there may be two errors, but this case shows only one
    if left.named is not None and right.named is not None:
        return left.named.mutant == right.named.mutant
    if left.named is not right.named or bool(left.unstable) != bool(right.unstable):
        return False
    if left.remedies or right.remedies:
        return left.shows(right.judgement, right.remedies)
    return symptoms(left.judgement) == symptoms(right.judgement) and left.rule == right.rule
