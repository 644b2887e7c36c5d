"""The arithmetic of the rules: window membership, lifetimes, staleness, bounds (specification: kernel-arithmetic).

Every function is pure and takes timestamps, distances and bounds as integer milliseconds or as solver terms; the
interpreter runs the very functions that the proofs are about. A *bound* on an edge means that every later payload on
that edge has a timestamp >= it; there is one for each event of a partial match. Distances are those of the closure of
a rule's `when` (D §5.5.3): the right event `e` of a two-input node must satisfy, for each event `f` of the left partial
match, `f + minimum <= e <= f + maximum`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add

from parte.semantics.rulebook.connectives import conj, highest, lesser, lowest, mean, neg


def in_window(timestamp: int, opens: int, closes: int) -> bool:
    """Return whether a timestamp lies in a window (specification: windows-closed; D def. 15 prints it half open)."""
    return conj(opens <= timestamp, timestamp <= closes)


def lifetime_opens(timestamps: Sequence[int], minima: Sequence[int]) -> int:
    """Return the start of the intersection of a left partial match's windows (D fig. 5.4, lifetime left)."""
    return highest(map(add, timestamps, minima))


def lifetime_closes(timestamps: Sequence[int], maxima: Sequence[int]) -> int:
    """Return the end of the intersection of a left partial match's windows (D fig. 5.4, lifetime left)."""
    return lowest(map(add, timestamps, maxima))


def is_stale(ends: int, bound: int) -> bool:
    """Return whether something that is live until `ends` can match no later payload (D def. 17).

    For a left partial match `ends` is the end of its lifetime and `bound` the bound on right events; for a right event
    `ends` is its timestamp and `bound` the expiration time that follows from the bounds on left partial matches.
    """
    return ends < bound


def may_be_met(opens: int, closes: int, bound: int) -> bool:
    """Return whether a later right event may lie in the lifetime of a left partial match, which may be empty."""
    return conj(opens <= closes, neg(is_stale(closes, bound)))


def expiration_time(left_bounds: Sequence[int], minima: Sequence[int]) -> int:
    """Return the time before which no right event can match a later left partial match (D fig. 5.5)."""
    return highest(map(add, left_bounds, minima))


def may_be_taken(bound: int, bounds: Sequence[int]) -> bool:
    """Return whether it is a source's turn at an entry node: no external source has promised less than it."""
    return bound <= lowest(bounds)


def entry_bound(bounds: Sequence[int]) -> int:
    """Return the bound that an entry node passes on: the least promise of its sources (D §5.4.6, min(codom(slmap)))."""
    return lowest(bounds)


def propagated_bound(explicit: int, implicit: int) -> int:
    """Return the bound of a two-input node for one event: the lesser one of later payloads and of the stored ones."""
    return lesser(explicit, implicit)


def batch_bound(bound: int, timestamp: int) -> int:
    """Return the bound on a token that is followed, in the same step, by one with `timestamp` and `bound`."""
    return lesser(bound, timestamp)


# --- The `at` of an emission, on timestamps and on bounds alike (D §5.4.6, g-e and g-l) -----------------------------


def shifted(timestamp: int, milliseconds: int) -> int:
    """Return a timestamp moved by a duration."""
    return timestamp + milliseconds


def earliest(timestamps: Sequence[int]) -> int:
    """Return `min` of timestamps."""
    return lowest(timestamps)


def latest(timestamps: Sequence[int]) -> int:
    """Return `max` of timestamps."""
    return highest(timestamps)


def average(timestamps: Sequence[int]) -> int:
    """Return `avg` of timestamps, rounded towards minus infinity, which keeps it non-decreasing in each."""
    return mean(timestamps)


# --- As D prints it: the arithmetic of `published` where a repair replaces it ---------------------------------------


def printed_left_is_young(timestamp: int, right_bound: int) -> bool:
    """D fig. 5.5, expire left: an event stays while it is not older than the raw right bound (defect 1)."""
    return timestamp >= right_bound


def printed_left_is_old(timestamp: int, right_bound: int) -> bool:
    """D fig. 5.5, expire-negated: an event of a partial match that has expired (defect 4)."""
    return neg(printed_left_is_young(timestamp, right_bound))


def printed_right_opens(timestamp: int, maximum: int) -> int:
    """D fig. 5.4, lifetime right: the earliest left event that one right event may match (defect 3)."""
    return timestamp - maximum


def printed_right_closes(timestamp: int, minimum: int) -> int:
    """D fig. 5.4, lifetime right: the latest left event that one right event may match (defect 3)."""
    return timestamp - minimum
