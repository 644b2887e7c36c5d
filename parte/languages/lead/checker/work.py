"""The state that all questions about one rule share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter

from parte.checker.report.collecting import Collector
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Session, Status
from parte.languages.lead.algebra.effort import Effort, TooManyMatches
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.checker.encoding import Encoding
from parte.languages.lead.checker.measuring import Measurement, measured
from parte.languages.lead.checker.places import Kept, bounds_of
from parte.languages.lead.checker.streams import Values, tried
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Net, TooManyFirings
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match
from parte.languages.lead.semantics.syntax.parser import Source
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.semantics.events.event import Event

LONGEST = 10
"""The length of the longest stream on which the definition is evaluated."""

EFFORT = 100_000
"""The most events, matches and pairs that the definition may examine; beyond, only the machine runs."""

STEPS = 100_000
"""The most firings and examined tokens of a run; beyond, the stream is not used."""


@dataclass
class Work:
    """A rule, its findings so far, and the conditions that nothing fulfils, by the ids of their nodes."""

    source: Source
    collector: Collector
    session: Session
    timeout: float
    dead: set[int] = field(default_factory=set)
    values: dict[str, dict[str, int | float | str | bool]] = field(default_factory=dict)
    shortest_too_much: int | None = None
    """The length of the shortest stream on which a run exceeded a limit; no stream as long is tried."""

    @property
    def rule(self) -> tree.Rule:
        """The rule."""
        return self.source.rule

    @cached_property
    def net(self) -> Net:
        """Its net."""
        return Machine(self.rule).net

    @property
    def pattern(self) -> tree.Pattern:
        """The pattern of the net, with names and policies."""
        assert self.net.pattern is not None
        return self.net.pattern

    @cached_property
    def bounds(self) -> dict[int, Kept]:
        """The bounds of its places."""
        return bounds_of(self.net, self.rule.times)

    def encoding(self) -> Encoding:
        """Return the terms for one question."""
        return Encoding([self.pattern, *self.rule.outcome])

    def possible(self, name: str, encoding: Encoding, *formulas: object) -> Status:
        """Return whether formulas can hold together. Store the values that make them hold, for streams."""
        answer = self.session.ask(name, *formulas, *encoding.definitions)  # type: ignore[arg-type]  # formulas
        if answer.model is not None:
            for key, attributes in encoding.attributes(answer.model).items():
                self.values.setdefault(key, {}).update(attributes)  # type: ignore[arg-type]  # no lists
        return answer.status

    def streams(self) -> Iterator[tuple[Event, ...]]:
        """Yield streams to try, as long as there is time."""
        until = perf_counter() + self.timeout
        values: Values = self.values
        for stream in tried(self.rule, self.pattern, values):
            if perf_counter() > until:
                return
            yield stream

    def run(self, stream: Sequence[Event]) -> Measurement | None:
        """Run the machine on a stream, and compare it with the definition if the stream is short enough. Return None
        if a limit is exceeded."""
        if self.shortest_too_much is not None and len(stream) >= self.shortest_too_much:
            return None
        events = occurrences(self.rule, stream)
        try:
            result = measured(self.rule, events, Clock(self.timeout, STEPS))
        except (TooManyFirings, Undecided):
            self.shortest_too_much = len(stream)
            return None
        defined = None
        if len(events) <= LONGEST:
            with suppress(TooManyMatches):
                defined = evaluate(self.rule, events, effort=Effort(EFFORT))
        if defined is not None and _written(defined) != _written(result.matches):
            raise CheckerBug("the machine and the definition differ on a stream of the checker")
        return result


def _written(matches: Iterable[Match]) -> set[tuple[Match, str]]:
    """Return matches with the text of the events that they emit, in which `1` is not `TRUE`."""
    return {(match, repr(match.emits)) for match in matches}
