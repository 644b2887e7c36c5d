"""Definition and machine of CEL as engines of the kit."""

from __future__ import annotations

from dataclasses import dataclass

from parte.conformance.engines.own import RunnerEngine
from parte.languages.cel.running import RUNNER
from parte.languages.cel.semantics.text import TEXT

NAME = "CEL"


@dataclass(slots=True)
class CelEngine(RunnerEngine):
    """A model behind the protocol: the definition, or a machine, which may print the share of one process."""

    LANGUAGE = NAME
    PROGRAM = "query"
    RUNNER = RUNNER
    TEXT = TEXT
