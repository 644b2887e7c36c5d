"""Production nodes and terminal nodes: the effects of a match (D §5.4.6)."""

from __future__ import annotations

from parte.semantics.partelang.network import ProductionNode, TerminalNode
from parte.semantics.partelang.rules.registry import PRODUCTION, TERMINAL, Conclusion, Effect, Site
from parte.semantics.partelang.tokens import AlphaToken, Beta, PartialMatch

OWN_SLOT = 0
"""A production node does not have its slot at the entry node; the edge to it does (`Successor.slot`)."""


@PRODUCTION.bottom("PARTE/PROD-BOTTOM", "Prod-⊥")
def prod_bottom(site: Site[ProductionNode], data: None, token: Beta[None]) -> Conclusion:
    """Bounds on the match's events become, by the `at` of the emission, a bound on emitted events."""
    node = site.node
    return Effect(data, (AlphaToken(OWN_SLOT, node.generate_bound(token.bounds), None),))


@PRODUCTION.rule("PARTE/PROD", "Prod")
def prod(site: Site[ProductionNode], data: None, token: Beta[PartialMatch]) -> Conclusion:
    """A match emits an event; an emission without a value emits nothing, and its bound passes.

    Specification: no-value-emissions.
    """
    node = site.node
    event, bound = node.generate_event(token.payload), node.generate_bound(token.bounds)
    return Effect(data, (AlphaToken(OWN_SLOT, bound, event),))


@TERMINAL.either("PARTE/TERM", "Term")
def term(site: Site[TerminalNode], data: None, token: Beta[PartialMatch | None]) -> Conclusion:
    """The token is consumed; with a payload, the rule is matched (D def. 19), which the machine records."""
    return Effect(data, ())
