"""Examining a divergence: it is run again, shrunk, compared with the mutants, and written as a fixture."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic

from parte.conformance.fuzz.cases import C, Generation, case_text
from parte.conformance.fuzz.causes import Causes
from parte.conformance.fuzz.draw import seeded
from parte.conformance.fuzz.findings import Finding, finding
from parte.conformance.fuzz.generation import prepared, sample
from parte.conformance.fuzz.naming import Answer, Likeness, likenesses, tells_of_matches
from parte.conformance.fuzz.reduction import reduced
from parte.conformance.fuzz.subject import Subject, symptoms
from parte.conformance.kit import KIT
from parte.conformance.mutants import Mutant
from parte.conformance.runner.judging import Judgement
from parte.languages.language import Language
from parte.semantics.rulebook.listing import RULES

MOST_ATTEMPTS = 2_000
"""Cases that the reduction of one divergence may try."""

MOST_SECONDS = 30.0
"""The time limit of a reduction; a hanging engine costs a timeout for each attempt."""

NEIGHBOURS = 30
"""Cases of the reduction that distinguish mutants."""

VARIANTS = 12
"""Variants of the drawn case, and of the smallest one, that distinguish mutants too."""

MOST_NAMING_SECONDS = 30.0
"""The time limit for running an engine on these variants and on a sample of all kinds of cases."""


@dataclass(slots=True)
class Examiner(Generic[C]):
    """An examiner, which turns divergent cases into findings.

    `origin` is the origin in their fixtures. A sample of cases of all kinds, drawn with the seed, is run on the engine
    when it is first needed.
    """

    language: Language
    generation: Generation[C]
    subject: Subject
    origin: str
    seed: int
    mutants: Sequence[Mutant]
    _sample: list[Answer] = field(default_factory=list, init=False)

    @property
    def causes(self) -> Causes[C]:
        """The distinction of causes."""
        return Causes(self.language, self.generation, self.subject)

    def examine(self, case: C, judgement: Judgement, earlier: Sequence[Finding] = ()) -> Finding:
        """Return the finding for a divergent case; it is not shrunk if the engine answers differently when run again.

        During reduction no case is accepted that an earlier finding explains, unless that finding explains the
        divergent case itself: otherwise a frequent cause would replace another. If the smallest case shows the cause of
        an earlier finding without a name, that finding is returned.
        """
        signs = symptoms(judgement)
        causes = self.causes
        known = dict.fromkeys(previous.remedies for previous in earlier)
        other_remedies = [remedies for remedies in known if not causes.explains(remedies, case)]
        tried: list[Answer] = []
        divergent: dict[str, tuple[Answer, str]] = {}
        deadline = time.monotonic() + MOST_SECONDS

        def diverges(candidate: C) -> bool:
            known = prepared(self.language, candidate)
            if known is None:
                return False
            answer = (known, self.subject.judge(known))
            tried.append(answer)
            candidate_signs = symptoms(answer[1])
            if not candidate_signs or not candidate_signs <= signs:
                return False
            stderr = self.subject.stderr
            if tells_of_matches(answer[1]) and any(causes.explains(remedies, candidate) for remedies in other_remedies):
                return False
            divergent[case_text(candidate)] = (answer, stderr)
            return True

        def going_on() -> bool:
            return len(tried) < MOST_ATTEMPTS and time.monotonic() < deadline

        stderr = self.subject.stderr
        if not diverges(case):
            again = tried[-1][1].verdict.value
            unstable = f"asked again, the engine answers otherwise ({again}): it depends on what came before"
            return finding(self.language, case, judgement, origin=self.origin, stderr=stderr, unstable=unstable)
        smallest = reduced(self.generation, case, diverges, going_on)
        answer, stderr = divergent[case_text(smallest)]
        remedies = causes.remedies(smallest, answer[1])
        for previous in earlier:
            if previous.named is None and previous.shows(answer[1], remedies):
                return previous
        alike: tuple[Likeness, ...] = ()
        if tells_of_matches(answer[1]):
            near = [*_some(tried), *self._near(case), *self._near(smallest)]
            order, published = list(self.language[RULES].rules), self.language[KIT].published()
            alike = likenesses(answer, near, self._sampled(), self.mutants, published, order)
        step = self.language[KIT].measures().blamed(answer[0].fixture, answer[1].missing, answer[1].spurious)
        new_finding = finding(self.language, smallest, answer[1], alike, step, origin=self.origin, stderr=stderr)
        return replace(new_finding, remedies=remedies)

    def _near(self, case: C) -> Iterator[Answer]:
        """Yield the engine's answers to variants of a case."""
        draw = seeded(case_text(case))
        yield from self._answers(self.generation.varied(case, draw) for _ in range(VARIANTS))

    def _sampled(self) -> Sequence[Answer]:
        if not self._sample:
            self._sample = list(self._answers(sample(self.generation, self.seed)))
        return self._sample

    def _answers(self, cases: Iterable[C]) -> Iterator[Answer]:
        deadline = time.monotonic() + MOST_NAMING_SECONDS
        for case in cases:
            if time.monotonic() >= deadline:
                return
            known = prepared(self.language, case)
            if known is not None:
                yield known, self.subject.judge(known)


def _some(tried: Sequence[Answer]) -> list[Answer]:
    """Return some of the tried cases, from the first, the drawn one, to the last; later ones are smaller."""
    stride = max(1, -(-len(tried) // NEIGHBOURS))
    return list(tried[::stride])
