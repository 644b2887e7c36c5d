"""Set-nodes: a left partial match passes with the summary of the events in its window (specification: sets, moments).

D has no rules for sets; these are ours. A not-node is the case whose `having` is `count(v) = 0`: there the first event
in the window decides, so D's rules remove the partial match and need no event after that.
"""

from __future__ import annotations

from collections.abc import Sequence

from parte.semantics.events.event import Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.histories import Entry, History
from parte.semantics.partelang.network import Side, TwoInputNode
from parte.semantics.partelang.rules.premises import (
    LEFT_FULL,
    RIGHT_FULL,
    as_tokens,
    has_room_left,
    has_room_right,
    left_bounds_after,
    left_entry,
    matching_right,
    right_entry,
)
from parte.semantics.partelang.rules.registry import SET, Conclusion, Effect, Site, TwoInputData
from parte.semantics.partelang.tokens import Beta, BetaToken, PartialMatch


@SET.bottom("PARTE/SET-LEFT-BOTTOM", "Set-↘-⊥", Side.LEFT)
def set_left_bottom(site: Site[TwoInputNode], data: TwoInputData, token: Beta[None]) -> Conclusion:
    """Bounds from the left expire the right events that no partial match can need any more, and pass on."""
    node = site.node
    right = expire_unneeded(node, data.right, token.bounds, data.left)
    after = TwoInputData(token.bounds, data.right_bound, data.left, right)
    return Effect(after, (BetaToken(summarized_bounds_after(site, after), None),))


@SET.bottom("PARTE/SET-RIGHT-BOTTOM", "Set-↙-⊥", Side.RIGHT)
def set_right_bottom(site: Site[TwoInputNode], data: TwoInputData, token: Beta[None]) -> Conclusion:
    """A bound from the right completes the sets of the partial matches whose window lies before it.

    They pass if the conditions of `having` are true, and are dropped if not.
    """
    node = site.node
    (bound,) = token.bounds
    left, complete = data.left.passed(bound)
    results = holding(node, data.right, complete)
    right = expire_unneeded(node, data.right, data.left_bounds, left)
    after = TwoInputData(data.left_bounds, bound, left, right)
    return Effect(after, _summarized(site, results, summarized_bounds_after(site, after)))


