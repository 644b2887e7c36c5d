"""Production nodes that suppress events (specification: suppression). D has no rules for them; these are ours."""

from __future__ import annotations

from itertools import pairwise

from parte.semantics.partelang.network import Once, ProductionNode
from parte.semantics.partelang.rules.reaction import OWN_SLOT
from parte.semantics.partelang.rules.registry import ONCE, Conclusion, Effect, Site
from parte.semantics.partelang.suppression import (
    Decision,
    OnceData,
    decisions,
    passed_last,
    undecided,
    waiting_with,
)
from parte.semantics.partelang.tokens import AlphaToken, Beta, PartialMatch


@ONCE.bottom("PARTE/ONCE-BOTTOM", "Once-⊥")
def once_bottom(site: Site[ProductionNode], data: OnceData, token: Beta[None]) -> Conclusion:
    """The events before the bound are decided; those that pass are emitted, and the bound passes."""
    node = site.node
    bound = node.generate_bound(token.bounds)
    decided = decisions(once_of(node), data.waiting, data.last, bound)
    waiting, last = undecided(data.waiting, decided), passed_last(once_of(node), data.last, decided, bound)
    return Effect(OnceData(waiting, last), passing(decided, bound), decided)


@ONCE.rule("PARTE/ONCE", "Once")
def once(site: Site[ProductionNode], data: OnceData, token: Beta[PartialMatch]) -> Conclusion:
    """The event of a match waits with the others, of which those before the bound are decided."""
    node = site.node
    event, bound = node.generate_event(token.payload), node.generate_bound(token.bounds)
    more = waiting_with(data.waiting, event)
    decided = decisions(once_of(node), more, data.last, bound)
    waiting, last = undecided(more, decided), passed_last(once_of(node), data.last, decided, bound)
    return Effect(OnceData(waiting, last), passing(decided, bound), decided)


def once_of(node: ProductionNode) -> Once:
    """Return the suppression of a node that has one."""
    assert node.once is not None
    return node.once


def passing(decided: tuple[Decision, ...], bound: int) -> tuple[AlphaToken, ...]:
    """Return the tokens of the events that pass, in order of time: each bound is the timestamp of the next event.

    All that wait is not before the bound, so the last token has it.
    """
    events = [decision.event for decision in decided if decision.by is None]
    if not events:
        return (AlphaToken(OWN_SLOT, bound, None),)
    before_next = [AlphaToken(OWN_SLOT, following.timestamp, event) for event, following in pairwise(events)]
    return (*before_next, AlphaToken(OWN_SLOT, bound, events[-1]))
