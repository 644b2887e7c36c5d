"""The rules of the rudimentary model, which knows no bounds and forgets nothing (D §5.2.6)."""

from __future__ import annotations

from typing import cast

from semantics.events.event import NEGATIVE_INFINITY
from semantics.network import AlphaNode, ProductionNode, Side, TwoInputNode
from semantics.repairs import Family
from semantics.rules.premises import (
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
from semantics.rules.reaction import OWN_SLOT
from semantics.rules.registry import Data, Effect, Kind, Outcome, Site, TwoInputData, rule
from semantics.tokens import AlphaToken, BetaToken, PartialMatch

SECTION = "5.2.6"


def _token(partial: PartialMatch) -> BetaToken:
    """A rudimentary beta token: a partial match about which nothing is promised."""
    return BetaToken((NEGATIVE_INFINITY,) * len(partial), partial)


# --- Alpha nodes ----------------------------------------------------------------------------------------------------


@rule(
    "RUDIMENTARY-ALPHA-NOMATCHTEMPLATE",
    name="Alpha-NoMatchTemplate",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.ALPHA,
    side=Side.TOP,
    payload=True,
)
def alpha_nomatchtemplate(site: Site, data: Data, token: AlphaToken) -> Outcome:
    """An event of another template is discarded."""
    node = cast(AlphaNode, site.node)
    assert token.payload is not None
    return None if token.payload.template == node.template else Effect(data, ())


@rule(
    "RUDIMENTARY-ALPHA-NOMATCHCONSTRAINT",
    name="Alpha-NoMatchConstraint",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.ALPHA,
    side=Side.TOP,
    payload=True,
)
def alpha_nomatchconstraint(site: Site, data: Data, token: AlphaToken) -> Outcome:
    """An event that fails a condition is discarded."""
    node = cast(AlphaNode, site.node)
    assert token.payload is not None
    if token.payload.template != node.template or node.condition((token.payload,)):
        return None
    return Effect(data, ())


@rule(
    "RUDIMENTARY-ALPHA-MATCH",
    name="Alpha-Match",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.ALPHA,
    side=Side.TOP,
    payload=True,
)
def alpha_match(site: Site, data: Data, token: AlphaToken) -> Outcome:
    """An event that meets the conditions is bound to the pattern's variable."""
    node = cast(AlphaNode, site.node)
    assert token.payload is not None
    if token.payload.template != node.template or not node.condition((token.payload,)):
        return None
    return Effect(data, (_token((token.payload,)),))


# --- Join-nodes -----------------------------------------------------------------------------------------------------


@rule(
    "RUDIMENTARY-JOIN-LEFT",
    name="Join-↘",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.JOIN,
    side=Side.LEFT,
    payload=True,
)
def join_left(site: Site, data: TwoInputData, token: BetaToken) -> Outcome:
    """A partial match from the left is stored and joined with the right events in its window."""
    node = cast(TwoInputNode, site.node)
    assert token.payload is not None
    if not has_room_left(site, data.left):
        return LEFT_FULL
    entry = left_entry(node, token.payload)
    left = data.left.stored(entry)
    window = matching_right(node, data.right, entry)
    return Effect(data._replace(left=left), tuple(_token(entry.events + other.events) for other in window))


@rule(
    "RUDIMENTARY-JOIN-RIGHT",
    name="Join-↙",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.JOIN,
    side=Side.RIGHT,
    payload=True,
)
def join_right(site: Site, data: TwoInputData, token: BetaToken) -> Outcome:
    """An event from the right is stored and joined with the left partial matches in its window."""
    node = cast(TwoInputNode, site.node)
    assert token.payload is not None
    if not has_room_right(site, data.right):
        return RIGHT_FULL
    entry = right_entry(node, token.payload[0])
    right = data.right.stored(entry)
    window = matching_left(site, node, data.left, entry)
    return Effect(data._replace(right=right), tuple(_token(other.events + entry.events) for other in window))


# --- Not-nodes ------------------------------------------------------------------------------------------------------


@rule(
    "RUDIMENTARY-NOT-LEFT-MATCH",
    name="Not-↘-Match",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.NOT,
    side=Side.LEFT,
    payload=True,
)
def not_left_match(site: Site, data: TwoInputData, token: BetaToken) -> Outcome:
    """A partial match that a stored right event defeats is stored, and nothing is produced."""
    node = cast(TwoInputNode, site.node)
    assert token.payload is not None
    if not has_room_left(site, data.left):
        return LEFT_FULL
    entry = left_entry(node, token.payload)
    left = data.left.stored(entry)
    if not matching_right(node, data.right, entry):
        return None
    return Effect(data._replace(left=left), ())


@rule(
    "RUDIMENTARY-NOT-LEFT-NOMATCH",
    name="Not-↘-NoMatch",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.NOT,
    side=Side.LEFT,
    payload=True,
)
def not_left_nomatch(site: Site, data: TwoInputData, token: BetaToken) -> Outcome:
    """A partial match that no stored right event defeats is stored and passed on."""
    node = cast(TwoInputNode, site.node)
    assert token.payload is not None
    if not has_room_left(site, data.left):
        return LEFT_FULL
    entry = left_entry(node, token.payload)
    left = data.left.stored(entry)
    if matching_right(node, data.right, entry):
        return None
    return Effect(data._replace(left=left), (_token(entry.events),))


@rule(
    "RUDIMENTARY-NOT-RIGHT-MATCH",
    name="Not-↙-Match",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.NOT,
    side=Side.RIGHT,
    payload=True,
)
def not_right_match(site: Site, data: TwoInputData, token: BetaToken) -> Outcome:
    """An event from the right that defeats a stored partial match is stored, and nothing is produced."""
    return _not_right(site, data, token, defeats=True)


@rule(
    "RUDIMENTARY-NOT-RIGHT-NOMATCH",
    name="Not-↙-NoMatch",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.NOT,
    side=Side.RIGHT,
    payload=True,
)
def not_right_nomatch(site: Site, data: TwoInputData, token: BetaToken) -> Outcome:
    """An event from the right that defeats nothing passes on every partial match in its window, again and again."""
    return _not_right(site, data, token, defeats=False)


def _not_right(site: Site, data: TwoInputData, token: BetaToken, *, defeats: bool) -> Outcome:
    node = cast(TwoInputNode, site.node)
    assert token.payload is not None
    if not has_room_right(site, data.right):
        return RIGHT_FULL
    entry = right_entry(node, token.payload[0])
    right = data.right.stored(entry)
    window = printed_window(node, data.left, entry)
    if any(node.condition(other.events + entry.events) for other in window) is not defeats:
        return None
    passed = () if defeats else tuple(_token(other.events) for other in window)
    return Effect(data._replace(right=right), passed)


# --- Production and terminal nodes ----------------------------------------------------------------------------------


@rule(
    "RUDIMENTARY-PROD",
    name="Prod",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.PRODUCTION,
    side=Side.TOP,
    payload=True,
)
def prod(site: Site, data: Data, token: BetaToken) -> Outcome:
    """A match emits an event; an emission without a value emits nothing (SPEC §2)."""
    node = cast(ProductionNode, site.node)
    assert token.payload is not None
    event = node.generate_event(token.payload)
    return Effect(data, () if event is None else (AlphaToken(OWN_SLOT, NEGATIVE_INFINITY, event),))


@rule(
    "RUDIMENTARY-TERM",
    name="Term",
    section=SECTION,
    family=Family.RUDIMENTARY,
    kind=Kind.TERMINAL,
    side=Side.TOP,
    payload=True,
)
def term(site: Site, data: Data, token: BetaToken) -> Outcome:
    """The token is consumed: the rule is matched (D def. 19), which the machine records."""
    return Effect(data, ())
