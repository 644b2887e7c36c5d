"""Production nodes and terminal nodes: what follows from a match (D §5.4.6)."""

from __future__ import annotations

from typing import cast

from semantics.network import ProductionNode, Side
from semantics.repairs import Family
from semantics.rules.registry import Data, Effect, Kind, Outcome, Site, rule
from semantics.tokens import AlphaToken, BetaToken

OWN_SLOT = 0
"""A production node does not know its slot at the entry node; the edge to it does (`Successor.slot`)."""


@rule(
    "PROD-BOTTOM",
    name="Prod-⊥",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.PRODUCTION,
    side=Side.TOP,
    payload=False,
)
def prod_bottom(site: Site, data: Data, token: BetaToken) -> Outcome:
    """Bounds on the match's events become, by the `at` of the emission, a bound on emitted events."""
    node = cast(ProductionNode, site.node)
    return Effect(data, (AlphaToken(OWN_SLOT, node.generate_bound(token.bounds), None),))


@rule(
    "PROD",
    name="Prod",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.PRODUCTION,
    side=Side.TOP,
    payload=True,
)
def prod(site: Site, data: Data, token: BetaToken) -> Outcome:
    """A match emits an event; an emission without a value emits nothing, and its bound passes (SPEC §2)."""
    node = cast(ProductionNode, site.node)
    assert token.payload is not None
    event, bound = node.generate_event(token.payload), node.generate_bound(token.bounds)
    return Effect(data, (AlphaToken(OWN_SLOT, bound, event),))


@rule(
    "TERM",
    name="Term",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.TERMINAL,
    side=Side.TOP,
    payload=None,
)
def term(site: Site, data: Data, token: BetaToken) -> Outcome:
    """The token is consumed; with a payload, the rule is matched (D def. 19), which the machine records."""
    return Effect(data, ())
