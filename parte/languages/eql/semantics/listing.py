"""The rules of EQL in the groups of the listing."""

from __future__ import annotations

from parte.languages.eql.semantics import machine
from parte.languages.eql.semantics.repairs import MODELS
from parte.languages.eql.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.figures import Figure
from parte.semantics.rulebook.listing import Listing, headings
from parte.semantics.rulebook.registry import entered

RULES = entered(RULEBOOK, machine)

_BEGINNINGS = {
    "conditions and keys (ED, syntax)": ("THREE", "KEY"),
    "chains (ES, sequences)": ("LAST-FIRST", "START", "TAKE", "EXPIRED", "OVERWRITE", "KILL", "COMPLETE", "FORGET"),
    "missing events (ED, syntax)": ("GAP", "BEFORE", "WAIT", "AFTER", "ABSENT"),
    "queries (ED, syntax)": ("EVENT", "SAMPLE", "PIPE", "RELEASE"),
}
LISTING = Listing(
    RULES,
    headings(RULES, _BEGINNINGS),
    lambda identity: [(RULES[identity].models, Figure((RULES[identity].summary,), (RULES[identity].name,)))],
    {},
    MODELS,
)
