"""Small programs with deployments, whose sizes are attacked."""

from __future__ import annotations

from dataclasses import dataclass

from parte.checker.environment.deployment import Deployment, Emits, Source
from parte.semantics.events.rates import Rate
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse

TEMPLATES = "".join(f"template {name} {{ k: Integer }}\n" for name in "ABCD")

Sending = tuple[str, str, int, int]
"""A source, a template, and how many events in how many milliseconds."""


def deployment(*sending: Sending, late: int = 0) -> Deployment:
    """A deployment in which every source is late by the same time."""
    names = dict.fromkeys(source for source, _, _, _ in sending)
    return Deployment(
        tuple(
            Source(
                name,
                tuple(
                    Emits(template, Rate(events, period))
                    for source, template, events, period in sending
                    if source == name
                ),
                late,
            )
            for name in names
        )
    )


@dataclass(frozen=True, slots=True)
class Case:
    """A program and a deployment."""

    name: str
    rules: str
    deployment: Deployment

    @property
    def program(self) -> core.Program:
        """The program."""
        return parse(TEMPLATES + self.rules)


A = ("s", "A", 1, 1)
B = ("s", "B", 1, 1)
C = ("s", "C", 1, 1)


def _pair(least: int, greatest: int, right: str) -> str:
    return f"rule R where a: A, b: {right} when b in a [{least} ms, {greatest} ms] then"


def _negated(least: int, greatest: int, right: str) -> str:
    return f"rule R where a: A, no b: {right} when no b in a [{least} ms, {greatest} ms] then"


PAIRS = (
    *(
        Case(f"self-join [{least}, {greatest}]", _pair(least, greatest, "A"), deployment(A))
        for least, greatest in ((0, 0), (4, 6), (-3, 2), (-5, -3), (0, 3), (-3, 0))
    ),
    *(
        Case(f"join [{least}, {greatest}]", _pair(least, greatest, "B"), deployment(A, B))
        for least, greatest in ((0, 0), (4, 6), (-3, 2), (-5, -3))
    ),
    Case("self-join of every second", _pair(-3, 3, "A"), deployment(("s", "A", 1, 2))),
    Case("self-join of bursts", _pair(-3, 3, "A"), deployment(("s", "A", 2, 2))),
    Case("join of uneven rates", _pair(-4, 4, "B"), deployment(("s", "A", 1, 2), ("s", "B", 1, 3))),
    Case("join of a seldom event", _pair(-9, 0, "B"), deployment(A, ("s", "B", 1, 10))),
)
"""Programs of which every history is claimed to be tight."""

OTHERS = (
    Case("self-join of two sources", _pair(-1, 2, "A"), deployment(A, ("t", "A", 1, 2))),
    Case("join of two sources", _pair(-1, 2, "B"), deployment(A, ("t", "A", 1, 2), ("s", "B", 1, 2), ("u", "B", 1, 2))),
    Case("late join of two sources", _pair(-1, 2, "B"), deployment(A, ("t", "A", 1, 2), B, late=2)),
    Case("late self-join", _pair(-1, 2, "A"), deployment(A, late=2)),
    Case("late join", _pair(-1, 2, "B"), deployment(A, B, late=2)),
    Case("negation", _negated(-2, 3, "B"), deployment(A, B)),
    Case("negation of oneself", _negated(1, 3, "A"), deployment(A)),
    Case(
        "wide and then narrow",
        "rule R where a: A, b: B, c: C when b in a [0 ms, 4 ms] c in b [0 ms, 0 ms] then",
        deployment(A, B, C),
    ),
    Case(
        "both ways and then narrow",
        "rule R where a: A, b: B, c: C when b in a [-3 ms, 3 ms] c in b [0 ms, 0 ms] then",
        deployment(A, B, C),
    ),
    Case(
        "three of one template",
        "rule R where a: A, b: A, c: A when b in a [-1 ms, 2 ms] c in b [-1 ms, 1 ms] then",
        deployment(A),
    ),
    Case(
        "negation before a join",
        "rule R where a: A, no n: B, c: C when no n in a [1 ms, 1 ms] c in a [-1 ms, 2 ms] then",
        deployment(A, B, C),
    ),
    Case(
        "negation after a join",
        "rule R where a: A, b: B, no n: A when b in a [0 ms, 2 ms] no n in b [-1 ms, 1 ms] then",
        deployment(A, B),
    ),
    Case(
        "two rules that share inputs",
        "rule R where a: A, b: B when b in a [-1 ms, 2 ms] then\n"
        "rule Q where b: B, a: A when a in b [0 ms, 3 ms] then\n"
        "rule P where b: B, c: C, a: A when c in b [-2 ms, 0 ms] a in c [0 ms, 1 ms] then",
        deployment(A, B, C),
    ),
    Case(
        "two strata",
        "rule R where a: A, b: B when b in a [-1 ms, 2 ms] then emit D at b.timestamp with { k = 1 }\n"
        "rule Q where d: D, c: C when c in d [0 ms, 1 ms] then",
        deployment(A, B, C),
    ),
    Case(
        "two strata with a shared input",
        "rule R where a: A, no b: B when no b in a [0 ms, 2 ms] then emit D at a.timestamp + 3 ms with { k = 1 }\n"
        "rule Q where d: D, a: A when a in d [-1 ms, 1 ms] then",
        deployment(A, B),
    ),
)
"""Programs whose sizes are sufficient; how far they are from least is stated, not claimed."""

MIXED = (
    Case(
        "a rule and a source",
        "rule R where a: A then emit D at a.timestamp with { k = 1 }\n"
        "rule Q where d: D, c: C when c in d [0 ms, 2 ms] then",
        deployment(A, C, ("x", "D", 1, 1), late=1),
    ),
    Case(
        "two rules",
        "rule R where a: A then emit D at a.timestamp with { k = 1 }\n"
        "rule P where b: B then emit D at b.timestamp with { k = 1 }\n"
        "rule Q where d: D, c: C when c in d [0 ms, 2 ms] then",
        deployment(A, B, C),
    ),
    Case(
        "windows of an absence that are never all open",
        "rule R where a: A, no b: B, no c: C when\n"
        "no b in a [-4 ms, -4 ms], no b in a [0 ms, 0 ms], no c in a [-4 ms, -4 ms] then",
        deployment(A, B, C),
    ),
    Case(
        "windows of an absence that exclude each other for some matches",
        "rule R where a: A, b: B, no c: C, d: D when\n"
        "b in a [0 ms, 2 ms], no c in a [0 ms, 0 ms], no c in b [0 ms, 0 ms], d in b [0 ms, 0 ms] then",
        deployment(A, B, C, ("x", "D", 1, 1)),
    ),
)
"""Programs that no size saves from sources that drift apart: a rule and another source feed one template, or an absence
releases partial matches before its source has promised anything."""
