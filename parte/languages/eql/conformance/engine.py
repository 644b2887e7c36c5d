"""Definition and machine of EQL as engines of the kit."""

from __future__ import annotations

from dataclasses import dataclass

from parte.conformance.engines.own import RunnerEngine
from parte.languages.eql.running import RUNNER
from parte.languages.eql.semantics.text import TEXT

NAME = "EQL"


@dataclass(slots=True)
class EqlEngine(RunnerEngine):
    """A model behind the protocol: the definition, or the machine."""

    LANGUAGE = NAME
    PROGRAM = "query"
    RUNNER = RUNNER
    TEXT = TEXT
