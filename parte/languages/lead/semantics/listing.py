"""The rules of LEAD, in the groups of their listing."""

from __future__ import annotations

from parte.languages.lead.semantics.repairs import MODELS, Repairs
from parte.languages.lead.semantics.rules import RULES
from parte.semantics.rulebook.figures import Figure
from parte.semantics.rulebook.listing import Listing

_BEGINNINGS = {
    "running (L §5)": ("STEP", "GC", "SINK", "ENABLE", "DEFAULT"),
    "core operators (L §3.3.1)": ("SOURCE", "FILTER", "AND", "OR", "SEQ", "UNTIL", "COLLECT", "SUB"),
    "time (L §3.3.2)": ("WITHIN", "NOT", "WAIT"),
    "policies (L §3.3.3)": ("FIRST", "LAST", "ADJ", "EVERY", "CONSUME", "PICK"),
}
_HEADINGS = {
    heading: [rule.id for rule in RULES.values() if rule.local.startswith(beginnings)]
    for heading, beginnings in _BEGINNINGS.items()
}
LISTING = Listing(
    RULES,
    _HEADINGS,
    lambda identity: [(RULES[identity].models, Figure((RULES[identity].summary,), (RULES[identity].name,)))],
    {name: str(repair) for name, repair in Repairs.declared().items()},
    MODELS,
)
