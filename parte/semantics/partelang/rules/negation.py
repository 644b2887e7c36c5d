"""Not-nodes: a left partial match passes once no right event can defeat it (D §5.4.6, fig. 5.6)."""

from __future__ import annotations

from parte.semantics.partelang import kernel
from parte.semantics.partelang.network import Side, TwoInputNode
from parte.semantics.partelang.rules.premises import (
    LEFT_FULL,
    RIGHT_FULL,
    as_tokens,
    expire_negated,
    expire_right,
    has_room_left,
    has_room_right,
    left_bounds_after,
    left_entry,
    matching_left,
    matching_right,
    right_entry,
)
from parte.semantics.partelang.rules.registry import NOT, Conclusion, Effect, Site, TwoInputData
from parte.semantics.partelang.tokens import Beta, BetaToken, PartialMatch


@NOT.bottom("PARTE/NOT-LEFT-BOTTOM", "Not-↘-⊥", Side.LEFT)
def not_left_bottom(site: Site[TwoInputNode], data: TwoInputData, token: Beta[None]) -> Conclusion:
    """Bounds from the left expire right events and pass on."""
    node = site.node
    right = expire_right(node, data.right, token.bounds)
    after = TwoInputData(token.bounds, data.right_bound, data.left, right)
    return Effect(after, (BetaToken(left_bounds_after(site, after), None),))


@NOT.bottom("PARTE/NOT-RIGHT-BOTTOM", "Not-↙-⊥", Side.RIGHT)
def not_right_bottom(site: Site[TwoInputNode], data: TwoInputData, token: Beta[None]) -> Conclusion:
    """A bound from the right releases the left partial matches that nothing can defeat any more."""
    (bound,) = token.bounds
    left, expired = expire_negated(site.repairs, data.left, bound)
    after = TwoInputData(data.left_bounds, bound, left, data.right)
    results = [entry.events for entry in expired]
    return Effect(after, _released(site, results, left_bounds_after(site, after)))


@NOT.rule("PARTE/NOT-LEFT-MATCH", "Not-↘-Match", Side.LEFT)
def not_left_match(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """A partial match that a stored right event defeats is dropped.

    Repaired: right events expire after the comparison (join-before-expiry), room is required only if an entry is stored
    (store-only-live), and the bounds pass on (report-silence).
    """
    node, repairs = site.node, site.repairs
    if not repairs.store_only_live and not has_room_left(site, data.left):
        return LEFT_FULL
    entry = left_entry(node, token.payload)
    right = data.right if repairs.join_before_expiry else expire_right(node, data.right, token.bounds)
    if not matching_right(node, right, entry):
        return None
    if repairs.join_before_expiry:
        right = expire_right(node, data.right, token.bounds)
    after = TwoInputData(token.bounds, data.right_bound, data.left, right)
    if not repairs.report_silence:
        return Effect(after, ())
    return Effect(after, as_tokens(site, (), left_bounds_after(site, after)))


@NOT.rule("PARTE/NOT-LEFT-NOMATCH", "Not-↘-NoMatch", Side.LEFT)
def not_left_nomatch(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """A partial match that no stored right event defeats is stored until nothing can defeat it any more.

    Repaired: right events expire after the comparison (join-before-expiry), a partial match that nothing can defeat
    any more is released at once (store-only-live), and the bounds pass on (report-silence).
    """
    node, repairs = site.node, site.repairs
    entry = left_entry(node, token.payload)
    live = not repairs.store_only_live or kernel.may_be_met(entry.opens, entry.closes, data.right_bound)
    if live and not has_room_left(site, data.left):
        return LEFT_FULL
    right = data.right if repairs.join_before_expiry else expire_right(node, data.right, token.bounds)
    if matching_right(node, right, entry):
        return None
    left = data.left.stored(entry) if live else data.left
    if repairs.join_before_expiry:
        right = expire_right(node, data.right, token.bounds)
    after = TwoInputData(token.bounds, data.right_bound, left, right)
    silent = live and not repairs.report_silence
    results = () if live else (entry.events,)
    return Effect(after, () if silent else as_tokens(site, results, left_bounds_after(site, after)))


@NOT.rule("PARTE/NOT-RIGHT", "Not-↙", Side.RIGHT)
def not_right(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """An event from the right removes the left partial matches that it defeats and is stored.

    Those that nothing can defeat any more are released. D's conclusion leaves the event out of the history; D fig. 5.6
    stores it; this reading is used here. Repaired: an event defeats only partial matches whose window contains it
    (negate-in-window), and an event that no later left partial match can match is not stored (store-only-live).
    """
    node, repairs = site.node, site.repairs
    (event,), (bound,) = token.payload, token.bounds
    entry = right_entry(node, event)
    live = not repairs.store_only_live or not kernel.is_stale(
        event.timestamp, kernel.expiration_time(data.left_bounds, node.minima)
    )
    if live and not has_room_right(site, data.right):
        return RIGHT_FULL
    if repairs.negate_in_window:
        defeated = matching_left(site, node, data.left, entry)
    else:
        alike = (other for other in data.left if other.key == entry.key)
        defeated = [other for other in alike if node.condition(other.events + entry.events)]
    left, expired = expire_negated(repairs, data.left.without(defeated), bound)
    right = data.right.stored(entry) if live else data.right
    after = TwoInputData(data.left_bounds, bound, left, right)
    results = [other.events for other in expired]
    return Effect(after, _released(site, results, left_bounds_after(site, after)))


def _released(site: Site[TwoInputNode], expired: list[PartialMatch], bounds: tuple[int, ...]) -> tuple[BetaToken, ...]:
    """Return the tokens of a right activation: the released partial matches, and the bounds.

    D appends a "no change" token to the results, so that there may be one token more than the outbox has room for
    (defect 10); repaired (bound-on-last-token), the last result carries the bounds.
    """
    tokens = as_tokens(site, expired, bounds) if expired else ()
    if expired and site.repairs.bound_on_last_token:
        return tokens
    return (*tokens, BetaToken(bounds, None))
