"""Entry nodes: merging the sources of a template (D §5.4.6)."""

from __future__ import annotations

from parte.semantics.events.event import Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.network import EntryNode
from parte.semantics.partelang.rules.registry import ENTRY, Conclusion, Effect, EntryData, Site, Waiting
from parte.semantics.partelang.tokens import Alpha, AlphaToken

ITS_TURN = "its turn: another source has promised less and has sent nothing yet"


@ENTRY.rule("PARTE/ENTRY-NOMATCHTEMPLATE", "Entry-NoMatchTemplate")
def entry_nomatchtemplate(site: Site[EntryNode], data: EntryData, token: Alpha[Event]) -> Conclusion:
    """An event of another template is ignored."""
    node = site.node
    if token.payload.template == node.template:
        return None
    return Effect(data, ())


@ENTRY.rule("PARTE/ENTRY", "Entry")
def entry(site: Site[EntryNode], data: EntryData, token: Alpha[Event]) -> Conclusion:
    """An event passes with the least bound that any source has promised by now."""
    node = site.node
    if token.payload.template != node.template:
        return None
    return _merge(node, site, data, token)


@ENTRY.bottom("PARTE/ENTRY-BOTTOM", "Entry-⊥")
def entry_bottom(site: Site[EntryNode], data: EntryData, token: Alpha[None]) -> Conclusion:
    """A promise without an event passes as the least bound that any source has promised by now."""
    return _merge(site.node, site, data, token)


def _merge(node: EntryNode, site: Site[EntryNode], data: EntryData, token: Alpha[Event | None]) -> Conclusion:
    """slmap' = slmap[source -> bound]; the token passes on with min(codom(slmap')).

    A source waits for its turn only where room is limited: elsewhere there is no advantage.
    """
    source = token.source
    bounds = data.bounds
    if site.repairs.merge_by_promise and site.limited and source in node.external and len(node.external) > 1:
        promises = tuple(map(bounds.__getitem__, node.external))
        if not kernel.may_be_taken(bounds[source], promises):
            return Waiting(ITS_TURN)
    bounds = bounds[:source] + (token.bound,) + bounds[source + 1 :]  # noqa: RUF005 # any number of bounds
    return Effect(EntryData(bounds), (AlphaToken(source, kernel.entry_bound(bounds), token.payload),))
