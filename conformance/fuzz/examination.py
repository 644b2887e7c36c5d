"""Examining a divergence: it is asked for again, made small, compared with the mutants, and written as a fixture."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from conformance.fuzz.cases import Case, prepared
from conformance.fuzz.findings import Finding, finding
from conformance.fuzz.naming import Answer, Likeness, likenesses, tells_of_matches
from conformance.fuzz.reduction import reduced
from conformance.fuzz.steps import contradicted_step
from conformance.fuzz.subject import Subject, symptoms
from conformance.fuzz.variation import varied
from conformance.mutants import Mutant
from conformance.runner.judging import Judgement

MOST_ATTEMPTS = 2_000
"""Cases that the reduction of one divergence may try."""

MOST_SECONDS = 30.0
"""Seconds that it may take; a hanging engine costs a timeout for each attempt."""

NEIGHBOURS = 30
"""Cases of the reduction with which mutants are told apart."""

VARIANTS = 12
"""Variants of the case as it was drawn, and of the smallest one, with which they are told apart too."""


@dataclass(slots=True)
class Examiner:
    """What makes findings of divergent cases.

    `origin` is what their fixtures say about where they come from; `drawn` gives some cases of all kinds, which are put
    to the engine when they are first needed.
    """

    subject: Subject
    origin: str
    mutants: Sequence[Mutant]
    drawn: Callable[[], Sequence[Case]]
    _sample: list[Answer] | None = None

    def examine(self, case: Case, judgement: Judgement) -> Finding:
        """The finding that a divergent case leads to; as it is, if the engine answers otherwise when asked again."""
        signs = symptoms(judgement)
        tried: list[Answer] = []
        divergent: dict[str, tuple[Answer, str]] = {}
        deadline = time.monotonic() + MOST_SECONDS

        def diverges(candidate: Case) -> bool:
            known = prepared(candidate)
            if known is None:
                return False
            answer = (known, self.subject.judge(known))
            tried.append(answer)
            found = symptoms(answer[1])
            if not found or not found <= signs:
                return False
            divergent[str(candidate)] = (answer, self.subject.stderr)
            return True

        def going_on() -> bool:
            return len(tried) < MOST_ATTEMPTS and time.monotonic() < deadline

        stderr = self.subject.stderr
        if not diverges(case):
            again = tried[-1][1].verdict.value
            unstable = f"asked again, the engine answers otherwise ({again}): it depends on what came before"
            return finding(case, judgement, (), None, origin=self.origin, stderr=stderr, unstable=unstable)
        smallest = reduced(case, diverges, going_on)
        answer, stderr = divergent[str(smallest)]
        alike: tuple[Likeness, ...] = ()
        if tells_of_matches(answer[1]):
            near = [*_some(tried), *self._near(case), *self._near(smallest)]
            alike = likenesses(answer, near, self._sampled(), self.mutants)
        step = contradicted_step(answer[0].fixture, answer[1])
        return finding(smallest, answer[1], alike, step, origin=self.origin, stderr=stderr)

    def _near(self, case: Case) -> Iterator[Answer]:
        """What the engine makes of variants of a case."""
        rng = Random(str(case))
        yield from self._asked(Case(case.program, varied(case.items, case.distances, rng)) for _ in range(VARIANTS))

    def _sampled(self) -> Sequence[Answer]:
        if self._sample is None:
            self._sample = list(self._asked(self.drawn()))
        return self._sample

    def _asked(self, cases: Iterable[Case]) -> Iterator[Answer]:
        for case in cases:
            known = prepared(case)
            if known is not None:
                yield known, self.subject.judge(known)


def _some(tried: Sequence[Answer]) -> list[Answer]:
    """Some of the cases tried, from the first, which is as it was drawn, to the last; small ones are the later ones."""
    stride = max(1, -(-len(tried) // NEIGHBOURS))
    return list(tried[::stride])
