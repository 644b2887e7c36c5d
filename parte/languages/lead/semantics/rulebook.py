"""The rulebook of LEAD: the effects of the transitions of its nets, each a function under an id."""

from __future__ import annotations

from parte.languages.lead.semantics.repairs import MODELS
from parte.semantics.rulebook.registry import Rule, Rulebook, entering

RULEBOOK: Rulebook[Rule] = Rulebook("LEAD")
rule = entering(RULEBOOK, MODELS)
