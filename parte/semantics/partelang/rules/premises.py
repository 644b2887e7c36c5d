"""Premises that the rules of join-nodes and not-nodes share (D fig. 5.4 and 5.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, repeat
from operator import attrgetter

from parte.semantics.events.event import Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.histories import Entry, History
from parte.semantics.partelang.network import TwoInputNode
from parte.semantics.partelang.repairs import Repairs
from parte.semantics.partelang.rules.registry import Site, TwoInputData, Waiting
from parte.semantics.partelang.tokens import BetaToken, PartialMatch
from parte.semantics.rulebook.connectives import highest, lowest

LEFT_FULL = Waiting("room in its left history")
RIGHT_FULL = Waiting("room in its right history")

timestamp_of: Callable[[Event], int] = attrgetter("timestamp")


def has_room_left(site: Site[TwoInputNode], history: History) -> bool:
    """has-room-for(pm, 1): return whether the left history has room for one more entry."""
    return site.left_capacity is None or len(history) < site.left_capacity


def has_room_right(site: Site[TwoInputNode], history: History) -> bool:
    """has-room-for(e, 1): return whether the right history has room for one more entry."""
    return site.right_capacity is None or len(history) < site.right_capacity


def left_entry(node: TwoInputNode, partial: PartialMatch) -> Entry:
    """Return a left partial match with its lifetime, the intersection of its events' windows."""
    timestamps = tuple(map(timestamp_of, partial))
    opens = kernel.lifetime_opens(timestamps, node.minima)
    closes = kernel.lifetime_closes(timestamps, node.maxima)
    return Entry(partial, opens, closes, node.left_key(partial))


def right_entry(node: TwoInputNode, event: Event) -> Entry:
    """Return a right event, which is live at its own instant."""
    partial = (event,)
    return Entry(partial, event.timestamp, event.timestamp, node.right_key(partial))


def matching_left(site: Site[TwoInputNode], node: TwoInputNode, history: History, right: Entry) -> list[Entry]:
    """Return the left entries whose window contains a right event and that meet the condition with it."""
    if site.repairs.window_per_event:
        window = history.overlapping(right.opens, right.closes, right.key)
    else:
        window = [entry for entry in printed_window(node, history, right) if entry.key == right.key]
    return [entry for entry in window if node.condition(entry.events + right.events)]


def printed_window(node: TwoInputNode, history: History, right: Entry) -> list[Entry]:
    """Return the left entries in one interval for all their events, whatever their keys (defect 3).

    D fig. 5.4 leaves open which distance it means when there are several. The hull of all loses no match, so it is the
    reading most favourable to D.
    """
    opens = kernel.printed_right_opens(right.opens, highest(node.maxima))
    closes = kernel.printed_right_closes(right.opens, lowest(node.minima))
    return [
        entry
        for entry in history
        if all(map(kernel.in_window, map(timestamp_of, entry.events), repeat(opens), repeat(closes)))
    ]


def matching_right(node: TwoInputNode, history: History, left: Entry) -> list[Entry]:
    """Return the right entries in the lifetime of a left partial match that meet the condition with it."""
    window = history.overlapping(left.opens, left.closes, left.key)
    return [entry for entry in window if node.condition(left.events + entry.events)]


def expire_left(repairs: Repairs, history: History, bound: int) -> History:
    """expire left: return the history without the entries that no later right event can match."""
    if repairs.expire_by_lifetime:
        return history.passed(bound)[0]
    return history.parted(lambda entry: _is_young(entry, bound))[0]


def expire_negated(repairs: Repairs, history: History, bound: int) -> tuple[History, Sequence[Entry]]:
    """expire-negated: return the history of those that stay, and those that no event can defeat any more."""
    if repairs.expire_by_lifetime:
        return history.passed(bound)
    staying, leaving = history.parted(lambda entry: _is_young(entry, bound))
    if not repairs.exhaustive_expiry:
        leaving = [entry for entry in leaving if _is_old(entry, bound)]
    return staying, leaving


def _is_young(entry: Entry, bound: int) -> bool:
    return all(map(kernel.printed_left_is_young, map(timestamp_of, entry.events), repeat(bound)))


def _is_old(entry: Entry, bound: int) -> bool:
    return all(map(kernel.printed_left_is_old, map(timestamp_of, entry.events), repeat(bound)))


def expire_right(node: TwoInputNode, history: History, left_bounds: tuple[int, ...]) -> History:
    """expire right: return the history without the entries that no later left partial match can match."""
    return history.passed(kernel.expiration_time(left_bounds, node.minima))[0]


def left_bounds_after(site: Site[TwoInputNode], data: TwoInputData) -> tuple[int, ...]:
    """Return, for each left event, the lesser bound of later and of stored events (lmap-implicit and lmap-prop)."""
    if not site.informs:
        return site.unread
    bounds = data.left_bounds
    return tuple(map(kernel.propagated_bound, bounds, map(data.left.earliest, range(len(bounds)))))


def joined_bounds_after(site: Site[TwoInputNode], data: TwoInputData) -> tuple[int, ...]:
    """Return the same, and the bound for the right event."""
    if not site.informs:
        return site.unread
    right = kernel.propagated_bound(data.right_bound, data.right.earliest(0))
    return left_bounds_after(site, data) + (right,)  # noqa: RUF005 # any number of bounds, and one more


def as_tokens(
    site: Site[TwoInputNode], results: Sequence[PartialMatch], bounds: tuple[int, ...]
) -> tuple[BetaToken, ...]:
    """Return the tokens of one step, in order, if `bounds` hold after it."""
    if not results:
        return (BetaToken(bounds, None),) if site.repairs.report_silence and site.informs else ()
    if not site.repairs.bound_per_token or not site.informs:
        return tuple(map(BetaToken, repeat(bounds), results))
    later = accumulate(reversed(results), bounds_before, initial=bounds)
    return tuple(reversed(list(map(BetaToken, later, reversed(results)))))


def bounds_before(bounds: tuple[int, ...], result: PartialMatch) -> tuple[int, ...]:
    """Return the bounds that hold before a result is sent, if `bounds` hold after it."""
    return tuple(map(kernel.batch_bound, bounds, map(timestamp_of, result)))
