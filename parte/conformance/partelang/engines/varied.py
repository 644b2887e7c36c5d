"""A variant of `sound` as an engine: the variant is applied to the machine during a request only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.protocol import Greeting, Load, Reply
from parte.proofs.variants import Variant, applied
from parte.semantics.partelang.repairs import SOUND

Json = Any
A = TypeVar("A")


class VariedEngine:
    """The variant behind the protocol."""

    def __init__(self, variant: Variant) -> None:
        self._variant = variant
        self._engine = ReferenceEngine(replace(SOUND, name=variant.name))

    def hello(self) -> Greeting:
        """Return the greeting."""
        return self._engine.hello()

    def load(self, request: Load) -> Reply:
        """Read the text of a program and bind its domain."""
        return self._engine.load(request)

    def run(self, trace: Sequence[Json]) -> Reply:
        """Return the matches of a whole trace."""
        return self._varied(lambda: self._engine.run(trace))

    def feed(self, trace: Sequence[Json]) -> Reply:
        """Return the matches that are certain after some more lines."""
        return self._varied(lambda: self._engine.feed(trace))

    def advance(self) -> Reply:
        """Return the matches after the end of every source."""
        return self._varied(self._engine.advance)

    def _varied(self, ask: Callable[[], A]) -> A:
        with applied(self._variant):
            return ask()
