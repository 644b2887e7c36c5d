"""The rules of the rudimentary model, which has no bounds and forgets nothing (D §5.2.6)."""

from __future__ import annotations

from parte.semantics.events.event import NEGATIVE_INFINITY, Event
from parte.semantics.partelang.network import AlphaNode, ProductionNode, Side, TerminalNode, TwoInputNode
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules import registry
from parte.semantics.partelang.rules.premises import (
    LEFT_FULL,
    RIGHT_FULL,
    has_room_left,
    has_room_right,
    left_entry,
    matching_left,
    matching_right,
    printed_window,
    right_entry,
)
from parte.semantics.partelang.rules.reaction import OWN_SLOT
from parte.semantics.partelang.rules.registry import Conclusion, Effect, Site, TwoInputData
from parte.semantics.partelang.tokens import Alpha, AlphaToken, Beta, BetaToken, PartialMatch

ALPHA = registry.ALPHA.of(Family.RUDIMENTARY)
JOIN = registry.JOIN.of(Family.RUDIMENTARY)
NOT = registry.NOT.of(Family.RUDIMENTARY)
PRODUCTION = registry.PRODUCTION.of(Family.RUDIMENTARY)
TERMINAL = registry.TERMINAL.of(Family.RUDIMENTARY)


def _token(partial: PartialMatch) -> BetaToken:
    """Return a rudimentary beta token: a partial match without promises."""
    return BetaToken((NEGATIVE_INFINITY,) * len(partial), partial)


# --- Alpha nodes ----------------------------------------------------------------------------------------------------


@ALPHA.rule("PARTE/RUDIMENTARY-ALPHA-NOMATCHTEMPLATE", "Alpha-NoMatchTemplate")
def alpha_nomatchtemplate(site: Site[AlphaNode], data: None, token: Alpha[Event]) -> Conclusion:
    """An event of another template is discarded."""
    node = site.node
    return None if token.payload.template == node.template else Effect(data, ())


@ALPHA.rule("PARTE/RUDIMENTARY-ALPHA-NOMATCHCONSTRAINT", "Alpha-NoMatchConstraint")
def alpha_nomatchconstraint(site: Site[AlphaNode], data: None, token: Alpha[Event]) -> Conclusion:
    """An event that fails a condition is discarded."""
    node = site.node
    if token.payload.template != node.template or node.condition((token.payload,)):
        return None
    return Effect(data, ())


@ALPHA.rule("PARTE/RUDIMENTARY-ALPHA-MATCH", "Alpha-Match")
def alpha_match(site: Site[AlphaNode], data: None, token: Alpha[Event]) -> Conclusion:
    """An event that meets the conditions is bound to the pattern's variable."""
    node = site.node
    if token.payload.template != node.template or not node.condition((token.payload,)):
        return None
    return Effect(data, (_token((token.payload,)),))


# --- Join-nodes -----------------------------------------------------------------------------------------------------


@JOIN.rule("PARTE/RUDIMENTARY-JOIN-LEFT", "Join-↘", Side.LEFT)
def join_left(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """A partial match from the left is stored and joined with the right events in its window."""
    node = site.node
    if not has_room_left(site, data.left):
        return LEFT_FULL
    entry = left_entry(node, token.payload)
    left = data.left.stored(entry)
    window = matching_right(node, data.right, entry)
    return Effect(data._replace(left=left), tuple(_token(entry.events + other.events) for other in window))


@JOIN.rule("PARTE/RUDIMENTARY-JOIN-RIGHT", "Join-↙", Side.RIGHT)
def join_right(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """An event from the right is stored and joined with the left partial matches in its window."""
    node = site.node
    if not has_room_right(site, data.right):
        return RIGHT_FULL
    entry = right_entry(node, token.payload[0])
    right = data.right.stored(entry)
    window = matching_left(site, node, data.left, entry)
    return Effect(data._replace(right=right), tuple(_token(other.events + entry.events) for other in window))


# --- Not-nodes ------------------------------------------------------------------------------------------------------


@NOT.rule("PARTE/RUDIMENTARY-NOT-LEFT-MATCH", "Not-↘-Match", Side.LEFT)
def not_left_match(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """A partial match that a stored right event defeats is discarded, and nothing is produced.

    D's formula is lost in the scan. Its text discards such a token, and its formula for the same rule in D §5.4.6
    requires room and stores nothing; this reading is used here.
    """
    node = site.node
    if not has_room_left(site, data.left):
        return LEFT_FULL
    entry = left_entry(node, token.payload)
    if not matching_right(node, data.right, entry):
        return None
    return Effect(data, ())


@NOT.rule("PARTE/RUDIMENTARY-NOT-LEFT-NOMATCH", "Not-↘-NoMatch", Side.LEFT)
def not_left_nomatch(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """A partial match that no stored right event defeats is stored and passed on."""
    node = site.node
    if not has_room_left(site, data.left):
        return LEFT_FULL
    entry = left_entry(node, token.payload)
    left = data.left.stored(entry)
    if matching_right(node, data.right, entry):
        return None
    return Effect(data._replace(left=left), (_token(entry.events),))


@NOT.rule("PARTE/RUDIMENTARY-NOT-RIGHT-MATCH", "Not-↙-Match", Side.RIGHT)
def not_right_match(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """An event from the right that defeats a stored partial match is stored, and nothing is produced."""
    return _not_right(site, data, token, defeats=True)


@NOT.rule("PARTE/RUDIMENTARY-NOT-RIGHT-NOMATCH", "Not-↙-NoMatch", Side.RIGHT)
def not_right_nomatch(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch]) -> Conclusion:
    """An event from the right that defeats nothing passes on every partial match in its window, again and again.

    "In its window" is of times alone: keys of equality conditions are part of the condition that fails.
    """
    return _not_right(site, data, token, defeats=False)


def _not_right(site: Site[TwoInputNode], data: TwoInputData, token: Beta[PartialMatch], *, defeats: bool) -> Conclusion:
    node = site.node
    if not has_room_right(site, data.right):
        return RIGHT_FULL
    entry = right_entry(node, token.payload[0])
    right = data.right.stored(entry)
    window = printed_window(node, data.left, entry)
    alike = [other for other in window if other.key == entry.key]
    if any(node.condition(other.events + entry.events) for other in alike) is not defeats:
        return None
    passed = () if defeats else tuple(_token(other.events) for other in window)
    return Effect(data._replace(right=right), passed)


# --- Production and terminal nodes ----------------------------------------------------------------------------------


@PRODUCTION.rule("PARTE/RUDIMENTARY-PROD", "Prod")
def prod(site: Site[ProductionNode], data: None, token: Beta[PartialMatch]) -> Conclusion:
    """A match emits an event; an emission without a value emits nothing (specification: no-value-emissions)."""
    node = site.node
    event = node.generate_event(token.payload)
    return Effect(data, () if event is None else (AlphaToken(OWN_SLOT, NEGATIVE_INFINITY, event),))


@TERMINAL.rule("PARTE/RUDIMENTARY-TERM", "Term")
def term(site: Site[TerminalNode], data: None, token: Beta[PartialMatch]) -> Conclusion:
    """The token is consumed: the rule is matched (D def. 19), which the machine records."""
    return Effect(data, ())
