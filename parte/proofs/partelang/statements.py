"""Functions to state lemmas about PARTElang with, beside the kernel and `parte.proofs.statements`: the algebra's
windows.

There is no other glue. A theorem contains no comparison and no arithmetic of its own (a test checks that): the results
of the machine come from `semantics`, the expected ones from `parte.algebra.partelang.evaluate`, and both run on terms.
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
    """The event lies in the window of every event of the partial match, as the algebra's evaluator decides.

    Of any number of windows it is asked one by one, of a known number all together.
    """
    if isinstance(partial, AnyLength):

        def inside(window: tuple[Event, int, int]) -> bool:
            return _fits_one(run, event, *window)

        return every(map(inside, zip(partial, minima, maxima, strict=True)))
    names = [f"left {number}" for number in range(1, len(partial) + 1)]
    value = frozenset({("right", event), *zip(names, partial, strict=True)})
    conditions = tuple(Within("right", name, *ends) for name, *ends in zip(names, minima, maxima, strict=True))
    asked = f"{'+'.join(one.id for one in partial)} fits {event.id}"
    return run.formula(asked, lambda: holds(All(conditions), value, NO_DOMAIN))


def _fits_one(run: Run, right: Event, left: Event, lower: int, upper: int) -> bool:
    value = frozenset({("right", right), ("left", left)})
    window = Within("right", "left", lower, upper)
    return run.formula(f"{right.id} fits {left.id}", lambda: holds(window, value, NO_DOMAIN))


def written(run: Run, windows: Sequence[Within], times: Mapping[str, int]) -> bool:
    """Events at these times are within all windows, as the algebra's evaluator decides."""
    value = frozenset((name, Event(name, "T", time, {}, "s")) for name, time in times.items())
    return run.formula(None, lambda: holds(All(tuple(windows)), value, NO_DOMAIN))


def times_of(events: Sequence[Event]) -> tuple[int, ...]:
    """The timestamps of events."""
    return tuple(map(timestamp_of, events))
