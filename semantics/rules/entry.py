"""Entry nodes: merging the sources of a template (D §5.4.6)."""

from __future__ import annotations

from typing import cast

from semantics import kernel
from semantics.network import EntryNode, Side
from semantics.repairs import Family
from semantics.rules.registry import Effect, EntryData, Kind, Outcome, Site, Waiting, rule
from semantics.tokens import AlphaToken

ITS_TURN = "its turn: another source has promised less and has sent nothing yet"


@rule(
    "ENTRY-NOMATCHTEMPLATE",
    name="Entry-NoMatchTemplate",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.ENTRY,
    side=Side.TOP,
    payload=True,
)
def entry_nomatchtemplate(site: Site, data: EntryData, token: AlphaToken) -> Outcome:
    """An event of another template is ignored."""
    node = cast(EntryNode, site.node)
    assert token.payload is not None
    if token.payload.template == node.template:
        return None
    return Effect(data, ())


@rule(
    "ENTRY",
    name="Entry",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.ENTRY,
    side=Side.TOP,
    payload=True,
)
def entry(site: Site, data: EntryData, token: AlphaToken) -> Outcome:
    """An event passes with the least bound that any source has promised by now."""
    node = cast(EntryNode, site.node)
    assert token.payload is not None
    if token.payload.template != node.template:
        return None
    return _merge(node, site, data, token)


@rule(
    "ENTRY-BOTTOM",
    name="Entry-⊥",
    section="5.4.6",
    family=Family.FEATHERWEIGHT,
    kind=Kind.ENTRY,
    side=Side.TOP,
    payload=False,
)
def entry_bottom(site: Site, data: EntryData, token: AlphaToken) -> Outcome:
    """A promise without an event passes as the least bound that any source has promised by now."""
    return _merge(cast(EntryNode, site.node), site, data, token)


def _merge(node: EntryNode, site: Site, data: EntryData, token: AlphaToken) -> Outcome:
    """slmap' = slmap[source -> bound]; the token goes on with min(codom(slmap'))."""
    source = token.source
    bounds = data.bounds
    if site.repairs.merge_by_promise and source in node.external and len(node.external) > 1:
        promises = [bounds[slot] for slot in node.external]
        if not kernel.may_be_taken(bounds[source], promises):
            return Waiting(ITS_TURN)
    bounds = (*bounds[:source], token.bound, *bounds[source + 1 :])
    return Effect(EntryData(bounds), (AlphaToken(source, kernel.entry_bound(bounds), token.payload),))
