"""What lemmas are stated with, beside the kernel: connectives, the order of times, and the algebra's windows.

This is all the glue there is. A theorem holds no comparison and no arithmetic of its own (a test sees to that): what
the machine computes comes from `semantics`, what it should compute from `algebra.parte.evaluate`, both run on terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parte.algebra.parte.evaluate import holds
from parte.algebra.parte.patterns import All, Within
from parte.proofs.symbolic import Run
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event
from parte.semantics.rulebook.connectives import conj, disj, neg

# --- Connectives ----------------------------------------------------------------------------------------------------


def every(conditions: Iterable[bool]) -> bool:
    """All hold."""
    result = True
    for condition in conditions:
        result = conj(result, condition)
    return result


def some(conditions: Iterable[bool]) -> bool:
    """One of them holds."""
    result = False
    for condition in conditions:
        result = disj(result, condition)
    return result


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
    return every(at_most(low, high) for low, high in zip(lows, highs, strict=True))


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
    """The event lies in the window of every event of the partial match, as the algebra's evaluator decides."""
    names = [f"left {number}" for number in range(1, len(partial) + 1)]
    value = frozenset({("right", event), *zip(names, partial, strict=True)})
    windows = tuple(
        Within("right", name, lower, upper) for name, lower, upper in zip(names, minima, maxima, strict=True)
    )
    asked = f"{'+'.join(one.id for one in partial)} fits {event.id}"
    return run.formula(asked, lambda: holds(All(windows), value, NO_DOMAIN))


def times_of(events: Sequence[Event]) -> tuple[int, ...]:
    """The timestamps of events."""
    return tuple(event.timestamp for event in events)
