"""Engines that are wrong in ways that no mutant is, or cannot express something; for the tests of the fuzzer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from parte.conformance.parte.engines.reference import ReferenceEngine
from parte.conformance.protocol import Engine, Failed, Found, Greeting, Load, Reply, Unsupported
from parte.conformance.runner.sessions import EngineSpec, LocalSession
from parte.semantics.parte.repairs import SOUND, Model

Json = Any


def spec(name: str, make: Callable[[], Engine]) -> EngineSpec:
    """The engine as one of this process."""
    return EngineSpec(name, name, lambda: LocalSession(make()), in_process=True)


def model(chosen: Model | str) -> EngineSpec:
    """A model of the project."""
    engine = ReferenceEngine(chosen)
    return spec(engine.name, lambda: ReferenceEngine(chosen))


@dataclass(slots=True)
class Altered:
    """The sound machine, whose matches are altered before they are reported."""

    alter: Callable[[tuple[Json, ...]], tuple[Json, ...]]
    inner: ReferenceEngine = field(default_factory=lambda: ReferenceEngine(SOUND))

    def hello(self) -> Greeting:
        return Greeting("altered", "1")

    def load(self, request: Load) -> Reply:
        return self.inner.load(request)

    def run(self, trace: Sequence[Json]) -> Reply:
        reply = self.inner.run(trace)
        return replace(reply, matches=self.alter(reply.matches)) if isinstance(reply, Found) else reply

    def feed(self, trace: Sequence[Json]) -> Reply:
        return Unsupported(f"whole traces only, not {len(trace)} lines")

    def advance(self) -> Reply:
        return Unsupported("whole traces only")


@dataclass(slots=True)
class Limited(Altered):
    """As that, but it refuses programs that hold a word, and says so; or it fails at them."""

    word: str = ""
    fails: bool = False

    def load(self, request: Load) -> Reply:
        if self.word in request.text:
            return Failed(f"cannot handle line {len(request.text)}") if self.fails else Unsupported(f"no {self.word!r}")
        return self.inner.load(request)


def unaltered(matches: tuple[Json, ...]) -> tuple[Json, ...]:
    return matches


def without_the_second(matches: tuple[Json, ...]) -> tuple[Json, ...]:
    return matches[:1] + matches[2:]


def twice_the_first(matches: tuple[Json, ...]) -> tuple[Json, ...]:
    return (*matches, *matches[:1])


def without_emissions(matches: tuple[Json, ...]) -> tuple[Json, ...]:
    return tuple({**match, "emits": []} for match in matches)
