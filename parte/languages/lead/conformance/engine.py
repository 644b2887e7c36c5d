"""Definition and machine of LEAD as engines of the kit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from parte.conformance.engines.own import RunnerEngine
from parte.conformance.protocol import Found
from parte.languages.lead.running import RUNNER, evaluate
from parte.languages.lead.semantics.syntax.parser import Source
from parte.languages.lead.semantics.text import TEXT

NAME = "LEAD"


@dataclass(slots=True)
class LeadEngine(RunnerEngine):
    """A model behind the protocol: the definition, or a machine. `schedule` is the seed of a choice among equal ranks
    on whole traces."""

    schedule: int | None = None

    LANGUAGE = NAME
    PROGRAM = "rule"
    RUNNER = RUNNER
    TEXT = TEXT

    def answer(self, program: Source, lines: Sequence[str]) -> Found:
        """The matches of a whole trace."""
        schedule = None if self.schedule is None else Random(self.schedule)
        return Found(tuple(evaluate(program, lines, self._request, schedule)))
