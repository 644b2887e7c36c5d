"""The sets of a rule as claims, and the events that a trace has beside those that a question names (level 2).

A question about a rule with sets is answered in two ways. To prove that there is no solution, an aggregate is any value
that some finite set may have (`parte.checker.partelang.aggregates`). To find a solution, the trace has a few more
events, and an aggregate is that of those which are elements (`parte.checker.partelang.contents`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from parte.checker.partelang.claims import Claim, expressions_in, renamed
from parte.semantics.partelang.syntax import core


@dataclass(frozen=True, slots=True)
class Filler:
    """A pattern that is not positive, and the claim that an event, bound to its variable, fills it."""

    pattern: core.Pattern
    claim: Claim

    @property
    def variable(self) -> str:
        return self.pattern.variable

    def filled_by(self, event: str) -> Claim:
        """Return the claim that the event of a variable fills the pattern."""
        return renamed(self.claim, {self.variable: event})


@dataclass(frozen=True, slots=True)
class Scene:
    """The sets that aggregates are of, and the negated patterns that no event of the trace fills."""

    sets: tuple[Filler, ...] = ()
    absent: tuple[Filler, ...] = ()


NO_SETS = Scene()


def aggregates_in(claims: Iterable[Claim]) -> tuple[core.Aggregate, ...]:
    """Return the aggregates that claims mention, each once."""
    return tuple(
        dict.fromkeys(
            part
            for claim in claims
            for expression in expressions_in(claim)
            for part in core.EXPRESSIONS.within(expression)
            if isinstance(part, core.Aggregate)
        )
    )
