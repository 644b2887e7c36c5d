"""The events that a program derives from a stream: by the fixpoint, or under a policy by its equation."""

from __future__ import annotations

from collections.abc import Sequence

from parte.languages.etalis.algebra.fixpoint import consequences
from parte.languages.etalis.algebra.patterns import Effort
from parte.languages.etalis.algebra.policies import POLICIES, chosen
from parte.languages.etalis.algebra.readings import USUAL, Readings
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, in_order


def evaluate(
    program: tree.Program,
    instants: Sequence[Instant],
    readings: Readings = USUAL,
    policy: str = "unrestricted",
    effort: Effort | None = None,
) -> list[IntervalEvent]:
    """Return the derived events in order. Raise TooManyEvents, NumberTooLarge or TooManyFindings; Recursive under
    another policy than `unrestricted`."""
    if policy == "unrestricted":
        return in_order(consequences(program, instants, readings, effort))
    return in_order(chosen(program, instants, POLICIES[policy], readings, effort))
