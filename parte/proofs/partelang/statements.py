"""The vocabulary of the lemmas about PARTElang, beside the kernel and `parte.proofs.statements`: the algebra's windows.

This is the only code between lemmas and project. A theorem has no comparison and no arithmetic of its own (a test
checks this): the actual values come from `semantics`, the expected ones from `parte.algebra.partelang.evaluate`, both
run on terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parte.algebra.partelang.evaluate import holds
from parte.algebra.partelang.patterns import All, Within
from parte.proofs.any_length import AnyLength
from parte.proofs.statements import every
from parte.proofs.symbolic import Run
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event
from parte.semantics.partelang.rules.premises import timestamp_of

# --- The algebra's reading of a pair (specification: windows-closed, meaning-negation) --------------------------------

NO_DOMAIN: Predicates = {}


def fits(run: Run, partial: Sequence[Event], event: Event, minima: Sequence[int], maxima: Sequence[int]) -> bool:
    """Return whether the event is in the window of every event of the partial match, by the algebra's evaluator.

    For an unknown number of windows it is called for each window, for a known number for all together.
    """
    if isinstance(partial, AnyLength):

        def inside(window: tuple[Event, int, int]) -> bool:
            return _fits_one(run, event, *window)

        return every(map(inside, zip(partial, minima, maxima, strict=True)))
    names = [f"left {number}" for number in range(1, len(partial) + 1)]
    value = frozenset({("right", event), *zip(names, partial, strict=True)})
    conditions = tuple(Within("right", name, *ends) for name, *ends in zip(names, minima, maxima, strict=True))
    question = f"{'+'.join(left.id for left in partial)} fits {event.id}"
    return run.formula(question, lambda: holds(All(conditions), value, NO_DOMAIN))


def _fits_one(run: Run, right: Event, left: Event, lower: int, upper: int) -> bool:
    value = frozenset({("right", right), ("left", left)})
    window = Within("right", "left", lower, upper)
    return run.formula(f"{right.id} fits {left.id}", lambda: holds(window, value, NO_DOMAIN))


def written(run: Run, windows: Sequence[Within], times: Mapping[str, int]) -> bool:
    """Return whether events at these times are within all windows, by the algebra's evaluator."""
    value = frozenset((name, Event(name, "T", time, {}, "s")) for name, time in times.items())
    return run.formula(None, lambda: holds(All(tuple(windows)), value, NO_DOMAIN))


def times_of(events: Sequence[Event]) -> tuple[int, ...]:
    """Return the timestamps of events."""
    return tuple(map(timestamp_of, events))
