"""Join-nodes: an incremental join of partial matches from the left with events from the right (D §5.4.6)."""

from __future__ import annotations

from parte.semantics.partelang import kernel
from parte.semantics.partelang.network import Side, TwoInputNode
from parte.semantics.partelang.rules.premises import (
    LEFT_FULL,
    RIGHT_FULL,
    as_tokens,
    expire_left,
    expire_right,
    has_room_left,
    has_room_right,
    joined_bounds_after,
    left_entry,
    matching_left,
    matching_right,
    right_entry,
)
from parte.semantics.partelang.rules.registry import JOIN, Conclusion, Effect, Site, TwoInputData
from parte.semantics.partelang.tokens import Beta, BetaToken, PartialMatch


@JOIN.bottom("PARTE/JOIN-LEFT-BOTTOM", "Join-↘-⊥", Side.LEFT)
def join_left_bottom(site: Site[TwoInputNode], data: TwoInputData, token: Beta[None]) -> Conclusion:
    """Bounds from the left expire right events and pass on."""
    node = site.node
    right = expire_right(node, data.right, token.bounds)
    after = TwoInputData(token.bounds, data.right_bound, data.left, right)
    return Effect(after, (BetaToken(joined_bounds_after(site, after), None),))


@JOIN.bottom("PARTE/JOIN-RIGHT-BOTTOM", "Join-↙-⊥", Side.RIGHT)
def join_right_bottom(site: Site[TwoInputNode], data: TwoInputData, token: Beta[None]) -> Conclusion:
    """A bound from the right expires left partial matches and passes on."""
    (bound,) = token.bounds
    left = expire_left(site.repairs, data.left, bound)
    after = TwoInputData(data.left_bounds, bound, left, data.right)
    return Effect(after, (BetaToken(joined_bounds_after(site, after), None),))


@JOIN.rule("PARTE/JOIN-LEFT", "Join-↘", Side.LEFT)
def join_left(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """A partial match from the left is stored and joined with the right events in its window.

    Repaired: a partial match that no later right event can match is not stored (store-only-live), and right events
    expire after the join, not before (join-before-expiry).
    """
    node, repairs = site.node, site.repairs
    entry = left_entry(node, token.payload)
    live = not repairs.store_only_live or kernel.may_be_met(entry.opens, entry.closes, data.right_bound)
    if live and not has_room_left(site, data.left):
        return LEFT_FULL
    left = data.left.stored(entry) if live else data.left
    right = data.right if repairs.join_before_expiry else expire_right(node, data.right, token.bounds)
    window = matching_right(node, right, entry)
    results = [entry.events + other.events for other in window]
    if repairs.join_before_expiry:
        right = expire_right(node, data.right, token.bounds)
    after = TwoInputData(token.bounds, data.right_bound, left, right)
    return Effect(after, as_tokens(site, results, joined_bounds_after(site, after)))


@JOIN.rule("PARTE/JOIN-RIGHT", "Join-↙", Side.RIGHT)
def join_right(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """An event from the right is stored and joined with the left partial matches in whose window it lies.

    Repaired: left partial matches expire by their lifetime (expire-by-lifetime) and after the join, because the bound
    is about later tokens (join-before-expiry); an event that no later left partial match can match is not stored
    (store-only-live).
    """
    node, repairs = site.node, site.repairs
    (event,), (bound,) = token.payload, token.bounds
    entry = right_entry(node, event)
    left = data.left if repairs.join_before_expiry else expire_left(repairs, data.left, bound)
    live = not repairs.store_only_live or not kernel.is_stale(
        event.timestamp, kernel.expiration_time(data.left_bounds, node.minima)
    )
    if live and not has_room_right(site, data.right):
        return RIGHT_FULL
    right = data.right.stored(entry) if live else data.right
    window = matching_left(site, node, left, entry)
    results = [other.events + entry.events for other in window]
    if repairs.join_before_expiry:
        left = expire_left(repairs, data.left, bound)
    after = TwoInputData(data.left_bounds, bound, left, right)
    return Effect(after, as_tokens(site, results, joined_bounds_after(site, after)))
