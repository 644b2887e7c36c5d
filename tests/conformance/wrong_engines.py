"""Engines that are wrong in ways that no mutant is, or cannot express something; for the tests of the fuzzer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from parte.conformance.partelang.engines.reference import ReferenceEngine
from parte.conformance.partelang.fuzz.mending import without_pattern
from parte.conformance.protocol import Engine, Failed, Found, Greeting, Load, Reply, Unsupported
from parte.conformance.runner.sessions import EngineSpec, LocalSession
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.syntax import ast
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.rulebook.models import Model

Json = Any


def spec(name: str, make: Callable[[], Engine]) -> EngineSpec:
    """The engine as one of this process."""
    return EngineSpec(name, name, lambda: LocalSession(make()), alone=True)


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


@dataclass(slots=True)
class Forgetful:
    """Three faults at once, all of negation, such as engines have that infer how long an event is needed.

    It is asked about each match of the positive patterns whether something defeats it, and does not know of what came
    at the very end of a window after the event that waits (a tie), nor of what it has let expire, which it does after
    the time for which the window reaches back. A match that is to lie outside two windows of one variable is lost.
    """

    inner: ReferenceEngine = field(default_factory=lambda: ReferenceEngine("algebra"))
    _request: Load | None = None
    _source: ast.SourceProgram | None = None
    _rule: ast.Rule | None = None

    def hello(self) -> Greeting:
        return Greeting("forgetful", "1")

    def load(self, request: Load) -> Reply:
        self._source = parse(request.text).source
        rules = [item for item in self._source.declarations if isinstance(item, ast.Rule)]
        if len(rules) != 1 or rules[0].emissions:
            return Unsupported("one rule without emissions")
        self._request, self._rule = request, rules[0]
        return self.inner.load(request)

    def run(self, trace: Sequence[Json]) -> Reply:
        request, rule, source = self._request, self._rule, self._source
        assert request is not None
        assert rule is not None
        assert source is not None
        positive = rule
        while (negated := next((pattern for pattern in positive.patterns if pattern.negated), None)) is not None:
            positive = without_pattern(positive, negated)
        self.inner.load(replace(request, text=print_program(ast.NODES.exchanged(source, rule, positive))))
        candidates = self.inner.run(trace)
        self.inner.load(request)
        windows = [c for c in rule.constraints if c.negated]
        counted = Counter(frozenset({c.subject, c.reference}) for c in windows)
        if not isinstance(candidates, Found) or (windows and max(counted.values()) > 1):
            return replace(candidates, matches=()) if isinstance(candidates, Found) else candidates
        return Found(tuple(match for match in candidates.matches if self._holds(match, windows, rule, trace)))

    def _holds(self, match: Json, windows: Sequence[ast.Constraint], rule: ast.Rule, trace: Sequence[Json]) -> bool:
        templates = {pattern.variable: pattern.template for pattern in rule.patterns if pattern.negated}
        events = {item["id"]: place for place, item in enumerate(trace) if "id" in item}
        forgotten: set[int] = set()
        for window in windows:
            if window.subject not in templates or window.reference not in match["bindings"]:
                continue
            waiting = events[match["bindings"][window.reference]]
            end = trace[waiting]["timestamp"] + window.upper.milliseconds
            needed = max(0, -window.lower.milliseconds) + 1
            for place, item in enumerate(trace):
                if "id" not in item or item["template"] != templates[window.subject] or place == waiting:
                    continue
                tie = place > waiting and item["timestamp"] == end
                if tie or item["timestamp"] + needed <= end:
                    forgotten.add(place)
        forgotten -= {events[identity] for identity in match["bindings"].values()}
        remaining = [item for place, item in enumerate(trace) if place not in forgotten]
        reply = self.inner.run(remaining)
        return isinstance(reply, Found) and match in reply.matches

    def feed(self, trace: Sequence[Json]) -> Reply:
        return Unsupported(f"whole traces only, not {len(trace)} lines")

    def advance(self) -> Reply:
        return Unsupported("whole traces only")
