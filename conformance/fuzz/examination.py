"""Examining a divergence: it is asked for again, made small, compared with the mutants, and written as a fixture."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.fuzz.cases import Case, prepared
from conformance.fuzz.findings import Finding, finding
from conformance.fuzz.naming import Answer, likenesses
from conformance.fuzz.reduction import reduced
from conformance.fuzz.steps import contradicted_step
from conformance.fuzz.subject import Subject, symptoms
from conformance.mutants import Mutant
from conformance.runner.judging import Judgement

MOST_ATTEMPTS = 2_000
"""Cases that the reduction of one divergence may try."""

MOST_SECONDS = 30.0
"""Seconds that it may take; a hanging engine costs a timeout for each attempt."""

NEIGHBOURS = 30
"""Cases of the reduction with which mutants are told apart."""


@dataclass(frozen=True, slots=True)
class Examiner:
    """What makes findings of divergent cases. `origin` is what their fixtures say about where they come from."""

    subject: Subject
    origin: str
    mutants: Sequence[Mutant]

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
        alike = likenesses(answer, _some(tried), self.mutants)
        step = contradicted_step(answer[0].fixture, answer[1])
        return finding(smallest, answer[1], alike, step, origin=self.origin, stderr=stderr)


def _some(tried: Sequence[Answer]) -> list[Answer]:
    """Some of the cases tried, from the first, which is as it was drawn, to the last; small ones are the later ones."""
    stride = max(1, -(-len(tried) // NEIGHBOURS))
    return list(tried[::stride])
