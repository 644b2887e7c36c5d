"""The rules of LEAD, in the groups of their listing."""

from __future__ import annotations

from parte.languages.lead.semantics import machine
from parte.languages.lead.semantics.repairs import MODELS, Repairs
from parte.languages.lead.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.figures import Figure
from parte.semantics.rulebook.listing import Listing, headings
from parte.semantics.rulebook.registry import entered

RULES = entered(RULEBOOK, machine)

_BEGINNINGS = {
    "running (L §5)": ("STEP", "GC", "SINK", "ENABLE", "DEFAULT"),
    "core operators (L §3.3.1)": ("SOURCE", "FILTER", "AND", "OR", "SEQ", "UNTIL", "COLLECT", "SUB"),
    "time (L §3.3.2)": ("WITHIN", "NOT", "WAIT"),
    "policies (L §3.3.3)": ("FIRST", "LAST", "ADJ", "EVERY", "CONSUME", "PICK"),
}
LISTING = Listing(
    RULES,
    headings(RULES, _BEGINNINGS),
    lambda identity: [(RULES[identity].models, Figure((RULES[identity].summary,), (RULES[identity].name,)))],
    {name: str(repair) for name, repair in Repairs.declared().items()},
    MODELS,
)