@SET.rule("PARTE/SET-LEFT-DECIDED", "Set-↘-Decided", Side.LEFT)
def set_left_decided(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """A partial match whose set is complete, or whose conditions stay true, passes or is dropped at once."""
    node = site.node
    entry = left_entry(node, token.payload)
    if not is_decided(node, data.right, data.right_bound, entry):
        return None
    results = holding(node, data.right, [entry])
    right = expire_unneeded(node, data.right, token.bounds, data.left)
    after = TwoInputData(token.bounds, data.right_bound, data.left, right)
    return Effect(after, _summarized(site, results, summarized_bounds_after(site, after)))


@SET.rule("PARTE/SET-LEFT-OPEN", "Set-↘-Open", Side.LEFT)
def set_left_open(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """A partial match is stored while events may still come into its window, and its conditions are not decided."""
    node = site.node
    entry = left_entry(node, token.payload)
    if is_decided(node, data.right, data.right_bound, entry):
        return None
    if not has_room_left(site, data.left):
        return LEFT_FULL
    left = data.left.stored(entry)
    right = expire_unneeded(node, data.right, token.bounds, left)
    after = TwoInputData(token.bounds, data.right_bound, left, right)
    return Effect(after, (BetaToken(summarized_bounds_after(site, after), None),))


@SET.rule("PARTE/SET-RIGHT", "Set-↙", Side.RIGHT)
def set_right(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """An event from the right is stored, if a partial match can still need it.

    The partial matches pass whose conditions it makes true for good, and those whose window lies before its bound.
    """
    node = site.node
    (event,), (bound,) = token.payload, token.bounds
    entry = right_entry(node, event)
    live = not kernel.is_stale(event.timestamp, needed_from(node, data.left_bounds, data.left))
    if live and not has_room_right(site, data.right):
        return RIGHT_FULL
    right = data.right.stored(entry) if live else data.right
    decided = decided_by(node, data.left, right, entry)
    left, complete = data.left.without(decided).passed(bound)
    results = holding(node, right, [*decided, *complete])
    after = TwoInputData(data.left_bounds, bound, left, expire_unneeded(node, right, data.left_bounds, left))
    return Effect(after, _summarized(site, results, summarized_bounds_after(site, after)))


# --- Premises of these rules alone ------------------------------------------------------------------------------------


def elements_of(node: TwoInputNode, right: History, entry: Entry) -> list[Event]:
    """Return the stored events in the set of a left partial match."""
    return [other.events[0] for other in matching_right(node, right, entry)]


def summarized(node: TwoInputNode, right: History, entry: Entry) -> PartialMatch:
    """Return a left partial match with the summary of its set."""
    summary = node.gathering.summarize(elements_of(node, right, entry), entry.opens)
    return entry.events + (summary,)  # noqa: RUF005 # any number of events, and one more


def holding(node: TwoInputNode, right: History, entries: Sequence[Entry]) -> list[PartialMatch]:
    """Return those left partial matches, with their summaries, that meet the conditions on the set."""
    extended = [summarized(node, right, entry) for entry in entries]
    return [events for events in extended if node.gathering.holds(events)]


def is_decided(node: TwoInputNode, right: History, bound: int, entry: Entry) -> bool:
    """Return whether no later event changes the outcome of a left partial match: its window is over, or it holds."""
    if not kernel.may_be_met(entry.opens, entry.closes, bound):
        return True
    return node.gathering.upward and node.gathering.holds(summarized(node, right, entry))


def decided_by(node: TwoInputNode, left: History, right: History, entry: Entry) -> list[Entry]:
    """Return the left entries whose conditions a right event makes true for good."""
    if not node.gathering.upward:
        return []
    window = left.overlapping(entry.opens, entry.closes, entry.key)
    return [other for other in window if node.gathering.holds(summarized(node, right, other))]


def needed_from(node: TwoInputNode, left_bounds: tuple[int, ...], left: History) -> int:
    """Return the time before which no left partial match, stored or to come, needs an event."""
    return kernel.expiration_time(needing(left_bounds, left), node.minima)


def inside_until(node: TwoInputNode, left_bounds: tuple[int, ...], left: History) -> int:
    """Return the time before which every event is in the windows without beginning of all left partial matches."""
    return kernel.lifetime_closes(needing(left_bounds, left), node.maxima)


def needing(left_bounds: tuple[int, ...], left: History) -> tuple[int, ...]:
    """Return the bounds of the left events of partial matches, stored or to come."""
    stored = map(left.earliest, range(len(left_bounds)))
    return tuple(map(kernel.propagated_bound, left_bounds, stored))


def expire_unneeded(node: TwoInputNode, right: History, left_bounds: tuple[int, ...], left: History) -> History:
    """expire right: return the history without the events that no left partial match needs any more.

    In a window without beginning, those that all of them have in it become part of the past.
    """
    if node.past is not None:
        return right.passed(inside_until(node, left_bounds, left))[0]
    return right.passed(needed_from(node, left_bounds, left))[0]


def summarized_bounds_after(site: Site[TwoInputNode], data: TwoInputData) -> tuple[int, ...]:
    """Return the bounds of the left events, and that of the summary: the least beginning of a window to come."""
    if not site.informs:
        return site.unread
    left = left_bounds_after(site, data)
    opens = kernel.expiration_time(left, site.node.minima)
    return left + (opens,)  # noqa: RUF005 # any number of bounds, and one more


def _summarized(
    site: Site[TwoInputNode], results: list[PartialMatch], bounds: tuple[int, ...]
) -> tuple[BetaToken, ...]:
    """Return the tokens of the results, or one without a payload: the bounds pass on in every model."""
    return as_tokens(site, results, bounds) if results else (BetaToken(bounds, None),)
