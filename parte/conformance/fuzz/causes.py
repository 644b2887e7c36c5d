"""Comparing the causes of two divergences: an engine runs both cases after something that engines get wrong is removed
from them (specification: fuzzing).

Each language lists the removals (`Generation.remedies`). The remedies of the smallest case of a finding must help every
case that the finding explains; if they do not, the case has another cause and is examined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Generic

from parte.conformance.fuzz.cases import C, Generation, case_text
from parte.conformance.fuzz.generation import prepared
from parte.conformance.fuzz.naming import tells_of_matches
from parte.conformance.fuzz.subject import Subject
from parte.conformance.runner.judging import Judgement
from parte.languages.language import Language


@dataclass(frozen=True, slots=True)
class Causes(Generic[C]):
    """A distinction of the causes of an engine's wrong matches. An engine that crashes or hangs is not run again."""

    language: Language
    generation: Generation[C]
    subject: Subject

    def remedies(self, case: C, judgement: Judgement) -> frozenset[str]:
        """Return the names of all remedies: with one of them applied, the engine answers the case correctly."""
        return frozenset(self._helping(case)) if tells_of_matches(judgement) else frozenset()

    def _helping(self, case: C) -> Iterator[str]:
        return (name for name in self.generation.remedies if self._helps(name, case))

    def explains(self, remedies: Collection[str], case: C) -> bool:
        """Return whether the cause that these remedies remove is the only one in a case: each of them helps."""
        return bool(remedies) and all(self._helps(name, case) for name in remedies)

    def _helps(self, name: str, case: C) -> bool:
        altered = self.generation.remedies[name](case)
        if case_text(altered) == case_text(case):
            return False
        known = prepared(self.language, altered)
        return known is not None and not self.subject.judge(known).verdict.bad
