"""The rules of CEL in the groups of the listing."""

from __future__ import annotations

from parte.languages.cel.semantics import distribution, machine, maximal
from parte.languages.cel.semantics.repairs import MODELS, Repairs
from parte.languages.cel.semantics.rulebook import RULEBOOK
from parte.semantics.rulebook.figures import of_function
from parte.semantics.rulebook.listing import Listing, headings
from parte.semantics.rulebook.registry import entered

_NO_RESULT = "which worker is sent what is no result of a query; tests/languages/cel/semantics/test_distribution.py"

RULES = entered(RULEBOOK, machine, distribution, maximal)

_BEGINNINGS = {
    "automata (T §3.3, §3.4)": ("CEA-", "DET"),
    "the compact set (T §5.1, §5.2)": ("TECS-", "ULIST-"),
    "evaluation and enumeration (T §5.3, §5.4)": ("EVAL-", "KEYS", "FORGET", "ROOT", "ENUM-", "SHARE"),
    "queries (T §3.2, §4.1)": ("Q-", "REWRITE", "REFINE"),
    "distribution by a master (T §4.2)": ("DCERE", "MCEE"),
}
LISTING = Listing(
    RULES,
    headings(RULES, _BEGINNINGS),
    lambda identity: [(RULES[identity].models, of_function(RULES[identity].function))],
    {name: str(repair) for name, repair in Repairs.declared().items()},
    MODELS,
    {
        "CORE/DCERE": _NO_RESULT,
        "CORE/MCEE": _NO_RESULT,
    },
)
