"""A campaign: cases are drawn and put to an engine until time, cases or findings run out (specification: fuzzing).

A divergence that the mutant of an earlier finding explains is counted, not examined again, unless that mutant errs in
all ways in which the source does. Of the others, those that an earlier finding explains by what helps, and those with
the same symptoms that the same remedies help, are examined ever more rarely while they bring nothing new. All are
counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic

from parte.conformance.fuzz.cases import C, shown
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
"""Cases that a finding explains which are passed over before one of them is examined all the same."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a campaign ends: after so many seconds, cases or findings. What is being examined then is finished."""

    seconds: float = DEFAULT_SECONDS
    cases: int | None = None
    findings: int = DEFAULT_FINDINGS


@dataclass(slots=True)
class Campaign:
    """What came of it so far. `seconds` is all that it took, `asking` what went into cases, not into findings.

    Of `divergent` cases, `explained` ones are like a finding and `alike` ones were not examined: they have the symptoms
    of others that were, and the same remedies help them, but no finding's. `unsupported` counts the reasons that the
    engine gave. `ended` says why no more cases were drawn.
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
        """Cases a second, the examination of findings left out."""
        return self.cases / self.asking if self.asking else 0.0


def fuzz(
    spec: EngineSpec,
    settings: Settings,
    limits: Limits,
    language: Language,
    *,
    seed: int = 0,
    mutants: Sequence[Mutant] | None = None,
    told: Callable[[Campaign], None] = lambda _: None,
) -> Campaign:
    """Fuzz an engine; `told` hears of the campaign after each case. An interruption ends it and loses no finding.

    What is found is compared with `mutants`, all that there are by default.

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
            run.search(generator, limits, started, told)
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
"""The symptoms of a case, what would help it, and the number of the finding that explains it."""


@dataclass(slots=True)
class _Run(Generic[C]):
    """The loop's state: for signs that brought nothing new, how often, and how many cases to pass over."""

    campaign: Campaign
    subject: Subject
    examiner: Examiner[C]
    examining: float = 0.0
    fruitless: Counter[Signs] = field(default_factory=Counter)
    resting: Counter[Signs] = field(default_factory=Counter)

    def search(self, generator: Generator[C], limits: Limits, started: float, told: Callable[[Campaign], None]) -> None:
        """Draw and ask until a limit is reached; `started` is when the campaign began."""
        campaign = self.campaign
        for menu, case in generator.cases():
            campaign.seconds = time.monotonic() - started
            campaign.asking = campaign.seconds - self.examining
            campaign.ended = _why_ended(campaign, limits)
            if campaign.ended:
                return
            known = prepared(self.examiner.language, case)
            if known is None:
                raise AssertionError(f"a case was drawn that is invalid:\n{shown(case)}")
            judgement = self.ask(known)
            if judgement.verdict.bad:
                self.consider(case, known, judgement)
            generator.note(menu, refused=judgement.verdict is CaseVerdict.UNSUPPORTED)
            told(campaign)

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
        """Count a divergent case, and examine it unless it is like others."""
        started = time.monotonic()
        campaign = self.campaign
        campaign.divergent += 1
        findings = campaign.findings
        # What errs in all ways in which the source does explains too much: an engine of some of these errors answers
        # as it does in most cases, and each of them is to be found.
        everything = self.examiner.language[KIT].published()
        named = [found.named.mutant for found in findings if found.named and found.named.mutant != everything]
        if any(answers_as(mutant, (known, judgement)) for mutant in named):
            campaign.explained += 1
            self.examining += time.monotonic() - started
            return
        remedies = self.examiner.causes.remedies(case, judgement)
        explaining = next((number for number, found in enumerate(findings) if found.explains(remedies)), None)
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
            found = self.examiner.examine(case, judgement, findings)
            if any(same(found, other) for other in findings):
                campaign.explained += 1
                self.fruitless[signs] += 1
                self.resting[signs] = (1 if explaining is None else _FIRST_REST) * 2 ** self.fruitless[signs]
            else:
                findings.append(found)
                self.fruitless[signs] = 0
        self.examining += time.monotonic() - started


def same(one: Finding, other: Finding) -> bool:
    """Whether two findings show one behaviour: by their case, the mutant they are like, or symptoms and what helps
    them; where nothing helps, by symptoms and rule."""
    if bool(one.unstable) == bool(other.unstable) and one.case == other.case:
        return True  # two errors perhaps, but this case shows one of them only
    if one.named is not None and other.named is not None:
        return one.named.mutant == other.named.mutant
    if one.named is not other.named or bool(one.unstable) != bool(other.unstable):
        return False
    if one.remedies or other.remedies:
        return one.shows(other.judgement, other.remedies)
    return symptoms(one.judgement) == symptoms(other.judgement) and one.rule == other.rule
