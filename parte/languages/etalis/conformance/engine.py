"""Definition and machine of ETALIS as engines of the kit."""

from __future__ import annotations

from dataclasses import dataclass

from parte.conformance.engines.own import RunnerEngine
from parte.languages.etalis.running import RUNNER
from parte.languages.etalis.semantics.text import TEXT

NAME = "ETALIS"


@dataclass(slots=True)
class EtalisEngine(RunnerEngine):
    """A model behind the protocol: the definition, the machine, or the clauses that E prints."""

    LANGUAGE = NAME
    RUNNER = RUNNER
    TEXT = TEXT
