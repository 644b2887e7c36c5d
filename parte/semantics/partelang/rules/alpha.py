"""Alpha nodes: the conditions of one pattern (D §5.4.6)."""

from __future__ import annotations

from parte.semantics.events.event import Event
from parte.semantics.partelang.network import AlphaNode
from parte.semantics.partelang.rules.registry import ALPHA, Conclusion, Effect, Site
from parte.semantics.partelang.tokens import Alpha, BetaToken


@ALPHA.bottom("PARTE/ALPHA-BOTTOM", "Alpha-⊥")
def alpha_bottom(site: Site[AlphaNode], data: None, token: Alpha[None]) -> Conclusion:
    """A bound without an event passes as the bound of this pattern's event."""
    return Effect(data, (BetaToken((token.bound,), None),))


@ALPHA.rule("PARTE/ALPHA-MATCH", "Alpha-Match")
def alpha_match(site: Site[AlphaNode], data: None, token: Alpha[Event]) -> Conclusion:
    """An event that meets the conditions is bound to the pattern's variable."""
    node = site.node
    events = (token.payload,)
    if not node.condition(events):
        return None
    return Effect(data, (BetaToken((token.bound,), events),))


@ALPHA.rule("PARTE/ALPHA-NOMATCHCONSTRAINT", "Alpha-NoMatchConstraint")
def alpha_nomatchconstraint(site: Site[AlphaNode], data: None, token: Alpha[Event]) -> Conclusion:
    """An event that fails a condition is discarded; repaired (report-silence), its bound still passes."""
    node = site.node
    if node.condition((token.payload,)):
        return None
    if site.repairs.report_silence:
        return Effect(data, (BetaToken((token.bound,), None),))
    return Effect(data, ())
