"""Whether what makes one case diverge makes another diverge too: an engine is asked about both when one thing that
engines get wrong is taken away from them (specification: fuzzing).

Which things there are is for the language to say (`Generation.remedies`). What helps the smallest case of a finding
must help whatever it explains; if it does not, there is another cause, and the case is examined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Generic

from parte.conformance.fuzz.cases import C, Generation, shown
from parte.conformance.fuzz.generation import prepared
from parte.conformance.fuzz.naming import tells_of_matches
from parte.conformance.fuzz.subject import Subject
from parte.conformance.runner.judging import Judgement
from parte.languages.language import Language


@dataclass(frozen=True, slots=True)
class Causes(Generic[C]):
    """What tells the causes of an engine's wrong matches apart. An engine that crashes or hangs is not asked again."""

    language: Language
    generation: Generation[C]
    subject: Subject

    def remedies(self, case: C, judgement: Judgement) -> frozenset[str]:
        """The names of all that helps: without it the engine is right about the case."""
        return frozenset(self._helping(case)) if tells_of_matches(judgement) else frozenset()

    def _helping(self, case: C) -> Iterator[str]:
        return (name for name in self.generation.remedies if self._helps(name, case))

    def explains(self, remedies: Collection[str], case: C) -> bool:
        """Whether the cause that these remedies take away is the only one in a case: each of them helps."""
        return bool(remedies) and all(self._helps(name, case) for name in remedies)

    def _helps(self, name: str, case: C) -> bool:
        altered = self.generation.remedies[name](case)
        if shown(altered) == shown(case):
            return False
        known = prepared(self.language, altered)
        return known is not None and not self.subject.judge(known).verdict.bad
