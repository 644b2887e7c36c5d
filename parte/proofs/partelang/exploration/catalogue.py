"""Small programs and traces whose schedules are all explored: one of each kind of node and window
(specification: sound-agrees).

They run at the capacities that the checker computes for their deployments, and no larger ones, because a machine with
spare room cannot show that it needs no more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.checker.partelang.bounds.bounds import bounds
from parte.proofs.partelang.exploration.explore import MAX_STATES, explore
from parte.proofs.partelang.exploration.report import Exploration
from parte.semantics.events.event import Event
from parte.semantics.events.rates import Rate
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import Capacities
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.syntax import core, parse
from parte.semantics.rulebook.models import Model

ONE_EACH_MILLISECOND = Rate(1, 1)


@dataclass(frozen=True, slots=True)
class Entry:
    """A program, and a trace of events: template, timestamp in milliseconds, source.

    Each source of the trace may send an event of each of its templates every millisecond.
    """

    name: str
    rules: str
    events: tuple[tuple[str, int, str], ...]

    @property
    def program(self) -> core.Program:
        """Return the program with the templates that its rules mention; each has an Integer k."""
        names = sorted(set(re.findall(r"(?:: |emit )([A-Z])\b", self.rules)))
        return parse("".join(f"template {name} {{ k: Integer }}\n" for name in names) + self.rules)

    @property
    def trace(self) -> tuple[Event, ...]:
        """Return the events, named by their template and number."""
        return tuple(
            Event(f"{template.lower()}{number}", template, timestamp, {"k": number}, source)
            for number, (template, timestamp, source) in enumerate(self.events, 1)
        )

    @property
    def scenario(self) -> Scenario[core.Program]:
        """Return the program on the trace."""
        return Scenario.of(self.program, self.trace)

    @property
    def deployment(self) -> Deployment:
        """Return the sources of the trace."""
        sends: dict[str, dict[str, None]] = {}
        for template, _, source in self.events:
            sends.setdefault(source, {})[template] = None
        return Deployment(
            tuple(
                Source(source, tuple(Emits(template, ONE_EACH_MILLISECOND) for template in templates))
                for source, templates in sends.items()
            )
        )

    @property
    def capacities(self) -> Capacities:
        """Return the sizes that are viable for the deployment."""
        return bounds(self.program, self.deployment).capacities()

    def explore(self, model: Model = SOUND, *, max_states: int | None = MAX_STATES, reduce: bool = True) -> Exploration:
        """Explore every schedule at viable sizes."""
        return explore(self.scenario, model=model, capacities=self.capacities, max_states=max_states, reduce=reduce)


def _sent(text: str) -> tuple[tuple[str, int, str], ...]:
    """Return events written `A0 B2@t`: template, timestamp, and the source, `s` unless another is named."""
    events = []
    for word in text.split():
        what, _, source = word.partition("@")
        events.append((what[0], int(what[1:]), source or "s"))
    return tuple(events)


CATALOGUE: tuple[Entry, ...] = (
    Entry("join before and after", "rule R where a: A, b: B when b in a [-1 ms, 1 ms] then", _sent("A1 B0 A2 B3")),
    Entry("join from now on", "rule R where a: A, b: B when b in a [0 ms, 1 ms] then", _sent("A0 B0 A1 B2")),
    Entry("join later", "rule R where a: A, b: B when b in a [1 ms, 2 ms] then", _sent("A0 B0 A1 B2")),
    Entry(
        "join with a condition",
        "rule R where a: A { k < 3 }, b: B { k = a.k + 1 } when b in a [0 ms, 1 ms] then",
        _sent("A0 B0 A1 B1"),
    ),
    Entry("self-join now", "rule R where a: A, b: A when b in a [0 ms, 0 ms] then", _sent("A0 A1 A2")),
    Entry("self-join later", "rule R where a: A, b: A when b in a [1 ms, 2 ms] then", _sent("A0 A1 A3")),
    Entry(
        "three in a row",
        "rule R where a: A, b: B, c: C when b in a [0 ms, 1 ms] c in b [0 ms, 1 ms] then",
        _sent("A0 B0 B1 C1"),
    ),
    Entry("negation", "rule R where a: A, no b: B when no b in a [0 ms, 1 ms] then", _sent("A0 B2 A2")),
    Entry(
        "negation of what was before", "rule R where a: A, no b: B when no b in a [-1 ms, 0 ms] then", _sent("B0 A1 A2")
    ),
    Entry(
        "negation of the same",
        "rule R where a: A, no b: A { k > 1 } when no b in a [1 ms, 1 ms] then",
        _sent("A0 A1 A3"),
    ),
    Entry(
        "negation before a join",
        "rule R where a: A, no b: B, c: C when no b in a [0 ms, 1 ms] c in a [0 ms, 1 ms] then",
        _sent("A0 B1 A2 C2"),
    ),
    Entry(
        "negation after a join",
        "rule R where a: A, b: B, no c: C when b in a [0 ms, 1 ms] no c in b [0 ms, 1 ms] then",
        _sent("A0 B0 B1 C2"),
    ),
    Entry(
        "two strata",
        "rule R where a: A when then emit D at a.timestamp with { k = a.k }\n"
        "rule S where d: D, b: B when b in d [0 ms, 1 ms] then",
        _sent("A0 B0 A1 B2"),
    ),
    Entry(
        "two strata with negation",
        "rule R where a: A, b: B when b in a [0 ms, 0 ms] then emit D at b.timestamp with { k = b.k }\n"
        "rule S where a: A, no d: D when no d in a [0 ms, 1 ms] then",
        _sent("A0 B0 A1"),
    ),
    Entry("two sources", "rule R where a: A, b: B when b in a [0 ms, 1 ms] then", _sent("A0 A0@t B1")),
    Entry("two sources of a self-join", "rule R where a: A, b: A when b in a [1 ms, 2 ms] then", _sent("A0 A1@t")),
    Entry(
        "two sources and negation", "rule R where a: A, no b: B when no b in a [0 ms, 0 ms] then", _sent("A0 A0@t B1")
    ),
)
"""Programs by their distinguishing feature."""
