"""The rules of PARTE's machines in groups, for listings."""

from __future__ import annotations

from parte.semantics.partelang.repairs import MODELS, Family, Repairs
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.rules.figures import by_figure
from parte.semantics.rulebook.listing import Listing

_HEADINGS = {
    Family.FEATHERWEIGHT: "published and sound: one node, one token (D §5.4; the rules of set-nodes are ours)",
    Family.RUDIMENTARY: "rudimentary: one node, one token (D §5.2)",
    None: "all models: the network (D §5.2, §5.4)",
}

LISTING = Listing(
    RULEBOOK,
    {
        heading: [rule.id for rule in RULEBOOK.values() if rule.family is family]
        for family, heading in _HEADINGS.items()
    },
    lambda identity: by_figure(RULEBOOK[identity]),
    {name: repair.text for name, repair in Repairs.declared().items()},
    MODELS,
    {"PARTE/ENTRY-NOMATCHTEMPLATE": "events reach the entry node of their own template only (docs/machine.md)"},
)
