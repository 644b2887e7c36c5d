"""The rules of ETALIS in the groups of the listing."""

from __future__ import annotations

from parte.languages.etalis.semantics import machine
from parte.languages.etalis.semantics.published.repairs import MODELS, Repairs
from parte.languages.etalis.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.figures import of_function
from parte.semantics.rulebook.listing import Listing, headings
from parte.semantics.rulebook.registry import entered

RULES = entered(RULEBOOK, machine)

_BEGINNINGS = {
    "what happens (E §2, §5)": ("EVENT", "TIME", "TRIGGER", "UNIQUE", "EACH"),
    "one operand (E §4, §5)": ("COPY", "OR-", "WHERE", "LASTING"),
    "two operands (E §5, algorithms 5.1–5.3, rules (10)–(15))": (
        *("SEQ-", "AND-", "PAR-", "DURING-", "STARTS-", "EQUALS-", "MEETS-", "FINISHES-"),
    ),
    "negation (E §5, algorithm 5.4)": ("NOT-",),
    "consumption policies (E §6)": ("SELECT",),
}
LISTING = Listing(
    RULES,
    headings(RULES, _BEGINNINGS),
    lambda identity: [(RULES[identity].models, of_function(RULES[identity].function))],
    {name: str(repair) for name, repair in Repairs.declared().items()},
    MODELS,
)
