"""What lemmas are stated with, beside the kernel: connectives, the order of times, and the algebra's windows.

This is all the glue there is. A theorem holds no comparison and no arithmetic of its own (a test sees to that): what
the machine computes comes from `semantics`, what it should compute from `algebra.parte.evaluate`, both run on terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import repeat

from parte.algebra.parte.evaluate import holds
from parte.algebra.parte.patterns import All, Within
from parte.proofs.any_length import AnyLength
from parte.proofs.symbolic import Run
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event
from parte.semantics.parte.rules.premises import timestamp_of
from parte.semantics.rulebook.connectives import conj, disj, neg

# --- Connectives ----------------------------------------------------------------------------------------------------


def every(conditions: Iterable[bool]) -> bool:
    """All hold."""
    return reduce(conj, conditions, True)


def some(conditions: Iterable[bool]) -> bool:
    """One of them holds."""
    return reduce(disj, conditions, False)


def both(first: bool, second: bool) -> bool:
    """The one and the other."""
    return conj(first, second)


def implies(premise: bool, conclusion: bool) -> bool:
    """If the one, then the other."""
    return disj(neg(premise), conclusion)


def same(first: bool, second: bool) -> bool:
    """Both hold or neither does."""
    return conj(implies(first, second), implies(second, first))


# --- The order of times ---------------------------------------------------------------------------------------------


def at_most(low: int, high: int) -> bool:
    """`low <= high`."""
    return low <= high


def before(low: int, high: int) -> bool:
    """`low < high`."""
    return low < high


def equal(first: int, second: int) -> bool:
    """`first = second`."""
    return first == second


def pointwise(lows: Sequence[int], highs: Sequence[int]) -> bool:
    """Each of `lows` is at most its partner."""
    return every(map(_ordered, zip(lows, highs, strict=True)))


def _ordered(pair: tuple[int, int]) -> bool:
    return at_most(*pair)


def below_all(low: int, highs: Sequence[int]) -> bool:
    """It is at most each of `highs`."""
    return every(map(at_most, repeat(low), highs))


def later_than(lows: Sequence[int], highs: Sequence[int]) -> Sequence[bool]:
    """Of each of `lows`, whether it is at most its partner."""
    return tuple(map(at_most, lows, highs))


# --- Counting what a run gave ---------------------------------------------------------------------------------------


def count_of(occurrences: Iterable[object]) -> int:
    """How many there are."""
    return len(list(occurrences))


def none_of(occurrences: Iterable[object]) -> bool:
    """There is none."""
    return count_of(occurrences) == 0


def once(occurrences: Iterable[object]) -> bool:
    """There is exactly one."""
    return count_of(occurrences) == 1


def at_most_once(occurrences: Iterable[object]) -> bool:
    """There is none, or exactly one."""
    return count_of(occurrences) <= 1


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
