"""Alpha nodes: the conditions of one pattern (D §5.4.6)."""

from __future__ import annotations

from typing import cast

from semantics.network import AlphaNode, Side
from semantics.repairs import Family
from semantics.rules.registry import Data, Effect, Kind, Outcome, Site, rule
from semantics.tokens import AlphaToken, BetaToken


@rule(
    "ALPHA-BOTTOM",
    name="Alpha-⊥",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.ALPHA,
    side=Side.TOP,
    payload=False,
)
def alpha_bottom(site: Site, data: Data, token: AlphaToken) -> Outcome:
    """A bound without an event passes as the bound of this pattern's event."""
    return Effect(data, (BetaToken((token.bound,), None),))


@rule(
    "ALPHA-MATCH",
    name="Alpha-Match",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.ALPHA,
    side=Side.TOP,
    payload=True,
)
def alpha_match(site: Site, data: Data, token: AlphaToken) -> Outcome:
    """An event that meets the conditions is bound to the pattern's variable."""
    node = cast(AlphaNode, site.node)
    assert token.payload is not None
    events = (token.payload,)
    if not node.condition(events):
        return None
    return Effect(data, (BetaToken((token.bound,), events),))


@rule(
    "ALPHA-NOMATCHCONSTRAINT",
    name="Alpha-NoMatchConstraint",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.ALPHA,
    side=Side.TOP,
    payload=True,
)
def alpha_nomatchconstraint(site: Site, data: Data, token: AlphaToken) -> Outcome:
    """An event that fails a condition is discarded; repaired (report-silence), its bound still passes."""
    node = cast(AlphaNode, site.node)
    assert token.payload is not None
    if node.condition((token.payload,)):
        return None
    if site.repairs.report_silence:
        return Effect(data, (BetaToken((token.bound,), None),))
    return Effect(data, ())
